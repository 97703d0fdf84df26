import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { readDataUri } from "../../../src/evm/nft/data-uri.ts";
import { readNftMetadata } from "../../../src/evm/nft/nft-metadata.ts";

const read = (content: string | Buffer, isErc721 = true) => readNftMetadata(Buffer.from(content), { isErc721 });
const of = (json: object, isErc721 = true) => read(JSON.stringify(json), isErc721);

describe("Metadata of an NFT", () => {
  test("are the members that the Data API shows, by the names that files use", () => {
    const file = {
      name: "One",
      symbol: "O",
      description: "The first",
      image: "ipfs://bafy/1.png",
      animation_url: "https://example.org/1.mp4",
      external_url: "https://example.org/1",
      background_color: "ffffff",
      attributes: [{ trait_type: "Hat", value: "Red" }],
      decimals: 2,
      properties: { power: 5 },
      secret: "not shown",
    };
    const shared = {
      name: "One",
      symbol: "O",
      description: "The first",
      imageUri: "ipfs://bafy/1.png",
      animationUri: "https://example.org/1.mp4",
      externalUrl: "https://example.org/1",
      background: "ffffff",
    };
    expect(of(file)).toEqual({ metadata: { ...shared, attributes: '[{"trait_type":"Hat","value":"Red"}]' } });
    expect(of(file, false)).toEqual({ metadata: { ...shared, decimals: 2, properties: '{"power":5}' } });
    expect(of({ image: "", image_url: "https://example.org/2.png", traits: [] })).toEqual({
      metadata: { imageUri: "https://example.org/2.png", attributes: "[]" },
    });
  });

  test("have their numbers as they were written, however large or exact", () => {
    const numbers = [`${2n ** 256n - 1n}`, "12345678901234567890", "9007199254740993", "1e400", "1.10", "-0", "1E+2", "-1.5e-3", "0"];
    const attributes = `[${numbers.map((number, i) => `{"trait_type":"t${i}","value":${number}}`).join(",")}]`;
    expect(read(`{"name":"n","attributes":${attributes}}`)).toEqual({ metadata: { name: "n", attributes } });
    expect(read(`{"properties":{"a":${numbers[0]},"b":"5","c\\"1":"\\u00007"}}`, false)).toEqual({
      metadata: { properties: `{"a":${numbers[0]},"b":"5","c\\"1":"\\u00007"}` },
    });
  });

  test("leave out what is nested deeper than it can be written, and keep the rest", () => {
    const depth = 50_000;
    const deep = `${"[".repeat(depth)}${"]".repeat(depth)}`;
    expect(read(`{"name":"One","attributes":${deep}}`)).toEqual({ metadata: { name: "One" } });
    expect(read(`{"name":"One","properties":${`{"a":`.repeat(depth)}1${"}".repeat(depth)}}`, false)).toEqual({ metadata: { name: "One" } });
    expect(read(deep)).toEqual({ status: "INVALID_METADATA" });
  });

  test("leave out members of another type, and what is too long", () => {
    const odd = { name: 5, symbol: null, description: ["x"], image: {}, attributes: "text", decimals: 2.5, properties: 7 };
    for (const isErc721 of [true, false]) expect(of(odd, isErc721)).toEqual({ metadata: {} });
    expect(of({ name: "x".repeat(1025), symbol: "ok" })).toEqual({ metadata: { symbol: "ok" } });
    expect(of({ attributes: Array(40_000).fill(1) })).toEqual({ metadata: {} });
    expect(of({ decimals: 256 }, false)).toEqual({ metadata: {} });
  });

  test("are no members that every object has", () => {
    expect(read('{"__proto__":{"name":"inherited"},"constructor":"x"}')).toEqual({ metadata: {} });
  });

  test("are invalid where the content is no JSON, or JSON but no object", () => {
    for (const content of ["", "<html>", "{", Buffer.from("7b22ff227d", "hex"), "[".repeat(1_000_000)]) {
      expect(read(content)).toEqual({ status: "INVALID_METADATA_JSON" });
    }
    for (const content of ["null", "[]", '"text"', "5"]) expect(read(content)).toEqual({ status: "INVALID_METADATA" });
    expect(read('\ufeff{"name":"marked"}')).toEqual({ metadata: { name: "marked" } });
  });

  test("are read or refused, whatever the JSON", () => {
    fc.assert(
      fc.property(fc.json(), fc.boolean(), (json, isErc721) => {
        const result = read(json, isErc721);
        if (!("metadata" in result)) return;
        for (const [name, value] of Object.entries(result.metadata)) expect(typeof value).toBe(name === "decimals" ? "number" : "string");
      }),
    );
  });
});

describe("A data URI", () => {
  const text = (uri: string) => readDataUri(uri)?.toString();

  test("holds its content escaped, not escaped, or in base64", () => {
    expect(text('data:application/json,{"name":"inline"}')).toBe('{"name":"inline"}');
    expect(text("data:application/json;utf8,%7B%22name%22%3A%22é%22%7D")).toBe('{"name":"é"}');
    expect(text("data:,100% sure, %zz, %4")).toBe("100% sure, %zz, %4");
    expect(text(`DATA:application/json;charset=utf-8;base64,${btoa('{"a,b":1}')}`)).toBe('{"a,b":1}');
    expect(text("data:application/json;BASE64,eyJh\nIjoxfQ")).toBe('{"a":1}');
    expect(text("data:")).toBeUndefined();
    expect(text("https://example.org/data:,x")).toBeUndefined();
  });

  test("gives back every content that was escaped or put in base64", () => {
    fc.assert(
      fc.property(fc.string({ unit: "grapheme" }), (content) => {
        expect(text(`data:text/plain,${encodeURIComponent(content)}`)).toBe(content);
        expect(text(`data:text/plain;base64,${Buffer.from(content).toString("base64")}`)).toBe(content);
      }),
    );
  });
});
