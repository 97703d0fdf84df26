/**
 * The address in scale-1 with more UTXOs than fit on a page: limits above 1024, and all of its pages compared with a simple replay of the
 * blocks.
 */
import { expect, test } from "vitest";
import { parseId } from "../../src/base/bytes/cb58.ts";
import { isWhole } from "../share.ts";
import { scratchDirectory } from "../store/scratch.ts";
import { checkpointsOf, importUntil, serveAt } from "./checkpoints.ts";
import { recordingFolder } from "./recordings.ts";

const ADDRESS = "X-custom1jyhtswjg9f2wuf0f8cdml9k6mdxstv8g6n7m22";
const MAX_PAGE = 1024;

// biome-ignore lint/suspicious/noExplicitAny: rendered transactions of every kind
type Anything = any;

test.runIf(isWhole)("an address with 13,000 UTXOs: pages of 1024 at most, which together are what the blocks left it", async () => {
  const directory = scratchDirectory();
  const folder = recordingFolder("scale-1");
  // as `recordings.test.ts` does
  await importUntil(folder, directory, checkpointsOf(folder)[0]!.heights, "full");
  const serving = await serveAt(directory, 1_795_249_267n);
  const call = async (method: string, params: object): Promise<Anything> => {
    const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method, params });
    const response = await fetch(`${serving.url}/ext/bc/X`, { method: "POST", headers: { "content-type": "application/json" }, body });
    return ((await response.json()) as Anything).result;
  };
  for (const limit of [MAX_PAGE + 1, 5000]) {
    expect((await call("avm.getUTXOs", { addresses: [ADDRESS], limit })).utxos).toHaveLength(MAX_PAGE);
  }

  const listed: string[] = [];
  for (let startIndex: unknown; ; ) {
    const page = await call("avm.getUTXOs", { addresses: [ADDRESS], limit: 5000, startIndex, encoding: "hexnc" });
    // after 0x and the codec version: transaction and output index
    listed.push(...page.utxos.map((utxo: string) => utxo.slice(6, 78)));
    if (page.utxos.length < MAX_PAGE) break;
    startIndex = page.endIndex;
  }

  const owned = new Set<string>();
  const spend = (input: Anything) => owned.delete(`${input.txID}:${input.outputIndex}`);
  const { height } = await call("avm.getHeight", {});
  for (let number = 1; number <= Number(height); number++) {
    const { block } = await call("avm.getBlockByHeight", { height: number, encoding: "json" });
    for (const { unsignedTx, id } of block.txs) {
      for (const input of unsignedTx.inputs) spend(input);
      for (const [index, { output }] of unsignedTx.outputs.entries()) if (output.addresses.includes(ADDRESS)) owned.add(`${id}:${index}`);
    }
  }
  await serving.stop();
  expect(new Set(listed).size).toBe(listed.length);
  expect(listed.length).toBeGreaterThan(13_000);
  expect(new Set(listed)).toEqual(new Set([...owned].map(referenceHex)));
});

function referenceHex(reference: string): string {
  const [txId, index] = reference.split(":") as [string, string];
  return parseId(txId) + Number(index).toString(16).padStart(8, "0");
}
