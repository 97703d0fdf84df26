/** Blocks whose signers are recovered ahead of execution: the same rows, and the same refusals, as without. */

import type { Worker } from "node:worker_threads";
import { describe, expect, test } from "vitest";
import { type Id, PLATFORM_CHAIN_ID } from "../../src/base/bytes/id.ts";
import { SharedSignatures } from "../../src/base/signatures/shared-signatures.ts";
import { SignaturesAhead } from "../../src/base/signatures/signatures-ahead.ts";
import { ingestSource, openAtGenesis } from "../../src/ingest/ingest-source.ts";
import { Ingester } from "../../src/ingest/ingester.ts";
import { networkInstance } from "../../src/ingest/network-instance.ts";
import { unwrapBlock } from "../../src/network/proposervm.ts";
import { openArchive } from "../../src/sources/archives/archive.ts";
import { headReader } from "../../src/sources/nodes/chain-reader.ts";
import type { BlockItem, Source } from "../../src/sources/source.ts";
import { openStore } from "../../src/store/open.ts";
import { recordedRows } from "../conformance/recorded-rows.ts";
import { type RecordingName, recordingFolder } from "../conformance/recordings.ts";
import { firstDifference, storeRows } from "../faults/store-rows.ts";
import { drawn } from "../share.ts";
import { scratchDirectory } from "../store/scratch.ts";
import { tampered } from "./tampered-source.ts";

/** Recovers all signers when they are handed over, so that execution finds every one: what a thread does, without its timing. */
class AllAhead extends SignaturesAhead {
  handedOver: number;

  constructor() {
    const all = (memory: SharedArrayBuffer) => {
      const shared = new SharedSignatures(memory);
      shared.recoverFree();
      this.handedOver += memory.byteLength;
    };
    super(1, () => ({ postMessage: all, unref() {}, on() {}, terminate: async () => 0 }) as unknown as Worker);
    this.handedOver = 0;
  }
}

async function ingest(source: Source, directory: string, signatures?: SignaturesAhead): Promise<void> {
  const store = await openStore({ directory, mode: "write", network: source.network, isTemporary: true });
  try {
    const open = () => openAtGenesis({ store, source, level: "full", ...(signatures && { signatures }) });
    await new Ingester({ store, open }).run(source);
  } finally {
    await store.close();
  }
}

function archive(name: RecordingName): Promise<Source> {
  return openArchive({ path: recordingFolder(name), instance: networkInstance });
}

describe("the rows are those of ingest without threads", () => {
  test.each(drawn("with signers recovered ahead", ["latest-1", "eras-1", "x-dag", "p-eras-old", "live-1"] as const, 1))(
    "%s",
    async (name) => {
      const [ahead, onThreads] = [scratchDirectory(), scratchDirectory()];
      // first: what is recovered once is remembered
      const all = new AllAhead();
      await ingest(await archive(name), ahead, all);
      expect(all.handedOver).toBeGreaterThan(0);
      const source = await archive(name);
      const store = await openStore({ directory: onThreads, mode: "write", network: source.network, isTemporary: true });
      await ingestSource({ store, source, level: "full", readThreads: 2 }).finally(() => store.close());
      const rows = await recordedRows(name);
      expect(firstDifference(await storeRows(ahead), rows)).toBeUndefined();
      expect(firstDifference(await storeRows(onThreads), rows)).toBeUndefined();
    },
  );
});

describe("a block with a bad signature is refused in the same words", () => {
  /** The last byte of a block of transfers is that of its last signature. */
  const withLastByte = (chainId: (source: Source) => Id, height: bigint, change: (byte: number) => number) => async () => {
    const source = await archive("latest-1");
    const chosen = chainId(source);
    return tampered("latest-1", (item) => (item.chainId === chosen && item.height === height ? changed(item, source, change) : item));
  };

  function changed(item: BlockItem, { network }: Source, change: (byte: number) => number): BlockItem {
    const read = headReader(item.chainId, network);
    const isInner = (bytes: Uint8Array) => {
      try {
        read(bytes);
        return true;
      } catch {
        return false;
      }
    };
    const { inner } = unwrapBlock(item.container, isInner, (bytes) => read(bytes).id);
    const container = Buffer.from(inner);
    container[container.length - 1] = change(container.at(-1)!);
    const { id: _, ...rest } = item;
    return { ...rest, container, isHeaderUnknown: true };
  }

  const refusal = async (source: Source, signatures?: SignaturesAhead) =>
    ingest(source, scratchDirectory(), signatures).then(
      () => "accepted",
      (error: Error) => error.message,
    );

  const chains: [string, (source: Source) => Id, bigint][] = [
    ["P", () => PLATFORM_CHAIN_ID, 36n],
    ["X", ({ network }) => network.xChainId, 119n],
  ];
  const changes: [string, (byte: number) => number, RegExp][] = [
    ["of another signer", (byte) => byte ^ 1, /wrong signature: expected signature from \w+ but got from \w+|invalid signature/],
    ["for a compressed key", (byte) => byte + 4, /wasn't expecting a compressed key/],
    ["that is none", () => 255, /invalid signature/],
  ];
  const all = chains.flatMap(([name, chainId, height]) => changes.map((change) => [name, ...change, chainId, height] as const));
  test.each(drawn("bad signatures", all, 2))("%s, %s", async (_, __, change, expected, chainId, height) => {
    const make = withLastByte(chainId, height, change);
    const all = new AllAhead();
    const [ahead, alone] = [await refusal(await make(), all), await refusal(await make())];
    expect(alone).toMatch(expected);
    expect(ahead).toBe(alone);
    expect(all.handedOver).toBeGreaterThan(0);
  });
});
