/** Checks the oracle's own reading of a recorded chain against what the workload's driver intended. */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { Expectation, internalText, transferText } from "../../../../conformance/evm/expectation.ts";
import { readEvmRecording } from "../../../../conformance/evm/recording.ts";
import { EVM_RECORDINGS, recordingFolder } from "../../../../conformance/recordings.ts";
import { type ReplayRpc, startReplayRpc } from "../../../../evm/replay-rpc/replay-rpc.ts";
import { asking, readChain } from "./chain-answers.ts";
import { Contracts } from "./contracts.ts";
import { type OracleTransaction, readWorld } from "./world.ts";

describe.each(EVM_RECORDINGS)("%s", (name) => {
  const recording = readEvmRecording(recordingFolder(name));
  const expectation = new Expectation(recording);
  let rpc: ReplayRpc;
  let transactions: OracleTransaction[];

  beforeAll(async () => {
    rpc = await startReplayRpc({ recording: recordingFolder(name) });
    const ask = asking(rpc.url);
    const blocks = await readWorld(await readChain(ask), new Contracts(ask, rpc.head));
    transactions = blocks.flatMap((block) => block.transactions);
  });
  afterAll(() => rpc.close());

  test("has the transfers and internal transactions that the driver meant", () => {
    expect(transactions.map(({ raw }) => raw.hash)).toEqual(recording.transactions.map(({ hash }) => hash));
    for (const [i, tx] of transactions.entries()) {
      const parts = partsOf(tx).map((text) => expectation.withoutStrangers(text));
      expect(parts, recording.transactions[i]!.label).toEqual(expectation.parts(recording.transactions[i]!));
    }
  });

  test("has the contracts that the driver meant", () => {
    for (const [i, { raw, from, deployments }] of transactions.entries()) {
      const meant = recording.transactions[i]!.deployments.map(({ address, creator }) => `${address} by ${creator}`);
      expect(
        deployments.map(({ contract, factory = from }) => `${contract} by ${factory}`),
        raw.hash,
      ).toEqual(meant);
    }
  });

  test("describes contracts as their makers did", async () => {
    const contracts = new Contracts(asking(rpc.url), rpc.head);
    for (const { address, meta, metaAfter } of recording.contracts) {
      if (meta === undefined) continue;
      const { name: title, symbol, decimals } = { ...meta, ...metaAfter };
      const told = await contracts.describe(address);
      if (typeof title !== "object" || title === null) expect(told.name ?? "").toBe(title ?? "");
      if (typeof symbol !== "object" || symbol === null) expect(told.symbol ?? "").toBe(symbol ?? "");
      expect(told.decimals).toBe(decimals === null || Number(decimals) > 255 ? undefined : decimals);
    }
  });
});

function partsOf({ raw, transfers, internals }: OracleTransaction): string[] {
  const kinds = ["erc20", "erc721", "erc1155"] as const;
  return [
    ...kinds.flatMap((kind) =>
      transfers
        .filter((transfer) => transfer.kind === kind)
        .map(({ token, from, to, tokenId, value }) =>
          transferText(raw, kind, {
            contract: token,
            from,
            to,
            ...(kind !== "erc20" && { id: `${tokenId}` }),
            ...(kind !== "erc721" && { value: `${value}` }),
          }),
        ),
    ),
    ...internals.map(({ type, from, to, value, isReverted }) =>
      internalText(raw, { type, from, to, value: `${value}`, reverted: isReverted }),
    ),
  ];
}
