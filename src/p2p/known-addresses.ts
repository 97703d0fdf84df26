/** The signed addresses of nodes that peers have told, the newest of each node (p2p.md 6). */

import { nodeIdOfCertificate } from "../base/bytes/cb58.ts";
import type { NodeId } from "../base/bytes/id.ts";
import { BloomFilter } from "./bloom-filter.ts";
import { MAX_CLOCK_DIFFERENCE } from "./handshake.ts";
import { gossipId, ipBytes, ipText, isSignedAddress, type SignedAddress } from "./signed-address.ts";
import type { MessageOf, SentMessage } from "./wire/message-codec.ts";
import { P2pError } from "./wire/p2p-error.ts";

type SentAddress = MessageOf<"peerList">["addresses"][number];

export interface KnownAddress extends SignedAddress {
  readonly nodeId: NodeId;
  /** DER */
  readonly certificate: Uint8Array;
}

/** in a list of peers */
const MAX_LISTED = 15;
/** more than there are validators */
const MAX_KNOWN = 8192;
export const MAX_CERTIFICATE_BYTES = 2048;
const MAX_SIGNATURE_BYTES = 512;
const NO_TX = new Uint8Array(32);

export class KnownAddresses {
  readonly #byNode = new Map<NodeId, KnownAddress>();
  #filter = BloomFilter.for(0);
  #added = 0;

  get size(): number {
    return this.#byNode.size;
  }

  get(nodeId: NodeId): KnownAddress | undefined {
    return this.#byNode.get(nodeId);
  }

  get nodeIds(): IterableIterator<NodeId> {
    return this.#byNode.keys();
  }

  /** Forgets all but these. */
  keep(nodeIds: ReadonlySet<NodeId>): void {
    for (const nodeId of this.#byNode.keys()) if (!nodeIds.has(nodeId)) this.#byNode.delete(nodeId);
    this.renewFilter();
  }

  /** A filter of those that are known, by which peers leave them out. */
  get filter(): BloomFilter {
    return this.#filter;
  }

  /**
   * Takes a list that a peer sent: of each wanted node whose address is newer than the known one, once its signature is verified. Rejects with
   * a P2pError if an entry is none that a correct node passes on.
   */
  async learn({ addresses }: MessageOf<"peerList">, now: bigint, isWanted: (nodeId: NodeId) => boolean): Promise<KnownAddress[]> {
    if (addresses.length > MAX_LISTED)
      throw new P2pError("peer-list", `it sent a list of ${addresses.length} peers; at most ${MAX_LISTED} are taken`);
    const learned: KnownAddress[] = [];
    for (const address of addresses.map(readAddress)) {
      const known = this.#byNode.get(address.nodeId);
      if (!isWanted(address.nodeId) || (known !== undefined && known.signedAt >= address.signedAt)) continue;
      if (address.signedAt > now + MAX_CLOCK_DIFFERENCE || !(await isSignedAddress(address.certificate, address))) {
        throw new P2pError("peer-list", "it passed on an address that its node has not signed");
      }
      this.add(address);
      learned.push(address);
    }
    return learned;
  }

  /** Notes what a connected peer claims as its own; its signature has been verified. */
  add(address: KnownAddress): void {
    const known = this.#byNode.get(address.nodeId);
    if (known !== undefined && known.signedAt >= address.signedAt) return;
    const [oldest] = this.#byNode.keys();
    if (known === undefined && this.#byNode.size >= MAX_KNOWN) this.#byNode.delete(oldest!);
    this.#byNode.set(address.nodeId, address);
    this.#note(address);
  }

  /** Up to 15 of these, drawn at random, that the asker does not know by its filter. */
  listFor(asker: NodeId, known: BloomFilter | undefined, among: Iterable<KnownAddress>, random = Math.random): SentMessage {
    const unknown = [...among].filter(({ nodeId, signedAt }) => nodeId !== asker && known?.has(gossipId(nodeId, signedAt)) !== true);
    const drawn = unknown.map((address) => ({ address, at: random() })).sort((a, b) => a.at - b.at);
    return {
      case: "peerList",
      value: {
        addresses: drawn.slice(0, MAX_LISTED).map(({ address: { certificate, ip, port, signedAt, tlsSignature } }) => {
          return { certificate, ipAddr: ipBytes(ip), ipPort: port, signingTime: signedAt, tlsSignature, txId: NO_TX };
        }),
      },
    };
  }

  #note({ nodeId, signedAt }: KnownAddress): void {
    this.#filter.add(gossipId(nodeId, signedAt));
    if (++this.#added >= this.#filter.capacity) this.renewFilter();
  }

  /** A new filter with other seeds: whoever was left out by chance is told next time. */
  renewFilter(): void {
    this.#filter = BloomFilter.for(2 * this.#byNode.size);
    this.#added = this.#byNode.size;
    for (const { nodeId, signedAt } of this.#byNode.values()) this.#filter.add(gossipId(nodeId, signedAt));
  }
}

function readAddress({ certificate, ipAddr, ipPort, signingTime, tlsSignature }: SentAddress): KnownAddress {
  const ip = ipText(ipAddr);
  const port = ipPort & 0xffff;
  if (certificate.length === 0 || certificate.length > MAX_CERTIFICATE_BYTES || tlsSignature.length > MAX_SIGNATURE_BYTES) {
    throw new P2pError("peer-list", "it passed on a certificate or a signature that is none");
  }
  if (ip === undefined || port === 0) throw new P2pError("peer-list", "it passed on an address that is none");
  // copies: what is kept must not hold the whole message
  const own = Uint8Array.from(certificate);
  return {
    nodeId: nodeIdOfCertificate(own),
    certificate: own,
    ip,
    port,
    signedAt: signingTime,
    tlsSignature: Uint8Array.from(tlsSignature),
  };
}
