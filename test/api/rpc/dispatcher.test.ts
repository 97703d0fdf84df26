import { describe, expect, test } from "vitest";
import { answerRequest } from "../../../src/api/rpc/dispatcher.ts";
import { RpcError } from "../../../src/api/rpc/errors.ts";
import { method, type RpcContext } from "../../../src/api/rpc/method.ts";
import { integer, string } from "../../../src/api/rpc/params.ts";
import { Service } from "../../../src/api/rpc/service.ts";
import { RawJson } from "../../../src/base/json/go-encode.ts";

let made = 0;
const kept = new Map<string, unknown>();
const context = {
  chain: { chainId: "00", alias: "P" },
  async cached<T>(name: string, make: () => Promise<T>): Promise<T> {
    if (!kept.has(name)) kept.set(name, await make());
    return kept.get(name) as T;
  },
} as unknown as RpcContext;

const described = { summary: "", cost: "", computeUnits: 1 };
const service = new Service([
  method({
    name: "test.echo",
    ...described,
    params: { text: string, number: integer(64) },
    handler: ({ text, number }) => ({ text, number }),
  }),
  method({ name: "test.sample", ...described, params: {}, handler: () => ({}) }),
  method({
    name: "test.fail",
    ...described,
    params: { text: string },
    handler({ text }) {
      throw new RpcError(text);
    },
  }),
  method({
    name: "test.break",
    ...described,
    params: {},
    handler() {
      throw new TypeError("secret");
    },
  }),
  method({
    name: "test.large",
    ...described,
    params: { text: string },
    isRenderedOncePerHeight: true,
    handler: ({ text }) => ({ text, made: ++made }),
  }),
  method({ name: "test.raw", ...described, params: {}, handler: () => ({ a: new RawJson('"x"'), b: new RawJson(Buffer.from("[1]")) }) }),
]);

async function answer(body: string) {
  const defects: unknown[] = [];
  const options = { onDefect: (error: unknown) => defects.push(error) };
  const { body: text, ...rest } = await answerRequest(service, Buffer.from(body).toString("latin1"), async (use) => use(context), options);
  return { ...rest, defects, text: typeof text === "object" ? Buffer.concat(text).toString() : text };
}

const call = (name: string, params = "{}", id = "1") => answer(`{"jsonrpc":"2.0","id":${id},"method":"${name}","params":${params}}`);
const failure = (message: string) => `{"jsonrpc":"2.0","error":{"code":-32000,"message":${JSON.stringify(message)},"data":null},"id":1}\n`;

describe("an answer", () => {
  test("has its members in the node's order and the id as it was spelled", async () => {
    const { text, wasInvoked } = await call("test.echo", '{"TEXT":"<","number":"18446744073709551615"}', '{ "a" : 1.50 }');
    expect(text).toBe('{"jsonrpc":"2.0","result":{"text":"\\u003c","number":18446744073709551615},"id":{"a":1.50}}\n');
    expect(wasInvoked).toBe(true);
  });

  test("holds rendered text and rendered bytes in their places", async () => {
    expect((await call("test.raw")).text).toBe('{"jsonrpc":"2.0","result":{"a":"x","b":[1]},"id":1}\n');
  });

  test("of a method that is rendered once per height is made once per params", async () => {
    const first = (await call("test.large", '{"text":"a"}')).text;
    expect((await call("test.large", '{"text":"a"}')).text).toBe(first);
    expect((await call("test.large", '{"text":"b"}')).text).not.toBe(first);
    expect(made).toBe(2);
  });
});

describe("an error", () => {
  test("of a method is its text, one that nobody raised on purpose tells no details", async () => {
    expect((await call("test.fail", '{"text":"no \\"it\\""}')).text).toBe(failure('no "it"'));
    const broken = await call("test.break");
    expect(broken.text).not.toContain("secret");
    expect([broken.isError, broken.defects.length]).toEqual([true, 1]);
  });

  test("comes in the node's order: syntax, version, capital, form, service, method, params", async () => {
    const messageOf = async (body: string) => JSON.parse((await answer(body)).text!).error.message;
    const request = (method: string, params = "{}") => messageOf(`{"jsonrpc":"2.0","id":1,"method":"${method}","params":${params}}`);
    expect(await messageOf('{"method":"x"')).toBe("unexpected EOF");
    expect(await messageOf('{"id":1,"method":"x.Y"}')).toBe("jsonrpc must be 2.0");
    expect(await request("x.Y.z")).toBe("method must start with a non-uppercase letter");
    expect(await request("x.y.z")).toBe('rpc: service/method request ill-formed: "x.Y.z"');
    expect(await request("echo")).toBe('rpc: service/method request ill-formed: "echo"');
    expect(await request("test.")).toBe(`rpc: can't find method "test."`);
    expect(await request("Test.echo")).toBe(`rpc: can't find service "Test.Echo"`);
    expect(await request("test.ECHO")).toBe("method must start with a non-uppercase letter");
    expect(await request("test.eCHO", "5")).toBe(`rpc: can't find method "test.ECHO"`);
    expect(await request("test.echo", "5")).toMatch(/^couldn't unmarshal an argument\. /);
  });

  test("before a method ran is not an invocation", async () => {
    expect((await call("test.echo", "5")).wasInvoked).toBe(false);
    expect((await call("test.fail")).wasInvoked).toBe(true);
  });

  test("of the envelope shows what was decoded, and the id if it was", async () => {
    expect((await answer('{"id":3,"jsonrpc":2.0,"method":{},"params":{ "a":1}}')).text).toBe(
      '{"jsonrpc":"2.0","error":{"code":-32700,"message":"json: cannot unmarshal number into Go struct field serverRequest.jsonrpc of type string",' +
        '"data":{"jsonrpc":"","method":"","params":{"a":1},"id":3}},"id":3}\n',
    );
  });
});

describe("a notification", () => {
  test("runs and is answered with nothing, also when it fails, except when it cannot be parsed", async () => {
    expect(await answer('{"jsonrpc":"2.0","method":"test.sample"}')).toMatchObject({ text: undefined, wasInvoked: true });
    expect(await answer('{"jsonrpc":"2.0","id":5,"ID":null,"method":"test.fail"}')).toMatchObject({ text: undefined, isError: true });
    expect((await answer("null")).text).toBeUndefined();
    expect((await answer("[]")).text).toContain('"code":-32700');
  });
});

describe("a method's first letter", () => {
  test("may be one whose capital is the method's", async () => {
    expect((await call("test.\u017fample")).text).toBe('{"jsonrpc":"2.0","result":{},"id":1}\n');
  });
});
