/**
 * One connection to a peer: frames in and out, the handshake, and pings (p2p.md 5 and 7). Until both sides have introduced themselves, nothing
 * but that is taken. A peer that breaks a rule for which the network's nodes let go of a peer is let go of here, too.
 */
import type { Duplex } from "node:stream";
import type { NodeId } from "../base/bytes/id.ts";
import type { Introduction } from "./handshake.ts";
import type { PeerClock } from "./peer-clock.ts";
import { FrameReader, frameOf } from "./wire/frames.ts";
import { decodePeerMessage, encodePeerMessage, type MessageKind, type PeerMessage, type SentMessage } from "./wire/message-codec.ts";
import { P2pError } from "./wire/p2p-error.ts";

const PING_EVERY_MS = 22_500;
/** without a complete message */
const SILENCE_MS = 30_000;
/** More waits for a peer that does not read: further messages are dropped, as the network's nodes do. */
const MAX_QUEUED_BYTES = 8 * 2 ** 20;
/** messages of one peer that are being answered at once; it is read on when fewer are */
const MAX_UNANSWERED = 16;
const MAX_UPTIME = 100;
/** for which the handshake is still sent to a peer that is let go of */
const LAST_WORD_MS = 1_000;
const BEFORE_READY: ReadonlySet<MessageKind> = new Set(["ping", "pong", "handshake", "getPeerList", "peerList"]);

export interface PeerConnectionOptions {
  readonly socket: Duplex;
  readonly nodeId: NodeId;
  /** of the peer, DER */
  readonly certificate: Uint8Array;
  readonly isInbound: boolean;
  /** the socket's other end: address and port */
  readonly remote: string;
  readonly clock: PeerClock;
  /** the handshake and the list of peers to send, made when they are sent */
  readonly handshake: () => SentMessage;
  readonly firstPeerList: (introduction: Introduction) => SentMessage;
  /** Rejects with a P2pError. */
  readonly check: (message: PeerMessage & { case: "handshake" }) => Promise<Introduction>;
  /** Called once, when both sides have introduced themselves. */
  readonly onReady: (connection: PeerConnection) => void;
  /** Takes a list of peers at any time, all else once it is ready. If it throws a P2pError, the peer is let go. */
  readonly onMessage: (message: PeerMessage, connection: PeerConnection) => void | Promise<void>;
  /** Called for each message to be sent. */
  readonly onSend: (isDropped: boolean) => void;
  /** Called once. */
  readonly onEnd: (connection: PeerConnection, reason: P2pError) => void;
}

export class PeerConnection {
  readonly nodeId: NodeId;
  readonly certificate: Uint8Array;
  readonly isInbound: boolean;
  readonly remote: string;
  /** by the clock that never goes back, in milliseconds */
  readonly connectedAt: number;
  readonly #options: PeerConnectionOptions;
  readonly #frames = new FrameReader();
  #introduction: Introduction | undefined;
  #hasHandshake = false;
  #isReady = false;
  #end: P2pError | undefined;
  #lastSentAt: number;
  #lastReceivedAt: number;
  #awaitsPong = false;
  #pongIsDue = false;
  #unanswered = 0;
  #isChecking = false;
  /** messages that have arrived and are not read yet, at most those of a few pieces */
  readonly #waiting: Buffer[] = [];
  #stopSilence: (() => void) | undefined;
  #stopPings: (() => void) | undefined;
  bytesReceived = 0;
  bytesSent = 0;
  /** messages that were not understood, or dropped */
  ignored = 0;
  /** percent, as the peer sees this node */
  observedUptime = 0;

