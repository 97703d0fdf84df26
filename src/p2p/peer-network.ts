/**
 * The peers of one network: whom to dial and when again, one connection for each node, lists of peers, requests and what is answered
 * (p2p.md 6, 7, 9 and 17). It knows no chain: requests are answered by whoever opened it.
 */
import { randomInt } from "node:crypto";
import { isIP } from "node:net";
import { connect, createServer, type Server, type TLSSocket } from "node:tls";
import { nodeIdOfCertificate } from "../base/bytes/cb58.ts";
import type { NodeId } from "../base/bytes/id.ts";
import { isPublicAddress } from "../base/public-address.ts";
import { BloomFilter } from "./bloom-filter.ts";
import { checkHandshake, handshakeOf, type PeerNetworkRules } from "./handshake.ts";
import { type KnownAddress, KnownAddresses, MAX_CERTIFICATE_BYTES } from "./known-addresses.ts";
import { type PeerClock, systemPeerClock } from "./peer-clock.ts";
import { PeerConnection } from "./peer-connection.ts";
import { type AnswerOf, NoAnswerError, type PeerRequest, type RequestKind, Requests } from "./requests.ts";
import { SendFailures } from "./send-failures.ts";
import { addressText, ipBytes, type OwnAddress, type PeerAddress } from "./signed-address.ts";
import type { PeerMessage, SentMessage } from "./wire/message-codec.ts";
import { P2pError, type PeerFault } from "./wire/p2p-error.ts";

/** Who one is to peers. */
export interface PeerIdentity {
  readonly nodeId: NodeId;
  /** PEM */
  readonly certificate: string;
  readonly key: string;
  readonly address: OwnAddress;
}

/** A peer that is dialled until it answers. If it proves to be another node than expected, it is let go of. */
export interface Beacon extends PeerAddress {
  readonly nodeId: NodeId;
}

export interface PeerNetworkOptions {
  readonly identity: PeerIdentity;
  readonly rules: PeerNetworkRules;
  readonly beacons: readonly Beacon[];
  /** most connections; default 1,024 */
  readonly maxPeers?: number;
  /** whether addresses that peers tell may be private: in networks of one machine; default: as the beacons' are */
  readonly dialsPrivate?: boolean;
  readonly clock?: PeerClock;
  /** Answers a request of a peer; undefined: it gets no answer. */
  readonly serve?: (request: PeerMessage, from: NodeId) => SentMessage | undefined | Promise<SentMessage | undefined>;
  readonly onConnected?: (peer: PeerConnection) => void;
  /** also called for who was never connected: a beacon that cannot be reached, or a stranger that broke a rule */
  readonly onEnd?: (nodeId: NodeId | undefined, reason: P2pError) => void;
}

const MAX_PEERS = 1024;
/** dialled because a peer named them, as long as it is not known who the validators are */
const MAX_STRANGERS = 64;
const HANDSHAKE_MS = 15_000;
const DIAL_MS = 30_000;
/** A node takes no second connection from one address within ten seconds. */
const FIRST_WAIT_MS = 10_000;
const LONGEST_WAIT_MS = 60_000;
const ASK_PEERS_EVERY_MS = 2_000;
/** for each peer: a list costs a hash for each that is connected */
const TELL_PEERS_EVERY_MS = 1_000;
const RENEW_FILTER_EVERY_MS = 60_000;
/** connections from strangers that have not proven who they are */
const MAX_UNPROVEN = 64;
/** answers that a peer has not read, and all peers together: beyond that, none is made */
const MAX_UNREAD_BYTES = 256 << 10;
const MAX_UNREAD_BYTES_OF_ALL = 64 << 20;
const UNREGISTERED_HANDLER = { errorCode: -2, errorMessage: "unregistered handler" };

/** A node's health reports this of its connections; milliseconds. */
export interface NetworkActivity {
  /** connections that peers began */
  readonly inbound: number;
  /** share of messages that were dropped lately */
  readonly sendFailRate: number;
  readonly outstandingRequests: number;
  readonly longestRequestMs: number;
  readonly upMs: number;
  /** absent: no message has come yet */
  readonly sinceReceivedMs?: number;
  readonly sinceSentMs?: number;
}

/** By the clock that never goes back, in milliseconds. */
interface LastMessages {
  readonly received?: number;
  readonly sent?: number;
}

