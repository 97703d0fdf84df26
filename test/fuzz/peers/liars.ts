/**
 * A chain that is fetched from peers of whom a minority lies: which ones, how, and when is drawn from a seed. Beside them, strangers connect who
 * follow no rules, more than are taken.
 */
import { join } from "node:path";
import pino from "pino";
import type { Id } from "../../../src/base/bytes/id.ts";
import { FirnError } from "../../../src/base/errors/errors.ts";
import type { PeerClock } from "../../../src/p2p/peer-clock.ts";
import { frameOf } from "../../../src/p2p/wire/frames.ts";
import type { PeerMessage, SentMessage } from "../../../src/p2p/wire/message-codec.ts";
import { PeerAnswers } from "../../../src/serve/peers/peer-answers.ts";
import { StoredState } from "../../../src/serve/peers/stored-state.ts";
import { PeerSource } from "../../../src/sources/peers/peer-source.ts";
import { openToRead, openToWrite } from "../../conformance/stores.ts";
import { beaconOf, RawPeer, startPeers, zstdBomb } from "../../p2p/peers.ts";
import { delay } from "../../patience.ts";
import { randomOf } from "../../random.ts";
import { FROM_GENESIS, type ServedPeers } from "../../sources/peers/served-peers.ts";
import { scratchDirectory } from "../../store/scratch.ts";

export interface LiarOptions {
  readonly seed: number;
  readonly clock: PeerClock;
  /** also those who do not answer, whose requests end by the clock */
  readonly hasSilent: boolean;
}

const HONEST = 3;
const MOST_LIARS = 2;
const MOST_PEERS = 12;
const STRANGERS = 14;
const MOST_ATTEMPTS = 20;

type Lie = (answer: SentMessage, random: () => number) => SentMessage | undefined | Promise<SentMessage | undefined>;

const withContainers = (answer: SentMessage, change: (containers: Uint8Array[]) => Uint8Array[]): SentMessage =>
  answer.case === "ancestors"
    ? { case: "ancestors", value: { ...answer.value, containers: change([...(answer.value.containers ?? [])] as Uint8Array[]) } }
    : answer;

const LIES: Record<string, Lie> = {
  empty: (answer) => withContainers(answer, () => []),
  reversed: (answer) => withContainers(answer, (containers) => containers.reverse()),
  "cut short": (answer) => withContainers(answer, (containers) => containers.slice(0, 1)),
  "one bit": (answer, random) =>
    withContainers(answer, (containers) =>
      containers.map((bytes) => {
        const copy = Uint8Array.from(bytes);
        copy[Math.floor(random() * copy.length)]! ^= 1 << Math.floor(random() * 8);
        return copy;
      }),
    ),
  endless: (answer) => withContainers(answer, ([first = new Uint8Array(1)]) => Array.from({ length: 2_500 }, () => first.subarray(0, 500))),
  noise: (answer, random) => withContainers(answer, () => [Uint8Array.from({ length: 100_000 }, () => random() * 256)]),
  "another request": (answer) => ({ ...answer, value: { ...answer.value, requestId: 7 } }) as SentMessage,
  "another chain": (answer) => ({ ...answer, value: { ...answer.value, chainId: Buffer.alloc(32, 7) } }) as SentMessage,
  forged: (answer, random) => {
    const forged = Uint8Array.from({ length: 32 }, () => random() * 256);
    if (answer.case === "acceptedFrontier") return { ...answer, value: { ...answer.value, containerId: forged } };
    if (answer.case === "accepted") return { ...answer, value: { ...answer.value, containerIds: [forged] } };
    if (answer.case !== "chits") return answer;
    return { ...answer, value: { ...answer.value, acceptedId: forged, preferredIdAtHeight: forged, acceptedHeight: 1n << 60n } };
  },
  late: async (answer) => {
    await delay(20);
    return answer;
  },
  silent: () => undefined,
};

/** These answer nothing that was asked. */
const UNANSWERED = new Set(["silent", "another request", "another chain"]);

