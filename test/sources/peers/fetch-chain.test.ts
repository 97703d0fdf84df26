/** The blocks of a recording, given by peers of this process, become an archive. */
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { gunzipSync, gzipSync } from "node:zlib";
import { afterEach, describe, expect, test } from "vitest";
import { formatNodeId } from "../../../src/base/bytes/cb58.ts";
import { encodeHexPlain } from "../../../src/base/bytes/hex.ts";
import { type Id, PLATFORM_CHAIN_ID } from "../../../src/base/bytes/id.ts";
import { fetchArchive } from "../../../src/cli/store/fetch-archive.ts";
import { verifyArchive } from "../../../src/ingest/archive/verify.ts";
import { networkInstance } from "../../../src/ingest/network-instance.ts";
import type { NetworkInstance } from "../../../src/network/network.ts";
import { unwrapBlock } from "../../../src/network/proposervm.ts";
import { systemPeerClock } from "../../../src/p2p/peer-clock.ts";
import { DEFAULT_VERSIONS } from "../../../src/p2p/version.ts";
import type { PeerMessage, SentMessage } from "../../../src/p2p/wire/message-codec.ts";
import { openArchive } from "../../../src/sources/archives/archive.ts";
import { segmentName } from "../../../src/sources/archives/block-files.ts";
import { headReader } from "../../../src/sources/nodes/chain-reader.ts";
import { importUntil } from "../../conformance/checkpoints.ts";
import { recordingFolder } from "../../conformance/recordings.ts";
import { startPeers, type TestPeers } from "../../p2p/peers.ts";
import { scratchDirectory } from "../../store/scratch.ts";

const UNTIL = { P: 120, X: 60, C: 60 };
const SEGMENT_BLOCKS = 25;

interface Recorded {
  readonly network: NetworkInstance;
  readonly networkFile: Uint8Array;
  /** containers by chain, in the order of heights from 1 on */
  readonly chains: ReadonlyMap<Id, readonly { readonly id: Id; readonly bytes: Uint8Array }[]>;
}

let recorded: Promise<Recorded> | undefined;

async function readRecorded(): Promise<Recorded> {
  const until = new Map(Object.entries(UNTIL).map(([chain, height]) => [chain, BigInt(height)]));
  const source = await openArchive({ path: recordingFolder("live-1"), instance: networkInstance, until });
  const { network } = source;
  const chains = new Map<Id, { id: Id; bytes: Uint8Array }[]>();
  for await (const items of source.items({ heights: new Map(), vertices: new Map(), sharedMemoryOperations: 0n })) {
    for (const item of items) {
      if (item.kind !== "block") continue;
      const readHead = headReader(item.chainId, network);
      const { containerId } = unwrapBlock(
        item.container,
        () => true,
        (bytes) => readHead(bytes).id,
      );
      chains.set(item.chainId, [...(chains.get(item.chainId) ?? []), { id: containerId, bytes: item.container }]);
    }
  }
  return { network, networkFile: source.networkFile, chains };
}

/** How a peer answers; each of these may lie. */
interface Manner {
  /** how many blocks of each chain it has; by default all */
  readonly has?: number;
  readonly ancestors?: (containers: Uint8Array[]) => Uint8Array[];
}

function serving({ chains }: Recorded, { has = Number.MAX_SAFE_INTEGER, ancestors = (containers) => containers }: Manner) {
  return ({ case: kind, value }: PeerMessage): SentMessage | undefined => {
    const { chainId, requestId } = value as { readonly chainId: Uint8Array; readonly requestId: number };
    const blocks = (chains.get(Buffer.from(chainId).toString("hex")) ?? []).slice(0, has);
    const known = (bytes: Uint8Array) => blocks.findIndex(({ id }) => id === Buffer.from(bytes).toString("hex"));
    if (kind === "getAcceptedFrontier")
      return { case: "acceptedFrontier", value: { chainId, requestId, containerId: Buffer.from(blocks.at(-1)?.id ?? "", "hex") } };
    if (kind === "getAccepted") {
      return { case: "accepted", value: { chainId, requestId, containerIds: value.containerIds.filter((id) => known(id) !== -1) } };
    }
    if (kind !== "getAncestors" && kind !== "get") return undefined;
    const at = known(value.containerId);
    const [one] = ancestors(blocks.slice(Math.max(0, at), Math.max(0, at) + 1).map(({ bytes }) => bytes));
    if (kind === "get") return one && { case: "put", value: { chainId, requestId, container: one } };
    const found = blocks.slice(Math.max(0, at - 29), at + 1).reverse();
    return { case: "ancestors", value: { chainId, requestId, containers: at === -1 ? [] : ancestors(found.map(({ bytes }) => bytes)) } };
  };
}

