import { describe, expect, test } from "vitest";
import { type ForwardParts, forwardCall } from "../../../../src/devnet/anvil/calls/forward.ts";
import { evmCall } from "../../../../src/devnet/anvil/evm-call.ts";

const unused = {} as Pick<
  ForwardParts,
  "request" | "requestAll" | "baseFee" | "fees" | "spec" | "store" | "trace" | "addedGas" | "isSaevm"
>;

/** The calls that reached the child, and the transactions that were issued. */
async function forwarded(raw: unknown): Promise<{ reply: unknown; sent: string[]; issued: string[] }> {
  const [sent, issued]: string[][] = [[], []];
  const reply = await forwardCall(evmCall(1, "eth_sendRawTransaction", [raw]), {
    ...unused,
    send: async (call) => {
      sent!.push(call.raw);
      return Buffer.from('"the child\'s"');
    },
    issue: async (hex) => {
      issued!.push(hex);
      return "0xhash";
    },
  });
  return { reply: JSON.parse(reply.toString()), sent: sent!, issued: issued! };
}

describe("a signed EVM transaction", () => {
  test("is issued through Firn", async () => {
    expect(await forwarded("0x02c101")).toEqual({ reply: { jsonrpc: "2.0", id: 1, result: "0xhash" }, sent: [], issued: ["0x02c101"] });
  });

  test.each([
    ["02ab", "hex string without 0x prefix"],
    ["0x02a", "hex string of odd length"],
    ["0x02ag", "invalid hex string"],
  ])("that is spelled %s never reaches the child, which might take it", async (raw, problem) => {
    const message = `invalid argument 0: json: cannot unmarshal ${problem} into Go value of type hexutil.Bytes`;
    expect(await forwarded(raw)).toEqual({ reply: { jsonrpc: "2.0", id: 1, error: { code: -32602, message } }, sent: [], issued: [] });
  });

  test("that something follows never reaches the child, which would leave that out", async () => {
    const error = { code: -32000, message: "rlp: input contains more than one value" };
    for (const raw of ["0x02c000", "0xc101c0"])
      expect(await forwarded(raw)).toEqual({ reply: { jsonrpc: "2.0", id: 1, error }, sent: [], issued: [] });
  });

  test.each(["", "0x", 5, null])("that is %j is left to the child to refuse", async (raw) => {
    expect(await forwarded(raw)).toMatchObject({ reply: "the child's", issued: [] });
  });
});