function latest(before: LastMessages, { lastReceivedAt, lastSentAt }: PeerConnection): LastMessages {
  return { received: Math.max(before.received ?? 0, lastReceivedAt), sent: Math.max(before.sent ?? 0, lastSentAt) };
}

/** A node that is dialled, and how often that was in vain. */
interface Dialled {
  readonly nodeId: NodeId;
  readonly isBeacon: boolean;
  attempts: number;
  /** ends the attempt that is under way, or the waiting for the next one; undefined: neither is */
  stop: (() => void) | undefined;
}

export class PeerNetwork {
  readonly #options: PeerNetworkOptions;
  readonly #clock: PeerClock;
  readonly #connections = new Map<NodeId, PeerConnection>();
  readonly #dialled = new Map<NodeId, Dialled>();
  readonly #known = new KnownAddresses();
  readonly #requests: Requests;
  readonly #faults = new Map<PeerFault, number>();
  /** why each beacon that is not connected is not */
  readonly #reasons = new Map<NodeId, string>();
  readonly #sockets = new Set<TLSSocket>();
  readonly #stops = new Set<() => void>();
  readonly #dialsPrivate: boolean;
  readonly #toldPeersAt = new WeakMap<PeerConnection, number>();
  #server: Server | undefined;
  readonly #sendFailures: SendFailures;
  readonly #startedAt: number;
  /** of connections that ended */
  #lastMessages: LastMessages = {};
  /** bytes of connections that ended */
  readonly #ended = { received: 0, sent: 0 };
  #unproven = 0;
  #wanted: ReadonlySet<NodeId> | undefined;
  #isClosed = false;

  constructor(options: PeerNetworkOptions) {
    this.#options = options;
    this.#clock = options.clock ?? systemPeerClock;
    this.#startedAt = this.#clock.nowMs();
    this.#sendFailures = new SendFailures(this.#startedAt);
    this.#requests = new Requests(this.#clock, randomInt(2 ** 32));
    this.#dialsPrivate = options.dialsPrivate ?? options.beacons.some(({ ip }) => !isPublicAddress(ip));
    for (const { nodeId } of options.beacons) this.#dial(nodeId, true);
    this.#repeat(ASK_PEERS_EVERY_MS, () => this.#askForPeers());
    this.#repeat(RENEW_FILTER_EVERY_MS, () => this.#known.renewFilter());
  }