const started: TestPeers[] = [];
afterEach(async () => {
  await Promise.all(started.splice(0).map(({ network }) => network.close()));
});

/** A fetch from peers of these manners, all of them bootstrappers. */
async function fetching(
  manners: readonly Manner[],
  folder: string,
  more: {
    readonly signal?: AbortSignal;
    readonly onSegment?: () => void;
    readonly checkpoints?: (chain: string) => readonly Id[];
    readonly only?: string;
  } = {},
) {
  recorded ??= readRecorded();
  const { network, networkFile, chains } = await recorded;
  const beside = scratchDirectory();
  writeFileSync(join(beside, "network.json"), networkFile);
  writeFileSync(join(beside, "genesis-P.hex"), encodeHexPlain(network.genesisBytes));
  const rules = { networkId: network.networkId, upgradeTime: 0n, versions: DEFAULT_VERSIONS };
  const peers = await Promise.all(
    manners.map((manner) => startPeers(systemPeerClock, { rules, serve: serving({ network, networkFile, chains }, manner) })),
  );
  started.push(...peers);
  const segments: string[] = [];
  const options = {
    network: join(beside, "network.json"),
    genesis: undefined,
    folder,
    segmentBlocks: SEGMENT_BLOCKS,
    leastVersion: "1.15.0",
    wait: "3600",
    firstRestMs: 1,
    bootstrapIds: peers.map(({ identity }) => formatNodeId(identity.nodeId)),
    bootstrapIps: peers.map(({ port }) => `127.0.0.1:${port}`),
    signal: more.signal ?? new AbortController().signal,
    onSegment(file: string) {
      segments.push(file);
      more.onSegment?.();
    },
    onVertices() {},
    only: more.only,
    ...(more.checkpoints && { checkpoints: more.checkpoints }),
  };
  const total = await fetchArchive(options);
  return { total, segments };
}

const allBlocks = async () => [...(await recorded)!.chains.values()].reduce((sum, { length }) => sum + length, 0);

/** Block for block, each chain in its order. */
async function requireSameBlocks(folder: string): Promise<void> {
  const source = await openArchive({ path: folder, instance: networkInstance });
  const found = new Map<Id, string[]>();
  for await (const items of source.items({ heights: new Map(), vertices: new Map(), sharedMemoryOperations: 0n })) {
    for (const item of items) {
      if (item.kind === "block") found.set(item.chainId, [...(found.get(item.chainId) ?? []), Buffer.from(item.container).toString("hex")]);
    }
  }
  const expected = [...(await recorded)!.chains].map(
    ([chainId, blocks]) => [chainId, blocks.map(({ bytes }) => Buffer.from(bytes).toString("hex"))] as const,
  );
  expect(found).toEqual(new Map(expected));
}