  constructor(options: PeerConnectionOptions) {
    this.#options = options;
    this.nodeId = options.nodeId;
    this.certificate = options.certificate;
    this.isInbound = options.isInbound;
    this.remote = options.remote;
    const { socket, clock } = options;
    this.connectedAt = clock.nowMs();
    this.#lastSentAt = this.connectedAt;
    this.#lastReceivedAt = this.connectedAt;
    socket.on("data", (piece: Buffer) => this.#take(piece));
    socket.on("error", (cause: Error) => this.close(new P2pError("closed", `the connection broke: ${cause.message}`, { cause })));
    socket.on("end", () => this.close(new P2pError("closed", this.#farewell)));
    socket.on("close", () => this.close(new P2pError("closed", "the connection was closed")));
    this.#watchSilence();
    this.#pingLater();
    this.send(options.handshake());
  }

  /** undefined until the peer has introduced itself */
  get introduction(): Introduction | undefined {
    return this.#introduction;
  }

  get isReady(): boolean {
    return this.#isReady;
  }

  /** by the clock that never goes back, in milliseconds */
  get lastSentAt(): number {
    return this.#lastSentAt;
  }

  get lastReceivedAt(): number {
    return this.#lastReceivedAt;
  }

  /** bytes of messages that it has not read yet */
  get queuedBytes(): number {
    return this.#options.socket.writableLength;
  }

  /** Returns false if the message was dropped. */
  send(message: SentMessage): boolean {
    const isDropped = this.#end !== undefined || this.#options.socket.writableLength > MAX_QUEUED_BYTES;
    this.#options.onSend(isDropped);
    if (isDropped) return false;
    const frame = frameOf(encodePeerMessage(message));
    this.#options.socket.write(frame);
    this.bytesSent += frame.length;
    this.#lastSentAt = this.#options.clock.nowMs();
    return true;
  }

  close(reason: P2pError): void {
    if (this.#end !== undefined) return;
    this.#end = reason;
    this.#stopSilence?.();
    this.#stopPings?.();
    this.#endSocket();
    this.#options.onEnd(this, reason);
  }

  get #farewell(): string {
    return this.#hasHandshake ? "it closed the connection" : "it closed the connection before it introduced itself";
  }

  /** A peer that is let go of at once shall learn from this handshake why, such as that it is of another network. */
  #endSocket(): void {
    const { socket, clock } = this.#options;
    if (this.#isReady || socket.destroyed) {
      socket.destroy();
      return;
    }
    const stop = clock.after(LAST_WORD_MS, () => socket.destroy());
    socket.end(() => {
      stop();
      socket.destroy();
    });
  }

  #take(piece: Buffer): void {
    this.bytesReceived += piece.length;
    this.#guarded(() => {
      for (const payload of this.#frames.take(piece)) this.#waiting.push(payload);
    });
    this.#readOn();
  }

  /** Reads what has arrived, until it is held back. */
  #readOn(): void {
    this.#guarded(() => {
      while (this.#end === undefined && !this.#isHeld) {
        const payload = this.#waiting.shift();
        if (payload === undefined) break;
        this.#read(payload);
      }
    });
    if (this.#end !== undefined) return;
    if (this.#isHeld) this.#options.socket.pause();
    else this.#options.socket.resume();
  }

  /** A peer's messages wait while its handshake is checked, and while many of them are being answered. */
  get #isHeld(): boolean {
    return this.#isChecking || this.#unanswered >= MAX_UNANSWERED;
  }

  #guarded(run: () => void): void {
    try {
      run();
    } catch (error) {
      if (!(error instanceof P2pError)) throw error;
      this.close(error);
    }
  }

  #read(payload: Uint8Array): void {
    const message = decodePeerMessage(payload);
    if (message === undefined) {
      this.ignored++;
      return;
    }
    this.#lastReceivedAt = this.#options.clock.nowMs();
    if (!this.#isReady && !BEFORE_READY.has(message.case)) {
      this.ignored++;
      return;
    }
    switch (message.case) {
      case "ping":
        if (message.value.uptime > MAX_UPTIME) throw new P2pError("handshake", `it sees an uptime of ${message.value.uptime} percent`);
        this.observedUptime = message.value.uptime;
        this.#pongSoon();
        break;
      case "pong":
        if (!this.#awaitsPong) throw new P2pError("pong", "it answered a ping that was not sent");
        this.#awaitsPong = false;
        break;
      case "handshake":
        this.#introduce(message);
        break;
      case "peerList":
        if (this.#introduction === undefined) break;
        this.#answer(message);
        this.#becomeReady();
        break;
      default:
        if (this.#isReady) this.#answer(message);
    }
  }

  #introduce(message: PeerMessage & { case: "handshake" }): void {
    if (this.#hasHandshake) throw new P2pError("handshake", "it introduced itself twice");
    this.#hasHandshake = true;
    const { check, firstPeerList } = this.#options;
    this.#isChecking = true;
    check(message)
      .then((introduction) => {
        this.#introduction = introduction;
        this.send(firstPeerList(introduction));
      })
      .catch((error: unknown) => this.#closeFor(error))
      .finally(() => {
        this.#isChecking = false;
        this.#readOn();
      });
  }

  #becomeReady(): void {
    if (this.#isReady) return;
    this.#isReady = true;
    this.#options.onReady(this);
  }

  #answer(message: PeerMessage): void {
    const answering = this.#options.onMessage(message, this);
    if (answering === undefined) return;
    this.#unanswered++;
    answering
      .catch((error: unknown) => this.#closeFor(error))
      .finally(() => {
        this.#unanswered--;
        this.#readOn();
      });
  }

  #closeFor(error: unknown): void {
    this.close(error instanceof P2pError ? error : new P2pError("closed", String(error)));
  }

  /** A peer takes one pong, however many of its pings have come meanwhile. */
  #pongSoon(): void {
    if (this.#pongIsDue) return;
    this.#pongIsDue = true;
    setImmediate(() => {
      this.#pongIsDue = false;
      this.send({ case: "pong", value: {} });
    });
  }

  #pingLater(): void {
    this.#stopPings = this.#options.clock.after(PING_EVERY_MS, () => {
      this.#awaitsPong = true;
      this.send({ case: "ping", value: { uptime: 0 } });
      this.#pingLater();
    });
  }

  #watchSilence(): void {
    const { clock } = this.#options;
    const leftMs = this.#lastReceivedAt + SILENCE_MS - clock.nowMs();
    if (leftMs <= 0) {
      this.close(new P2pError("silent", `it said nothing for ${SILENCE_MS / 1000} s`));
      return;
    }
    this.#stopSilence = clock.after(leftMs, () => this.#watchSilence());
  }
}
