/** Issuing over HTTP: what the recorded node refused is refused with its text, and what its next block contained is valid. */
import { describe, expect, test } from "vitest";
import { scratchDirectory } from "../store/scratch.ts";
import { importUntil, serveAt } from "./checkpoints.ts";
import { readJson, readLines } from "./json-lines.ts";
import { recordingFolder } from "./recordings.ts";

const folder = recordingFolder("latest-1");
const { recordedAt, heights } = readJson<{ recordedAt: string; heights: Record<string, number> }>(folder, "checkpoints/009-rejected.json");
const time = BigInt(Math.floor(Date.parse(recordedAt) / 1000));

interface Refused {
  readonly chain: "P" | "X" | "C";
  readonly accepted: boolean;
  readonly heights: Record<string, number>;
  readonly hex: string;
  readonly label: string;
  readonly response: { readonly error?: { readonly message: string } };
}

const ISSUING = { P: ["/ext/bc/P", "platform.issueTx"], X: ["/ext/bc/X", "avm.issueTx"], C: ["/ext/bc/C/avax", "avax.issueTx"] } as const;

async function call(
  url: string,
  path: string,
  method: string,
  params: object,
): Promise<{ result?: Record<string, never>; error?: { message: string } }> {
  const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method, params });
  const response = await fetch(url + path, { method: "POST", headers: { "content-type": "application/json" }, body });
  return response.json() as never;
}

/** Fees and times move with the second in which the recorded node was asked. */
function stable(message: string | undefined): string | undefined {
  return message?.replace(/(needs|expired at|currently|time is) \d+/g, "$1 …");
}

describe("issuing over HTTP", () => {
  test("refuses every transaction of the P- and X-chain as the recorded node did at the same heights", async () => {
    const directory = scratchDirectory();
    const refused = [...readLines<Refused>(folder, "rejected.jsonl")].filter(({ chain, accepted }) => chain !== "C" && !accepted);
    await importUntil(folder, directory, refused[0]!.heights, "replay");
    const serving = await serveAt(directory, time);
    const differing: string[] = [];
    for (const { chain, hex, label, response } of refused) {
      const [path, method] = ISSUING[chain];
      const { error } = await call(serving.url, path, method, { tx: hex, encoding: "hex" });
      if (stable(error?.message) !== stable(response.error?.message))
        differing.push(`${chain} ${label}: ${error?.message} instead of ${response.error?.message}`);
    }
    await serving.stop();
    expect(refused.length).toBeGreaterThan(150);
    expect(differing).toEqual([]);
  });

  test("finds the next block's transactions valid, and the last block's spent", async () => {
    const directory = scratchDirectory();
    const before = { ...heights, X: 100 };
    await importUntil(folder, directory, before, "replay");
    const serving = await serveAt(directory, time);
    const blocks = [...readLines<{ height: number; txs?: unknown }>(folder, "blocks/X.jsonl")];
    expect(blocks.length).toBeGreaterThan(101);
    const whole = scratchDirectory();
    await importUntil(folder, whole, {}, "replay");
    const later = await serveAt(whole, time);
    const transactions = async (height: number) => {
      const { result } = await call(later.url, "/ext/bc/X", "avm.getBlockByHeight", { height, encoding: "json" });
      return (result as unknown as { block: { txs: { id: string }[] } }).block.txs.map(({ id }) => id);
    };
    const issue = async (txID: string) => {
      const { result } = await call(later.url, "/ext/bc/X", "avm.getTx", { txID });
      return (await call(serving.url, "/ext/bc/X", "avm.issueTx", { tx: (result as unknown as { tx: string }).tx })).error!.message;
    };
    for (const txID of await transactions(101)) expect(await issue(txID)).toMatch(/^couldn't issue tx: it is valid, but/);
    for (const txID of await transactions(100)) expect(await issue(txID)).toMatch(/not found$/);
    await serving.stop();
    await later.stop();
  });
});
