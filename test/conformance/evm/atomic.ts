/** Exports of the C-chain, read from the blocks that contain them. */
import { DataClient } from "../../api/data/oracle/client.ts";
import type { CheckResult } from "../check.ts";
import type { Expectation } from "./expectation.ts";
import { sameItems } from "./same-items.ts";

export async function* checkAtomic(url: string, { recording }: Expectation): AsyncGenerator<CheckResult> {
  const client = new DataClient(url);
  for (const height of recording.blockHashes.keys()) {
    const { atomicTransactions = [] } = (await client.get(`/chains/${recording.chainId}/blocks/${height}`)) as {
      atomicTransactions?: { txHash: string; txType: string }[];
    };
    const expected = recording.exports.filter((exported) => exported.height === height).map(({ txID }) => `ExportTx ${txID}`);
    yield* sameItems(
      `block ${height}: atomic transactions`,
      atomicTransactions.map(({ txHash, txType }) => `${txType} ${txHash}`),
      expected,
    );
  }
}
