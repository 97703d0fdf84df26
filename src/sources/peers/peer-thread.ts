/**
 * The thread of `peers-apart.ts`: connections to peers, their messages, and the blocks that are fetched and verified from them. The thread that
 * executes blocks is never in the way of a ping (p2p.md 22, 23).
 */
import { parentPort } from "node:worker_threads";
import { pino } from "pino";
import { formatNodeId } from "../../base/bytes/cb58.ts";
import type { Id, NodeId } from "../../base/bytes/id.ts";
import { ThreadCalls } from "../../base/work/thread-calls.ts";
import type { Voters } from "../../p2p/accepted-frontier.ts";
import { PeerNetwork } from "../../p2p/peer-network.ts";
import type { SentMessage } from "../../p2p/wire/message-codec.ts";
import type { Progress, SourceItem } from "../source.ts";
import { PeerSource } from "./peer-source.ts";
import type { ApartOptions, ConnectedPeer, FromThread, ToThread } from "./peers-apart.ts";

const STATUS_EVERY_MS = 250;
const PEERS_EVERY_MS = 1_000;

const port = parentPort!;
const post = (message: FromThread) => port.postMessage(message);
const held = new Set<Id>();
let peers: PeerNetwork | undefined;
let source: PeerSource | undefined;
let items: AsyncIterator<readonly SourceItem[]> | undefined;
let stopping = new AbortController();
let ending: Promise<void> = Promise.resolve();
let arePeersChanged = true;
let peersToldAt = 0;
/** what the other side has said last, which it says again only after a change */
let voters: Voters = new Map();

const calls = new ThreadCalls(post, {
  /** Resolves to the port at which peers may connect. */
  async open(options: ApartOptions): Promise<number | undefined> {
    const { identity, rules, beacons, listening, logLevel, ...more } = options;
    const log = pino({ level: logLevel, base: null, timestamp: false }, { write: (line: string) => post({ line }) });
    const network = new PeerNetwork({
      identity,
      rules,
      beacons,
      serve: (request, from) => calls.call<SentMessage | undefined>("serve", request, from),
      onConnected: ({ nodeId: peer, isInbound }) => {
        arePeersChanged = true;
        log.debug({ peer: formatNodeId(peer), isInbound }, "A peer is connected");
      },
      onEnd: (peer, { fault, message }) => {
        arePeersChanged = true;
        log.debug({ peer: peer && formatNodeId(peer), fault, reason: message }, "A peer is gone");
      },
    });
    peers = network;
    const bound = listening && (await network.listen(listening.port, listening.ip));
    source = new PeerSource({
      ...more,
      peers: network,
      bootstrappers: beacons.map(({ nodeId }) => nodeId),
      executed: {
        async validators() {
          const { height, voters: changed } = await calls.call<{ height: bigint; voters: Voters | undefined }>("validators");
          voters = changed ?? voters;
          return { height, voters };
        },
        containerAt: (chainId, height) => calls.call("containerAt", chainId, height),
      },
      log,
    });
    setInterval(tell, STATUS_EVERY_MS);
    return bound;
  },
  async begin(from: Progress): Promise<void> {
    await end();
    stopping = new AbortController();
    items = source!.items(from, { signal: stopping.signal, isHeld: (chainId) => held.has(chainId) })[Symbol.asyncIterator]();
  },
  /** undefined: it was ended */
  async next(): Promise<readonly SourceItem[] | undefined> {
    const read = await items?.next();
    tell();
    return read === undefined || read.done ? undefined : read.value;
  },
  end,
  async close(): Promise<void> {
    // the connections that are closed end what waits for an answer
    await Promise.all([end(), source?.close()]);
  },
});

/** Resolves once nothing is read any more: two readings at once would write the same files. */
function end(): Promise<void> {
  const ended = items;
  items = undefined;
  stopping.abort();
  // whoever read was told of its failure
  ending = ending
    .then(() => ended?.return?.(undefined))
    .then(
      () => {},
      () => {},
    );
  return ending;
}

function tell(): void {
  if (source === undefined || peers === undefined) return;
  post({ status: source.status() });
  const now = performance.now();
  if (!arePeersChanged && now - peersToldAt < PEERS_EVERY_MS) return;
  arePeersChanged = false;
  peersToldAt = now;
  post({ peers: peers.peers.map((peer) => toldOf(peer, now)) });
}

/** Without what cannot be copied. */
function toldOf(peer: PeerNetwork["peers"][number], now: number): ConnectedPeer {
  const { nodeId, remote, observedUptime, introduction, lastSentAt, lastReceivedAt } = peer;
  return { nodeId, remote, observedUptime, introduction: introduction!, sentMsAgo: now - lastSentAt, receivedMsAgo: now - lastReceivedAt };
}

port.on("message", (message: ToThread) => {
  if ("held" in message) {
    held.clear();
    for (const chainId of message.held) held.add(chainId);
  } else if ("send" in message) {
    peers?.send(message.to as NodeId, message.send);
  } else calls.take(message);
});
