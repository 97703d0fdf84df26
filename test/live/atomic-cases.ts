/** Cases about the imports and exports of C-chain blocks: what the node has under the shown IDs must be all of a block's extra data. */
import { DataClient } from "../api/data/oracle/client.ts";
import type { Case, OracleCourt } from "../api/data/oracle/evm/case-maker.ts";
import type { OracleBlock } from "../api/data/oracle/evm/world.ts";
import { ask } from "../devnet/json-rpc.ts";

/** A batch begins with the codec's version and the number of transactions, a transaction alone with the version; both in digits. */
const [VERSION, COUNT, CHECKSUM] = [4, 8, 8];
const TYPES = ["ImportTx", "ExportTx"];

interface Told {
  readonly txHash: string;
  readonly txType: string;
}

/** @param node the URL of a node */
export function atomicCases({ url, chainNames, lists }: OracleCourt, node: string): Case[] {
  const client = new DataClient(url);
  return lists.blocks.map(({ height, raw }) => ({
    name: `atomic transactions of block ${height}`,
    ask: async () => {
      const { atomicTransactions = [] } = await client.get(`/chains/${chainNames[0]}/blocks/${height}`);
      const told = atomicTransactions as readonly Told[];
      const found = await Promise.all(told.map(({ txHash }) => bytesOf(node, txHash)));
      const answered = { told: told.map(({ txType }) => txType), heights: found.map(({ blockHeight }) => Number(blockHeight)) };
      const expected = {
        told: found.map(({ digits }) => TYPES[Number.parseInt(digits.slice(0, 8), 16)]),
        heights: found.map(() => height),
      };
      const batch =
        found.length === 0 ? "" : `0000${found.length.toString(16).padStart(COUNT, "0")}${found.map(({ digits }) => digits).join("")}`;
      return { answered: { ...answered, batch: `0x${batch}` }, expected: { ...expected, batch: raw.blockExtraData ?? "0x" } };
    },
  }));
}

export function atomicCount({ raw: { blockExtraData = "0x" } }: OracleBlock): number {
  return Number.parseInt(blockExtraData.slice(2 + VERSION, 2 + VERSION + COUNT) || "0", 16);
}

async function bytesOf(node: string, txID: string): Promise<{ digits: string; blockHeight: string }> {
  const request = { path: "/ext/bc/C/avax", method: "avax.getAtomicTx", params: { txID, encoding: "hex" } };
  const { tx, blockHeight } = await ask<{ tx: string; blockHeight: string }>(node, request);
  return { digits: tx.slice(2 + VERSION, -CHECKSUM), blockHeight };
}