  /** Peers that have introduced themselves. */
  get peers(): readonly PeerConnection[] {
    return [...this.#connections.values()].filter(({ isReady }) => isReady);
  }

  /** number of connections that ended, by reason */
  get faults(): ReadonlyMap<PeerFault, number> {
    return this.#faults;
  }

  /** Why a beacon is not connected, as a sentence; undefined: it was not tried yet, or is. */
  reasonOf(nodeId: NodeId): string | undefined {
    return this.#reasons.get(nodeId);
  }

  /** Bytes of all connections, since it began. */
  get traffic(): { readonly received: number; readonly sent: number } {
    let { received, sent } = this.#ended;
    for (const peer of this.#connections.values()) {
      received += peer.bytesReceived;
      sent += peer.bytesSent;
    }
    return { received, sent };
  }

  get activity(): NetworkActivity {
    const { sent, received } = this.peers.reduce(latest, this.#lastMessages);
    const now = this.#clock.nowMs();
    return {
      inbound: this.peers.filter(({ isInbound }) => isInbound).length,
      sendFailRate: this.#sendFailures.rate,
      outstandingRequests: this.#requests.waiting,
      longestRequestMs: this.#requests.longestMs,
      upMs: now - this.#startedAt,
      ...(received !== undefined && { sinceReceivedMs: now - received }),
      ...(sent !== undefined && { sinceSentMs: now - sent }),
    };
  }

  get knownAddresses(): number {
    return this.#known.size;
  }

  /** The validators: from now on only they are dialled, beside the beacons, and only their addresses are kept. */
  want(nodeIds: ReadonlySet<NodeId>): void {
    this.#wanted = nodeIds;
    this.#known.keep(nodeIds);
    for (const nodeId of this.#known.nodeIds) this.#dialIfMay(nodeId);
  }

  isConnected(nodeId: NodeId): boolean {
    return this.#connections.get(nodeId)?.isReady === true;
  }

  /** Takes connections, too. Resolves to the port. Rejects if another program has it. */
  listen(port: number, host: string): Promise<number> {
    const { certificate: cert, key } = this.#options.identity;
    const server = createServer({
      cert,
      key,
      requestCert: true,
      rejectUnauthorized: false,
      minVersion: "TLSv1.3",
      handshakeTimeout: HANDSHAKE_MS,
    });
    this.#server = server;
    server.on("connection", (socket) => {
      if (this.#unproven >= MAX_UNPROVEN || this.#sockets.size >= this.#maxPeers) {
        socket.destroy();
        return;
      }
      this.#unproven++;
      socket.once("close", () => this.#unproven--);
      socket.on("error", () => {});
    });
    server.on("secureConnection", (socket) => this.#accept(socket, undefined));
    server.on("tlsClientError", () => this.#count("closed"));
    return new Promise((resolve, reject) => {
      server.once("error", reject);
      server.listen(port, host, () => resolve((server.address() as { readonly port: number }).port));
    });
  }

  /** Rejects with a NoAnswerError. */
  request<K extends RequestKind>(nodeId: NodeId, request: PeerRequest<K>): Promise<AnswerOf<K>> {
    const peer = this.#connections.get(nodeId);
    if (peer?.isReady !== true) return Promise.reject(new NoAnswerError("disconnected", "the peer is not connected"));
    return this.#requests.ask(nodeId, request, (message) => peer.send(message));
  }

  /** Sends a message that wants no answer; returns false if the peer is not there or does not read. */
  send(nodeId: NodeId, message: SentMessage): boolean {
    const peer = this.#connections.get(nodeId);
    return peer?.isReady === true && peer.send(message);
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    for (const stop of [...this.#stops]) stop();
    for (const { stop } of this.#dialled.values()) stop?.();
    for (const peer of [...this.#connections.values()]) peer.close(new P2pError("closed", "this node stops"));
    for (const socket of [...this.#sockets]) socket.destroy();
    const server = this.#server;
    if (server !== undefined) await new Promise((resolve) => server.close(resolve));
  }

  get #maxPeers(): number {
    return this.#options.maxPeers ?? MAX_PEERS;
  }

  #repeat(everyMs: number, run: () => void): void {
    const stop = this.#clock.after(everyMs, () => {
      this.#stops.delete(stop);
      if (this.#isClosed) return;
      run();
      this.#repeat(everyMs, run);
    });
    this.#stops.add(stop);
  }

  // Dialling

  #dial(nodeId: NodeId, isBeacon: boolean): void {
    if (this.#isClosed || nodeId === this.#options.identity.nodeId || this.#connections.has(nodeId)) return;
    const dialled = this.#dialled.get(nodeId) ?? { nodeId, isBeacon, attempts: 0, stop: undefined };
    if (dialled.stop !== undefined) return;
    this.#dialled.set(nodeId, dialled);
    const address = this.#addressOf(nodeId);
    if (address === undefined || (!isBeacon && this.#sockets.size >= this.#maxPeers)) {
      this.#dialLater(dialled);
      return;
    }
    const { certificate: cert, key } = this.#options.identity;
    const socket = connect({ host: address.ip, port: address.port, cert, key, rejectUnauthorized: false, minVersion: "TLSv1.3" });
    this.#hold(socket);
    dialled.stop = () => socket.destroy();
    const stop = this.#clock.after(DIAL_MS, () => socket.destroy(new Error(`no connection within ${DIAL_MS / 1000} s`)));
    const fail = (cause: Error | undefined) => {
      stop();
      dialled.stop = undefined;
      const reason = cause?.message ?? "it closed the connection before it said who it is";
      this.#end(nodeId, new P2pError("unreachable", `${address.ip}:${address.port} cannot be reached: ${reason}`, { cause }));
      this.#dialLater(dialled);
    };
    let problem: Error | undefined;
    const noteProblem = (cause: Error) => {
      problem = cause;
    };
    const onClose = () => fail(problem);
    socket.on("error", noteProblem);
    socket.once("close", onClose);
    socket.once("secureConnect", () => {
      stop();
      dialled.stop = undefined;
      socket.off("close", onClose);
      this.#accept(socket, dialled);
    });
  }

  #dialLater(dialled: Dialled): void {
    if (this.#isClosed || dialled.stop !== undefined) return;
    if (!dialled.isBeacon && (this.#wanted === undefined ? dialled.attempts > 8 : !this.#wanted.has(dialled.nodeId))) {
      this.#dialled.delete(dialled.nodeId);
      return;
    }
    const waitMs = Math.min(LONGEST_WAIT_MS, FIRST_WAIT_MS * 2 ** dialled.attempts++) * (1 + Math.random());
    dialled.stop = this.#clock.after(waitMs, () => {
      dialled.stop = undefined;
      this.#dial(dialled.nodeId, dialled.isBeacon);
    });
  }

  #addressOf(nodeId: NodeId): PeerAddress | undefined {
    const claimed = this.#known.get(nodeId);
    return this.#options.beacons.find((beacon) => beacon.nodeId === nodeId) ?? claimed;
  }

  #hold(socket: TLSSocket): void {
    this.#sockets.add(socket);
    socket.once("close", () => this.#sockets.delete(socket));
  }

  // Connections

  /** @param dialled undefined: it came by itself */
  #accept(socket: TLSSocket, dialled: Dialled | undefined): void {
    if (dialled === undefined) {
      this.#unproven--;
      socket.once("close", () => this.#unproven++);
      this.#hold(socket);
    }
    const certificate = socket.getPeerX509Certificate()?.raw;
    const isUsable = certificate !== undefined && certificate.length <= MAX_CERTIFICATE_BYTES;
    const nodeId = isUsable ? nodeIdOfCertificate(certificate) : undefined;
    const refusal = this.#refusalOf(nodeId, dialled);
    if (refusal !== undefined || certificate === undefined || nodeId === undefined) {
      socket.on("error", () => {});
      socket.destroy();
      // a beacon is known by the ID under which it was named
      if (refusal !== undefined) this.#end(dialled?.nodeId ?? nodeId, refusal);
      if (dialled !== undefined) this.#dialLater(dialled);
      return;
    }
    const { identity, rules } = this.#options;
    const connection = new PeerConnection({
      socket,
      nodeId,
      certificate,
      isInbound: dialled === undefined,
      remote: addressText(`${socket.remoteAddress}`, socket.remotePort ?? 0),
      clock: this.#clock,
      handshake: () => handshakeOf(rules, identity.address, this.#clock.unixSeconds(), ipBytes(identity.address.ip), this.#known.filter),
      firstPeerList: ({ knownPeers }) => this.#known.listFor(nodeId, knownPeers, this.#connectedAddresses()),
      check: ({ value }) => checkHandshake(value, certificate, rules, this.#clock.unixSeconds()),
      onReady: (ready) => {
        if (dialled !== undefined) dialled.attempts = 0;
        this.#reasons.delete(nodeId);
        if (this.#wanted?.has(nodeId) !== false) this.#known.add({ ...ready.introduction!.address, nodeId, certificate });
        this.#options.onConnected?.(ready);
      },
      onMessage: (message, from) => this.#take(message, from),
      onSend: (isDropped) => this.#sendFailures.count(isDropped, this.#clock.nowMs()),
      onEnd: (ended, reason) => {
        if (this.#connections.get(nodeId) === ended) this.#connections.delete(nodeId);
        if (ended.isReady) this.#lastMessages = latest(this.#lastMessages, ended);
        this.#ended.received += ended.bytesReceived;
        this.#ended.sent += ended.bytesSent;
        this.#requests.abandon(nodeId);
        this.#end(nodeId, reason);
        // also a beacon that had come by itself
        const again = this.#dialled.get(nodeId);
        if (again !== undefined) this.#dialLater(again);
      },
    });
    this.#connections.set(nodeId, connection);
  }

  #refusalOf(nodeId: NodeId | undefined, dialled: Dialled | undefined): P2pError | undefined {
    if (this.#isClosed) return new P2pError("closed", "this node stops");
    if (nodeId === undefined) return new P2pError("identity", "it has no certificate, or one that is too long");
    if (nodeId === this.#options.identity.nodeId) return new P2pError("identity", "it is this node itself");
    // what a beacon says counts, so it has to be the one that was named
    if (dialled?.isBeacon && nodeId !== dialled.nodeId)
      return new P2pError("identity", "its certificate is that of another node than was named");
    if (this.#connections.has(nodeId)) return new P2pError("crowded", "it is connected already");
    // strangers leave room for those whom this node dials
    const isStranger = dialled === undefined && this.#wanted?.has(nodeId) !== true;
    const strangers = isStranger ? [...this.#connections.values()].filter(({ isInbound }) => isInbound).length : 0;
    if (isStranger && strangers >= Math.ceil(this.#maxPeers / 2))
      return new P2pError("crowded", "there are as many strangers as are taken");
    if (this.#connections.size >= this.#maxPeers) return new P2pError("crowded", "there are as many peers as are taken");
    return undefined;
  }

  #end(nodeId: NodeId | undefined, reason: P2pError): void {
    this.#count(reason.fault);
    if (this.#options.beacons.some((beacon) => beacon.nodeId === nodeId)) this.#reasons.set(nodeId!, reason.message);
    this.#options.onEnd?.(nodeId, reason);
  }

  #count(fault: PeerFault): void {
    this.#faults.set(fault, (this.#faults.get(fault) ?? 0) + 1);
  }

  // Messages

  #take(message: PeerMessage, from: PeerConnection): void | Promise<void> {
    switch (message.case) {
      case "peerList":
        return this.#learn(message, from);
      case "getPeerList":
        return this.#tellPeers(message, from);
      case "acceptedFrontier":
      case "accepted":
      case "ancestors":
      case "put":
      case "chits":
      case "appResponse":
      case "appError":
        if (!this.#requests.take(from.nodeId, message)) from.ignored++;
        return undefined;
      default:
        return this.#serve(message, from);
    }
  }

  async #learn(message: PeerMessage & { case: "peerList" }, from: PeerConnection): Promise<void> {
    const isWanted = (nodeId: NodeId) => nodeId !== this.#options.identity.nodeId && this.#wanted?.has(nodeId) !== false;
    for (const { nodeId } of await this.#known.learn(message.value, this.#clock.unixSeconds(), isWanted)) {
      if (nodeId !== from.nodeId) this.#dialIfMay(nodeId);
    }
  }

  #dialIfMay(nodeId: NodeId): void {
    const ip = this.#known.get(nodeId)?.ip ?? "";
    if (isIP(ip) === 0 || !(this.#dialsPrivate || isPublicAddress(ip))) return;
    if (this.#wanted !== undefined || this.#dialled.size < MAX_STRANGERS + this.#options.beacons.length) this.#dial(nodeId, false);
  }

  #tellPeers({ value: { knownPeers } }: PeerMessage & { case: "getPeerList" }, from: PeerConnection): void {
    const filter = knownPeers && BloomFilter.read(knownPeers.filter, knownPeers.salt);
    if (filter === undefined) throw new P2pError("peer-list", "it asked for peers without a Bloom filter of those that it knows");
    const now = this.#clock.nowMs();
    if (now - (this.#toldPeersAt.get(from) ?? Number.NEGATIVE_INFINITY) < TELL_PEERS_EVERY_MS) return;
    this.#toldPeersAt.set(from, now);
    const list = this.#known.listFor(from.nodeId, filter, this.#connectedAddresses());
    if (list.case === "peerList" && list.value.addresses?.length !== 0) from.send(list);
  }

  /** Only of nodes that are connected: others may be gone. */
  *#connectedAddresses(): Generator<KnownAddress> {
    for (const { nodeId } of this.peers) {
      const known = this.#known.get(nodeId);
      if (known !== undefined) yield known;
    }
  }

  async #serve(message: PeerMessage, from: PeerConnection): Promise<void> {
    const answer = this.#isFull(from) ? undefined : await this.#options.serve?.(message, from.nodeId);
    if (this.#isFull(from)) {
      from.ignored++;
    } else if (answer !== undefined) {
      from.send(answer);
    } else if (message.case === "appRequest") {
      const { chainId, requestId } = message.value;
      from.send({ case: "appError", value: { chainId, requestId, ...UNREGISTERED_HANDLER } });
    }
  }

  /** Whoever has not read the answers so far gets no more of them, so that those that are not read are bounded. */
  #isFull({ queuedBytes }: PeerConnection): boolean {
    if (queuedBytes === 0) return false;
    const all = [...this.#connections.values()].reduce((sum, peer) => sum + peer.queuedBytes, 0);
    return queuedBytes > MAX_UNREAD_BYTES || all > MAX_UNREAD_BYTES_OF_ALL;
  }

  #askForPeers(): void {
    const { peers } = this;
    const peer = peers.length === 0 ? undefined : peers[randomInt(peers.length)];
    const { filter } = this.#known;
    peer?.send({ case: "getPeerList", value: { knownPeers: { filter: filter.bytes, salt: filter.salt } } });
  }
}
