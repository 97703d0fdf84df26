/** Peers as a source, with all work on their messages in a thread of its own: what the thread that executes blocks sees of them. */
import type { Worker } from "node:worker_threads";
import type { Logger } from "pino";
import { EMPTY_ID, type Id, type NodeId, PLATFORM_CHAIN_ID } from "../../base/bytes/id.ts";
import { FirnError } from "../../base/errors/errors.ts";
import { startWorker } from "../../base/signatures/start-worker.ts";
import { ThreadCalls } from "../../base/work/thread-calls.ts";
import type { NetworkInstance } from "../../network/network.ts";
import type { Voters } from "../../p2p/accepted-frontier.ts";
import type { Introduction } from "../../p2p/handshake.ts";
import type { PeerIdentity, PeerNetworkOptions } from "../../p2p/peer-network.ts";
import type { PeerAddress } from "../../p2p/signed-address.ts";
import type { PeerMessage, SentMessage } from "../../p2p/wire/message-codec.ts";
import type { LiveItem } from "../nodes/merge-feeds.ts";
import type { LiveSource, Progress, ReadOptions, SourceStatus } from "../source.ts";
import type { ExecutedState, PeerSourceOptions } from "./peer-source.ts";

/** Options of the thread; all of them can be copied. */
export interface ApartOptions
  extends Pick<PeerSourceOptions, "network" | "networkFile" | "directory" | "mostFetchedBytes">,
    Pick<PeerNetworkOptions, "rules" | "beacons"> {
  readonly identity: PeerIdentity;
  /** where peers may connect; undefined: they may not */
  readonly listening: PeerAddress | undefined;
  readonly logLevel: string;
}

/** Milliseconds until it was told. */
export interface ConnectedPeer {
  readonly nodeId: NodeId;
  readonly remote: string;
  readonly observedUptime: number;
  readonly introduction: Introduction;
  readonly sentMsAgo: number;
  readonly receivedMsAgo: number;
}

type Call = Parameters<ThreadCalls["take"]>[0];
export type ToThread = Call | { readonly held: readonly Id[] } | { readonly to: NodeId; readonly send: SentMessage };
export type FromThread =
  | Call
  | { readonly status: SourceStatus }
  | { readonly peers: readonly ConnectedPeer[] }
  | { readonly line: string };

interface PeersApartOptions extends Omit<ApartOptions, "logLevel"> {
  readonly executed: ExecutedState;
  /** Answers a request of a peer; undefined: it gets no answer. */
  readonly serve: (request: PeerMessage, from: NodeId) => Promise<SentMessage | undefined>;
  readonly log: Logger;
}

interface Thread {
  readonly worker: Worker;
  readonly calls: ThreadCalls;
  /** the port at which peers may connect */
  readonly opened: Promise<number | undefined>;
}

const HELD_EVERY_MS = 50;
const UNKNOWN: SourceStatus = { seenAt: 0n, tips: new Map(), upstreams: [], prefetched: new Map() };
const LEVELS = { 20: "debug", 30: "info", 40: "warn", 50: "error" } as const;

export class PeersApart implements LiveSource {
  readonly network: NetworkInstance;
  readonly networkFile: Uint8Array;
  readonly otherChains = [];
  readonly hasVertices: boolean;
  readonly fractionRead = undefined;
  readonly #options: PeersApartOptions;
  #thread: Thread | undefined;
  #status = UNKNOWN;
  #peers: ReadonlyMap<NodeId, ConnectedPeer & { readonly toldAt: number }> = new Map();
  #voters: Voters | undefined;
  #isClosed = false;

  private constructor(options: PeersApartOptions) {
    const { network, networkFile } = options;
    this.network = network;
    this.networkFile = networkFile;
    this.hasVertices = network.upgrades.cortinaXChainStopVertexId !== EMPTY_ID;
    this.#options = options;
  }

