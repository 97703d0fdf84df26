import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { InvalidArgumentError } from "../../../src/api/rpc/errors.ts";
import { bool, encoding, id, integer, listOf, nodeId, object, type ParamKind, string } from "../../../src/api/rpc/params.ts";
import { paramSteps } from "../../../src/api/rpc/service.ts";
import { formatId, formatNodeId } from "../../../src/base/bytes/cb58.ts";
import { completed, JsonToken } from "../../../src/base/json/go-decode.ts";

function decode<T>(kind: ParamKind<T>, json: string): T {
  return kind.decode(JsonToken.first(Buffer.from(json).toString("latin1")), kind.zero);
}

function refuses(kind: ParamKind<unknown>, ...texts: string[]): void {
  for (const text of texts) expect(() => decode(kind, text), text).toThrow(InvalidArgumentError);
}

describe("integers", () => {
  test("are digits as number or string, with leading zeros in a string, within their width", () => {
    fc.assert(
      fc.property(fc.bigInt(0n, 2n ** 64n - 1n), fc.nat(3), (value, zeros) => {
        expect(decode(integer(64), `${value}`)).toBe(value);
        expect(decode(integer(64), `"${"0".repeat(zeros)}${value}"`)).toBe(value);
      }),
    );
    expect([decode(integer(32), "4294967295"), decode(integer(16), '"65535"'), decode(integer(32), "null")]).toEqual([
      4294967295, 65535, 0,
    ]);
  });

  test("have no sign, fraction, exponent, escape, blank or other base", () => {
    refuses(
      integer(64),
      "-1",
      '"+7"',
      "1.0",
      "1e3",
      '""',
      '"0x10"',
      '"1_0"',
      '" 1"',
      '"\\u0031"',
      "true",
      "[1]",
      "18446744073709551616",
      "9".repeat(1000),
    );
    refuses(integer(32), "4294967296");
  });
});

describe("IDs", () => {
  test("are read from the raw token: quoted cb58 of the right length, without escapes", () => {
    const text = formatId("0a".repeat(32));
    expect(decode(id, `"${text}"`)).toBe("0a".repeat(32));
    expect(decode(id, "null")).toBe("00".repeat(32));
    refuses(id, `"\\u00${text.charCodeAt(0).toString(16)}${text.slice(1)}"`, '""', "5", `"${text}x"`, `"${formatId("0a".repeat(20))}"`);
    expect(decode(nodeId, `"${formatNodeId("0b".repeat(20))}"`)).toBe("0b".repeat(20));
    refuses(nodeId, `"${formatId("0b".repeat(20))}"`);
  });
});

describe("encodings", () => {
  test("are known by name in any letters, from the raw token", () => {
    expect(['"hex"', '"HexNC"', '"hexc"', '"JSON"', "null"].map((text) => decode(encoding, text))).toEqual([
      "hex",
      "hexnc",
      "hexc",
      "json",
      "hex",
    ]);
    refuses(encoding, '"\\u0068ex"', '"cb58"', '""', "1");
  });
});

describe("objects", () => {
  const kind = object({ blockID: string, isIt: bool, ids: listOf(string), nested: object({ utxo: string, address: string }) });

  test("match names in any letters, the Kelvin sign and the long s included, and prefer none", () => {
    const folded = object({ blocks: string });
    expect(decode(folded, '{"BLOCKS":"a"}').blocks).toBe("a");
    expect(decode(folded, '{"bloc\u212a\u017f":"b"}').blocks).toBe("b");
    expect(decode(folded, '{"blocks":"a","BLOCKS":"b"}').blocks).toBe("b");
    expect(decode(folded, '{"blocks":"a","BLOCKS":null}').blocks).toBe("a");
    expect(decode(folded, '{"blöcks":"c"}').blocks).toBe("");
  });

  test("have zero values for what is not sent, and ignore what is not known", () => {
    expect(decode(kind, '{"x":{"blockID":5}}')).toEqual({ blockID: "", isIt: false, ids: [], nested: { utxo: "", address: "" } });
  });

  test("decode a repeated object into the one before, and keep types strict", () => {
    expect(decode(kind, '{"nested":{"utxo":"a"},"nested":{"address":"b"}}').nested).toEqual({ utxo: "a", address: "b" });
    refuses(kind, '{"blockID":5}', '{"isIt":"true"}', '{"ids":"a"}', '{"ids":[5]}', '{"nested":[]}', "5");
    expect(decode(kind, '{"ids":["a",null]}').ids).toEqual(["a", ""]);
  });

  test("a repeated list keeps elements that are null the second time", () => {
    expect(decode(kind, '{"ids":["a","b"],"ids":[null]}').ids).toEqual(["a"]);
  });
});

describe("params", () => {
  const kind = object({ a: string });
  const read = (json: string) => completed(paramSteps(kind as ParamKind<object>, JsonToken.first(json)));

  test("are an object, or an array whose first element is one", () => {
    expect(["{}", "[]", "[null]", "[{}]"].map(read)).toEqual(Array(4).fill({ a: "" }));
    expect(read('[{"a":"x"},5]')).toEqual({ a: "x" });
    for (const json of ["5", '"x"', "true", "[5]", "[[{}]]"]) expect(() => read(json), json).toThrow(InvalidArgumentError);
  });
});
