/** Peers for tests: identities, networks of this process, and a raw one that says whatever a test wants. */
import { createPrivateKey, X509Certificate } from "node:crypto";
import { once } from "node:events";
import { connect, type TLSSocket } from "node:tls";
import { makeStakingCertificate } from "../../src/api/state/certificate.ts";
import { nodeIdOfCertificate } from "../../src/base/bytes/cb58.ts";
import { BloomFilter } from "../../src/p2p/bloom-filter.ts";
import { handshakeOf, type PeerNetworkRules } from "../../src/p2p/handshake.ts";
import type { PeerClock } from "../../src/p2p/peer-clock.ts";
import { type PeerIdentity, PeerNetwork, type PeerNetworkOptions } from "../../src/p2p/peer-network.ts";
import { type PeerAddress, signAddress } from "../../src/p2p/signed-address.ts";
import { DEFAULT_VERSIONS } from "../../src/p2p/version.ts";
import { FrameReader, frameOf } from "../../src/p2p/wire/frames.ts";
import {
  decodePeerMessage,
  encodePeerMessage,
  type MessageKind,
  type MessageOf,
  type PeerMessage,
  type SentMessage,
} from "../../src/p2p/wire/message-codec.ts";
import type { P2pError } from "../../src/p2p/wire/p2p-error.ts";
import { eventually } from "../patience.ts";

export const RULES: PeerNetworkRules = { networkId: 12345, upgradeTime: 1_607_144_400n, versions: DEFAULT_VERSIONS };
const BLS_SECRET = Buffer.from("AvalancheLocalNetworkValidator01");
const LOCAL = "127.0.0.1";

/** Stands still until it is moved. */
export class ManualClock implements PeerClock {
  #ms = 0;
  readonly #waiting = new Set<{ readonly at: number; readonly run: () => void }>();

  unixSeconds(): bigint {
    return 1_700_000_000n + BigInt(Math.floor(this.#ms / 1000));
  }

  nowMs(): number {
    return this.#ms;
  }

  after(ms: number, run: () => void): () => void {
    const timer = { at: this.#ms + ms, run };
    this.#waiting.add(timer);
    return () => this.#waiting.delete(timer);
  }

  /** number of what is to run later */
  get waiting(): number {
    return this.#waiting.size;
  }

  /** Runs what is due, in its order. */
  move(ms: number): void {
    const end = this.#ms + ms;
    for (;;) {
      const next = [...this.#waiting].filter(({ at }) => at <= end).sort((a, b) => a.at - b.at)[0];
      if (next === undefined) break;
      this.#ms = Math.max(this.#ms, next.at);
      this.#waiting.delete(next);
      next.run();
    }
    this.#ms = end;
  }
}

export function makeIdentity(address: PeerAddress = { ip: LOCAL, port: 9651 }, signedAt = 1_600_000_000n): PeerIdentity {
  const { keyPem, certificatePem } = makeStakingCertificate(new Date(0));
  const tlsKey = createPrivateKey(keyPem);
  return {
    nodeId: nodeIdOfCertificate(new X509Certificate(certificatePem).raw),
    certificate: certificatePem,
    key: keyPem,
    address: signAddress(address, signedAt, { tlsKey, blsSecretKey: BLS_SECRET }),
  };
}

export interface TestPeers {
  readonly network: PeerNetwork;
  readonly identity: PeerIdentity;
  readonly port: number;
  /** reasons of all ends, in their order */
  readonly ends: P2pError[];
}

/** A network that listens; what it claims as its address is where it does. */
export async function startPeers(clock: PeerClock, options: Partial<PeerNetworkOptions> = {}): Promise<TestPeers> {
  const { keyPem, certificatePem } = makeStakingCertificate(new Date(0));
  const ends: P2pError[] = [];
  const identity = {
    nodeId: nodeIdOfCertificate(new X509Certificate(certificatePem).raw),
    certificate: certificatePem,
    key: keyPem,
    // the port is known once it listens
    address: signAddress({ ip: LOCAL, port: 1 }, 1_600_000_000n, { tlsKey: createPrivateKey(keyPem), blsSecretKey: BLS_SECRET }),
  };
  const network = new PeerNetwork({
    identity,
    rules: RULES,
    beacons: [],
    dialsPrivate: true,
    clock,
    onEnd: (_, reason) => ends.push(reason),
    ...options,
  });
  const port = await network.listen(0, LOCAL);
  identity.address = signAddress({ ip: LOCAL, port }, 1_600_000_000n, { tlsKey: createPrivateKey(keyPem), blsSecretKey: BLS_SECRET });
  return { network, identity, port, ends };
}

export function beaconOf({ identity, port }: TestPeers) {
  return { nodeId: identity.nodeId, ip: LOCAL, port };
}

/** A peer that follows no rules. */
export class RawPeer {
  readonly identity: PeerIdentity;
  readonly received: PeerMessage[] = [];
  readonly #socket: TLSSocket;
  isClosed = false;

  private constructor(socket: TLSSocket, identity: PeerIdentity) {
    this.#socket = socket;
    this.identity = identity;
    const frames = new FrameReader();
    socket.on("data", (piece: Buffer) => {
      for (const payload of frames.take(piece)) this.received.push(decodePeerMessage(payload)!);
    });
    socket.on("error", () => {});
    socket.on("close", () => {
      this.isClosed = true;
    });
  }

  static async connect(port: number, identity = makeIdentity()): Promise<RawPeer> {
    const { certificate: cert, key } = identity;
    const socket = connect({ host: LOCAL, port, cert, key, rejectUnauthorized: false, minVersion: "TLSv1.3" });
    const peer = new RawPeer(socket, identity);
    await once(socket, "secureConnect");
    return peer;
  }

  /** A valid handshake, with other members if they are given. */
  handshake(now: bigint, changes: Partial<MessageOf<"handshake">> = {}): SentMessage {
    const { address } = this.identity;
    const sent = handshakeOf(RULES, address, now, Buffer.from([127, 0, 0, 1]), BloomFilter.for(0));
    return { case: "handshake", value: { ...sent.value, ...changes } } as SentMessage;
  }

  send(...messages: readonly SentMessage[]): void {
    this.sendBytes(Buffer.concat(messages.map((message) => frameOf(encodePeerMessage(message)))));
  }

  sendBytes(bytes: Uint8Array): void {
    this.#socket.write(bytes);
  }

  async next<K extends MessageKind>(kind: K): Promise<MessageOf<K>> {
    await eventually(() => this.received.some((message) => message?.case === kind));
    return this.received.find((message) => message?.case === kind)!.value as MessageOf<K>;
  }

  /** Introduces itself properly. */
  async introduce(now: bigint): Promise<void> {
    this.send(this.handshake(now), { case: "peerList", value: {} });
    await this.next("peerList");
  }

  /** Reads nothing more. */
  pause(): void {
    this.#socket.pause();
  }

  close(): void {
    this.#socket.destroy();
  }
}

/** Field 2 of the envelope, which is compressed: blocks that each repeat one byte, 64 MiB in all. */
export function zstdBomb(): Buffer {
  const [blocks, blockBytes] = [512, 128 << 10];
  const frame = [Buffer.from("28b52ffd0058", "hex")];
  for (let block = 1; block <= blocks; block++) {
    const head = Buffer.alloc(4);
    head.writeUIntLE(blockBytes * 8 + 2 + (block === blocks ? 1 : 0), 0, 3);
    frame.push(head);
  }
  const compressed = Buffer.concat(frame);
  return Buffer.concat([Buffer.from([0x12, (compressed.length & 0x7f) | 0x80, compressed.length >> 7]), compressed]);
}