  /** Rejects if another program has the port at which peers may connect. */
  static async open(options: PeersApartOptions): Promise<{ readonly peers: PeersApart; readonly port: number | undefined }> {
    const peers = new PeersApart(options);
    try {
      return { peers, port: await peers.#running().opened };
    } catch (error) {
      await peers.close();
      throw error;
    }
  }

  /** Peers that have introduced themselves, as of a moment ago. */
  get peers(): readonly (ConnectedPeer & { readonly toldAt: number })[] {
    return [...this.#peers.values()];
  }

  isConnected(nodeId: NodeId): boolean {
    return this.#peers.has(nodeId);
  }

  /** Returns false if the peer is not there. It may be gone, or not read, by the time that the message comes. */
  send(to: NodeId, send: SentMessage): boolean {
    if (!this.isConnected(to) || this.#thread === undefined) return false;
    this.#thread.worker.postMessage({ to, send } satisfies ToThread);
    return true;
  }

  /** Every node has them. */
  requireVertices(): Promise<void> {
    return Promise.resolve();
  }

  async *items(from: Progress, { signal, isHeld = () => false }: ReadOptions = {}): AsyncGenerator<readonly LiveItem[]> {
    const { worker, calls, opened } = this.#running();
    await opened;
    await calls.call("begin", from);
    const end = () => void calls.call("end").catch(() => {});
    signal?.addEventListener("abort", end, { once: true });
    const telling = this.#tellHeld(worker, isHeld);
    try {
      while (signal?.aborted !== true && !this.#isClosed) {
        const run = await calls.call<readonly LiveItem[] | undefined>("next");
        if (run === undefined) return;
        yield run;
      }
    } catch (error) {
      if (signal?.aborted !== true && !this.#isClosed) throw error;
    } finally {
      clearInterval(telling);
      signal?.removeEventListener("abort", end);
      end();
    }
  }

  status(): SourceStatus {
    return this.#status;
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    const thread = this.#thread;
    if (thread === undefined) return;
    await thread.calls.call("close").catch(() => {});
    await thread.worker.terminate();
  }

  /** Which chains are held changes while the thread waits for the others. */
  #tellHeld(worker: Worker, isHeld: (chainId: Id) => boolean): NodeJS.Timeout {
    const chains = [PLATFORM_CHAIN_ID, this.network.xChainId, this.network.cChainId];
    let told = "";
    const tell = () => {
      const held = chains.filter(isHeld);
      if (held.join() === told) return;
      told = held.join();
      worker.postMessage({ held } satisfies ToThread);
    };
    worker.postMessage({ held: [] } satisfies ToThread);
    tell();
    return setInterval(tell, HELD_EVERY_MS).unref();
  }

  /** One that has ended is started again by whoever reads next. */
  #running(): Thread {
    if (this.#thread !== undefined) return this.#thread;
    const { executed, serve, log, ...given } = this.#options;
    const worker = startWorker("./peer-thread.js", import.meta.url);
    const calls = new ThreadCalls((message) => worker.postMessage(message), {
      validators: async () => {
        const { height, voters } = await executed.validators();
        const isSame = voters === this.#voters;
        this.#voters = voters;
        return { height, voters: isSame ? undefined : voters };
      },
      containerAt: (chainId: Id, height: bigint) => executed.containerAt(chainId, height),
      serve: (request: PeerMessage, from: NodeId) => serve(request, from),
    });
    worker.on("message", (message: FromThread) => {
      if ("status" in message) this.#status = message.status;
      else if ("peers" in message) this.#note(message.peers);
      else if ("line" in message) this.#log(message.line);
      else calls.take(message);
    });
    const ended = (cause?: Error) => {
      this.#thread = undefined;
      this.#peers = new Map();
      this.#voters = undefined;
      calls.fail(new FirnError("peers", `the thread that talks to peers has ended: ${cause?.message ?? "it was stopped"}`, {}, { cause }));
    };
    worker.on("error", ended);
    worker.on("exit", () => ended());
    const opened = calls.call<number | undefined>("open", { ...given, logLevel: log.level } satisfies ApartOptions);
    // from then on it keeps no process alive
    void opened.catch(() => {}).finally(() => worker.unref());
    this.#thread = { worker, calls, opened };
    return this.#thread;
  }

  #note(peers: readonly ConnectedPeer[]): void {
    const toldAt = performance.now();
    this.#peers = new Map(peers.map((peer) => [peer.nodeId, { ...peer, toldAt }]));
  }

  #log(line: string): void {
    const { level, msg, ...facts } = JSON.parse(line) as { readonly level: keyof typeof LEVELS; readonly msg: string };
    this.#options.log[LEVELS[level] ?? "info"](facts, msg);
  }
}