/** Holds what a source delivers against what it should, by chain and height. Resolves to the lies that were told. */
export async function fetchFromLiars(
  world: ServedPeers,
  expected: ReadonlyMap<string, string>,
  { seed, clock, hasSilent }: LiarOptions,
): Promise<readonly string[]> {
  const random = randomOf(seed);
  const store = await openToRead(world.directory);
  const answers = new PeerAnswers(store, world.network);
  const told = new Set<string>();
  const names = Object.keys(LIES).filter((name) => hasSilent || !UNANSWERED.has(name));
  const lying = async (request: PeerMessage): Promise<SentMessage | undefined> => {
    const answer = await answers.answer(request);
    const name = names[Math.floor(random() * names.length)]!;
    told.add(name);
    return answer && LIES[name]!(answer, random);
  };
  const liars = 1 + Math.floor(random() * MOST_LIARS);
  const { rules } = world;
  const peers = await Promise.all(
    Array.from({ length: HONEST + liars }, (_, i) =>
      startPeers(clock, { rules, serve: i < liars ? lying : (request) => answers.answer(request) }),
    ),
  );
  const beacons = peers.map(beaconOf);
  const own = await startPeers(clock, { rules, beacons, maxPeers: MOST_PEERS });
  const directory = scratchDirectory();
  const empty = await openToWrite(directory, world.network);
  const source = new PeerSource({
    network: world.network,
    networkFile: world.archive.networkFile,
    peers: own.network,
    bootstrappers: beacons.map(({ nodeId }) => nodeId),
    executed: new StoredState(empty),
    directory: join(directory, "peers"),
    log: pino({ level: "silent" }),
    lookEveryMs: 1,
    firstRestMs: 1,
    ...(random() < 0.5 && { mostHeld: 10n, checkpoints: (chain: string) => world.checkpoints.get(chain) ?? [] }),
  });
  const strangers = await Promise.all(Array.from({ length: STRANGERS }, () => stranger(own.port, random, told)));
  try {
    const given = new Map<string, string>();
    const heights = new Map<Id, bigint>();
    // a follower begins again where nobody gave a block
    for (let attempts = 0; given.size < expected.size; attempts++) {
      try {
        for await (const items of source.items({ ...FROM_GENESIS, heights: new Map(heights) })) {
          for (const item of items) {
            if (item.kind !== "block") continue;
            const key = `${item.chainId} ${item.height}`;
            const bytes = Buffer.from(item.container).toString("hex");
            if (expected.get(key) !== bytes) throw new Error(`seed ${seed}: ${key} is not the network's block`);
            if (given.has(key)) throw new Error(`seed ${seed}: ${key} was given twice`);
            given.set(key, bytes);
            heights.set(item.chainId, item.height);
          }
          if (given.size === expected.size) break;
        }
      } catch (error) {
        if (!(error instanceof FirnError) || attempts >= MOST_ATTEMPTS) throw error;
        told.add("begun again");
      }
    }
    return [...told];
  } finally {
    for (const each of strangers) each?.close();
    await source.close();
    await Promise.all(peers.map(({ network }) => network.close()));
    await empty.close();
    await store.close();
  }
}

/** Connects, and says something for which nodes let go of a peer, or nothing. */
async function stranger(port: number, random: () => number, told: Set<string>): Promise<RawPeer | undefined> {
  const peer = await RawPeer.connect(port).catch(() => undefined);
  const sent: Record<string, () => void> = {
    "oversized frame": () => peer?.sendBytes(Buffer.from("7fffffff", "hex")),
    "bytes of no message": () => peer?.sendBytes(Buffer.concat([Buffer.from("00000400", "hex"), Buffer.alloc(1024, 0xff)])),
    "compression bomb": () => {
      peer?.sendBytes(frameOf(zstdBomb()));
    },
    "other network": () => peer?.send(peer.handshake(1_700_000_000n, { networkId: 9 })),
    "two handshakes": () => peer?.send(peer.handshake(1_700_000_000n), peer.handshake(1_700_000_000n)),
    nothing: () => {},
  };
  const names = Object.keys(sent);
  const name = names[Math.floor(random() * names.length)]!;
  told.add(name);
  sent[name]!();
  return peer;
}

/** The blocks of a recording by chain and height, in hex. */
export async function blocksOf({ archive }: ServedPeers): Promise<ReadonlyMap<string, string>> {
  const blocks = new Map<string, string>();
  for await (const items of archive.items(FROM_GENESIS)) {
    for (const item of items)
      if (item.kind === "block") blocks.set(`${item.chainId} ${item.height}`, Buffer.from(item.container).toString("hex"));
  }
  return blocks;
}