describe("blocks of peers", () => {
  test("become an archive that is imported; it grows, and nothing is fetched twice", async () => {
    const folder = scratchDirectory();
    const first = await fetching([{ has: 30 }, { has: 30 }, { has: 30 }], folder);
    expect(first.total).toBe(90);
    const second = await fetching([{}, {}, {}], folder);
    expect(first.total + second.total).toBe(await allBlocks());
    expect((await fetching([{}, {}, {}], folder)).segments).toEqual([]);
    const { chains } = await verifyArchive(folder);
    expect(chains.every(({ first: lowest }) => lowest === 1n)).toBe(true);
    await requireSameBlocks(folder);
    await importUntil(folder, scratchDirectory(), {}, "replay");
  });

  test("are fetched on below what is there after the fetching was stopped anywhere", async () => {
    const folder = scratchDirectory();
    let total = 0;
    for (let stops = 1; stops < 100; stops++) {
      const stopping = new AbortController();
      let segments = 0;
      const run = await fetching([{}], folder, { signal: stopping.signal, onSegment: () => ++segments === 2 && stopping.abort() });
      total += run.total;
      if (!stopping.signal.aborted) break;
    }
    expect(total).toBe(await allBlocks());
    await requireSameBlocks(folder);
  });

  test("are fetched side by side from each checkpoint that is one, and none of them twice, wherever it is stopped", async () => {
    recorded ??= readRecorded();
    const { chains, network } = await recorded;
    const idOf = (chain: string) => (chain === "P" ? PLATFORM_CHAIN_ID : chain === "X" ? network.xChainId : network.cChainId);
    // also the first block, the last one, and one that nobody has
    const checkpoints = (chain: string) => [
      ...chains.get(idOf(chain))!.flatMap(({ id }, i) => (i % 13 === 0 || i === 119 ? [id] : [])),
      "ff".repeat(32),
    ];
    const folder = scratchDirectory();
    let total = 0;
    const segments: string[] = [];
    for (let stops = 1; stops < 100; stops++) {
      const stopping = new AbortController();
      let written = 0;
      const onSegment = () => ++written === 4 && stopping.abort();
      const run = await fetching([{}, {}, {}], folder, { signal: stopping.signal, onSegment, checkpoints });
      total += run.total;
      segments.push(...run.segments);
      if (!stopping.signal.aborted) break;
    }
    expect(total).toBe(await allBlocks());
    expect(new Set(segments).size).toBe(segments.length);
    expect(segments).toContain(`${segmentName("P", 15n, 27n)}.gz`);
    await requireSameBlocks(folder);
  });

  test("are taken from those who have them, whatever a minority says", async () => {
    const folder = scratchDirectory();
    const liars: Manner[] = [
      { ancestors: () => [] },
      { ancestors: (containers) => containers.map((bytes) => Buffer.concat([bytes, Buffer.of(0)])) },
      { ancestors: (containers) => [...containers].reverse() },
      { ancestors: (containers) => containers.map(() => new Uint8Array(100)) },
      { has: 10 },
    ];
    const { total } = await fetching([...liars, {}, {}, {}, {}, {}, {}], folder);
    expect(total).toBe(await allBlocks());
    expect(readdirSync(join(folder, "blocks")).filter((name) => name.endsWith(".part"))).toEqual([]);
    await requireSameBlocks(folder);
  });

  test("that no peer gives are told, with what to do", async () => {
    const silent: Manner = { ancestors: () => [] };
    await expect(fetching([silent, silent, silent], scratchDirectory())).rejects.toThrow(
      "no peer gives the newest block of the chain (the last reason: it does not have the container); try again later",
    );
    await expect(fetching([{ has: 0 }, { has: 0 }], scratchDirectory())).rejects.toThrow(
      "no block of the P-chain that the majority of the bootstrappers",
    );
  });

  test("of some chains alone are fetched, of those that there are", async () => {
    const folder = scratchDirectory();
    await fetching([{}], folder, { only: "X" });
    expect(readdirSync(join(folder, "blocks")).every((name) => name.startsWith("X."))).toBe(true);
    await expect(fetching([{}], folder, { only: "P,Q" })).rejects.toThrow("--only has Q; use P, X and C");
    await expect(fetching([{}], folder, { only: "" })).rejects.toThrow("--only has no chain");
  });

  test("of another branch than the archive has are refused", async () => {
    const folder = scratchDirectory();
    await fetching([{ has: 10 }], folder);
    const [segment] = readdirSync(join(folder, "blocks")).filter((name) => name.startsWith("P."));
    const path = join(folder, "blocks", segment!);
    const lines = gunzipSync(readFileSync(path)).toString().trim().split("\n");
    const [first, last] = [JSON.parse(lines[0]!), JSON.parse(lines.at(-1)!)];
    const other = [...lines.slice(0, -1), JSON.stringify({ ...last, containerID: first.containerID })];
    writeFileSync(path, gzipSync(`${other.join("\n")}\n`));
    await expect(fetching([{}], folder)).rejects.toThrow(
      "the archive has another block 10 of chain P than the network; fetch into another folder",
    );
    writeFileSync(path, gzipSync(`${lines.slice(0, -1).join("\n")}\nnonsense\n`));
    await expect(fetching([{}], folder)).rejects.toThrow("the archive's block 10 of chain P cannot be read");
    writeFileSync(path, gzipSync(`${lines.slice(0, 3).join("\n")}\n`));
    await expect(fetching([{}], folder)).rejects.toThrow("ends before block 10; remove it and its line in SHA256SUMS, and fetch again");
  });
});
