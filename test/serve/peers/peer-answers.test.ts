/** What peers get from a store, held against the blocks of the recording in it. */

import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { PLATFORM_CHAIN_ID } from "../../../src/base/bytes/id.ts";
import { networkInstance } from "../../../src/ingest/network-instance.ts";
import type { NetworkInstance } from "../../../src/network/network.ts";
import { unwrapBlock } from "../../../src/network/proposervm.ts";
import type { PeerMessage, SentMessage } from "../../../src/p2p/wire/message-codec.ts";
import { PeerAnswers } from "../../../src/serve/peers/peer-answers.ts";
import { openArchive } from "../../../src/sources/archives/archive.ts";
import { headReader } from "../../../src/sources/nodes/chain-reader.ts";
import type { Store } from "../../../src/store/store.ts";
import { importUntil } from "../../conformance/checkpoints.ts";
import { recordingFolder } from "../../conformance/recordings.ts";
import { openToRead, removeStore } from "../../conformance/stores.ts";
import { FROM_GENESIS } from "../../sources/peers/served-peers.ts";

const directory = mkdtempSync(join(tmpdir(), "firn-peer-answers-"));
const P = Buffer.from(PLATFORM_CHAIN_ID, "hex");
const UNKNOWN = Buffer.alloc(32, 0x77);
const DEADLINE = 10_000_000_000n;
let store: Store;
let network: NetworkInstance;
/** of the P-chain, from height 1 on */
const blocks: { readonly id: Buffer; readonly bytes: Buffer }[] = [];
let answers: PeerAnswers;

beforeAll(async () => {
  const other = join(directory, "p");
  await importUntil(recordingFolder("latest-1"), other, {}, "replay");
  store = await openToRead(other);
  const archive = await openArchive({ path: recordingFolder("latest-1"), instance: networkInstance });
  network = archive.network;
  const readHead = headReader(PLATFORM_CHAIN_ID, network);
  for await (const items of archive.items(FROM_GENESIS)) {
    for (const item of items) {
      if (item.kind !== "block" || item.chainId !== PLATFORM_CHAIN_ID) continue;
      const { containerId } = unwrapBlock(
        item.container,
        () => true,
        (bytes) => readHead(bytes).id,
      );
      blocks.push({ id: Buffer.from(containerId, "hex"), bytes: Buffer.from(item.container) });
    }
  }
  answers = new PeerAnswers(store, network);
});

afterAll(async () => {
  await store.close();
  await removeStore(directory);
});

type Asked = { readonly case: string; readonly value: object };
/** The members of the answer; undefined: there is none. */
async function ask(asked: Asked, chainId: Uint8Array = P): Promise<Record<string, unknown> | undefined> {
  const request = { case: asked.case, value: { chainId, requestId: 7, deadline: DEADLINE, ...asked.value } } as unknown as PeerMessage;
  const answer = (await answers.answer(request)) as SentMessage | undefined;
  if (answer === undefined) return undefined;
  const { chainId: chain, requestId, ...rest } = answer.value as { chainId: Uint8Array; requestId: number };
  expect([Buffer.from(chain), requestId]).toEqual([Buffer.from(chainId), 7]);
  return { kind: answer.case, ...rest };
}

const hexes = (list: unknown) => (list as Uint8Array[]).map((bytes) => Buffer.from(bytes).toString("hex"));

describe("a peer that asks", () => {
  test("what is accepted gets the last container", async () => {
    const last = blocks.at(-1)!;
    expect(await ask({ case: "getAcceptedFrontier", value: {} })).toEqual({ kind: "acceptedFrontier", containerId: last.id });
  });

  test("which of some are accepted gets those that are", async () => {
    const containerIds = [blocks[3]!.id, UNKNOWN, blocks[1]!.id, Buffer.alloc(3), Buffer.alloc(32)];
    const answer = await ask({ case: "getAccepted", value: { containerIds } });
    expect(hexes(answer!.containerIds)).toEqual(hexes([blocks[3]!.id, blocks[1]!.id]));
  });

  test("about more than a question may have gets the first ones", async () => {
    const containerIds = [...Array.from({ length: 3_000 }, () => UNKNOWN), blocks[0]!.id];
    expect(await ask({ case: "getAccepted", value: { containerIds } })).toEqual({ kind: "accepted", containerIds: [] });
  });

  test("for ancestors gets the container and those before it, the newest first, as far as an answer goes", async () => {
    const at = Math.min(150, blocks.length - 1);
    const answer = await ask({ case: "getAncestors", value: { containerId: blocks[at]!.id, engine: 2 } });
    const given = hexes(answer!.containers);
    const expected = hexes(blocks.slice(0, at + 1).map(({ bytes }) => bytes)).reverse();
    // block 0 comes last, if there is room
    expect(given.slice(0, expected.length)).toEqual(expected);
    expect(given.length - expected.length).toBeLessThanOrEqual(1);
    expect(await ask({ case: "getAncestors", value: { containerId: UNKNOWN, engine: 2 } })).toEqual({ kind: "ancestors", containers: [] });
    // the P-chain has no vertices
    expect(await ask({ case: "getAncestors", value: { containerId: blocks[at]!.id, engine: 1 } })).toBeUndefined();
  });

  test("for one gets it, or nothing", async () => {
    expect(await ask({ case: "get", value: { containerId: blocks[5]!.id } })).toEqual({ kind: "put", container: blocks[5]!.bytes });
    expect(await ask({ case: "get", value: { containerId: UNKNOWN } })).toBeUndefined();
    expect(await ask({ case: "get", value: { containerId: Buffer.alloc(1) } })).toBeUndefined();
  });

  test("for a vote hears what is accepted, at the height that it asks about", async () => {
    const last = blocks.at(-1)!;
    const height = BigInt(blocks.length);
    const chits = (preferredIdAtHeight: Buffer) => ({
      ...{ kind: "chits", preferredId: last.id, acceptedId: last.id, preferredIdAtHeight },
      acceptedHeight: height,
    });
    for (const query of ["pullQuery", "pushQuery"]) {
      expect(await ask({ case: query, value: { requestedHeight: 4n } })).toEqual(chits(blocks[3]!.id));
      expect(await ask({ case: query, value: { requestedHeight: height } })).toEqual(chits(last.id));
      expect(await ask({ case: query, value: { requestedHeight: height + 100n } })).toEqual(chits(last.id));
      expect(await ask({ case: query, value: { requestedHeight: 2n ** 64n - 1n } })).toEqual(chits(last.id));
    }
  });

  test("about another chain, or for what is not answered, gets nothing", async () => {
    expect(await ask({ case: "getAcceptedFrontier", value: {} }, UNKNOWN)).toBeUndefined();
    expect(await ask({ case: "getAcceptedFrontier", value: {} }, Buffer.alloc(0))).toBeUndefined();
    expect(await ask({ case: "getStateSummaryFrontier", value: {} })).toBeUndefined();
    expect(await answers.answer({ case: "ping", value: { uptime: 1 } } as unknown as PeerMessage)).toBeUndefined();
  });
});
