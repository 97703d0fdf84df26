/** The status of asset-chain transactions that are in no block. */
import { expect, test } from "vitest";
import { avmMethods } from "../../../../src/api/rpc/avm/methods.ts";
import { formatId } from "../../../../src/base/bytes/cb58.ts";
import type { TableValue } from "../../../../src/base/table/table.ts";
import { assetTxs } from "../../../../src/chains/asset/tables.ts";
import { ChainNode, id } from "../chain-node.ts";

test.each([
  ["processing", "Processing"],
  ["rejected", "Rejected"],
  ["dropped", "Unknown"],
] as const)("one that is %s is told as %s, and once it is accepted as that", async (kind, status) => {
  const node = new ChainNode(avmMethods);
  node.issueContext = { ...node.issueContext, status: (chainId) => (chainId === node.chain.chainId ? { kind, reason: "" } : undefined) };
  const asked = () => node.ask("avm.getTxStatus", { txID: formatId(id(5)) });
  expect(await asked()).toBe(`{"status":"${status}"}`);
  node.reader.put(assetTxs, { chain: 0, txId: id(5) }, { bytes: Buffer.of(1) } as unknown as TableValue<typeof assetTxs>);
  expect(await asked()).toBe('{"status":"Accepted"}');
});
