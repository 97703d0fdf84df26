/**
 * Transactions that were issued here, told to validators (p2p.md 11): pushed at once and again, and given to those who ask for what they lack,
 * until a block has them. A peer's answer does not say whether it took one.
 */
import { BinaryReader, BinaryWriter, WireType } from "@bufbuild/protobuf/wire";
import type { Id, NodeId } from "../../base/bytes/id.ts";
import { BloomFilter } from "../../p2p/bloom-filter.ts";
import type { PeerClock } from "../../p2p/peer-clock.ts";
import type { PeerNetwork } from "../../p2p/peer-network.ts";
import type { SentMessage } from "../../p2p/wire/message-codec.ts";

export interface GossipedTx {
  readonly chainId: Id;
  readonly txId: Id;
  readonly bytes: Uint8Array;
}

interface TxGossipOptions {
  readonly peers: Pick<PeerNetwork, "send" | "isConnected">;
  readonly cChainId: Id;
  /** the validators, those with most stake first */
  readonly validators: () => Promise<readonly NodeId[]>;
  readonly isAccepted: (tx: GossipedTx) => Promise<boolean>;
  readonly clock: PeerClock;
}

/** Times by the clock that never goes back, in milliseconds. */
type Pending = GossipedTx & { readonly since: number; dueAt: number; waitMs: number };

/** of transactions, and of atomic ones of the C-chain */
const [TX_HANDLER, ATOMIC_TX_HANDLER] = [0, 1];
const GOSSIP_FIELD = 1;
const SALT_FIELD = 2;
const FILTER_FIELD = 3;
/** as many validators as the reference node pushes to */
const MOST_TOLD = 100;
const TOLD_AGAIN = 10;
/** A validator that is a block behind drops what spends the newest outputs: it is told again soon, and then less and less often. */
const FIRST_AGAIN_MS = 1_000;
const LONGEST_AGAIN_MS = 30_000;
const LOOK_EVERY_MS = 500;
const KEPT_MS = 600_000;
/** each has at most 64 KiB */
const MOST_PENDING = 512;
/** of an answer to one who pulls */
const TARGET_BYTES = 20 * 1024;

export class TxGossip {
  readonly #options: TxGossipOptions;
  readonly #pending = new Map<Id, Pending>();
  #stop: () => void = () => {};
  #isClosed = false;

  constructor(options: TxGossipOptions) {
    this.#options = options;
    this.#pushLater();
  }

  get size(): number {
    return this.#pending.size;
  }

  has(txId: Id): boolean {
    return this.#pending.has(txId);
  }

  /** Resolves to the number of validators that it was sent to. */
  async push(tx: GossipedTx): Promise<number> {
    const told = await this.#send(tx, MOST_TOLD);
    if (told === 0) return 0;
    if (this.#pending.size >= MOST_PENDING) this.#pending.delete(this.#pending.keys().next().value!);
    const since = this.#options.clock.nowMs();
    this.#pending.set(tx.txId, { ...tx, since, dueAt: since + FIRST_AGAIN_MS, waitMs: FIRST_AGAIN_MS });
    return told;
  }

  /** What a peer lacks that asks for transactions; undefined: it asks for something else. */
  answer(chainId: Uint8Array, requestId: number, request: Uint8Array): SentMessage | undefined {
    const asked = pullOf(request);
    if (asked === undefined) return undefined;
    const chain = Buffer.from(chainId).toString("hex");
    const writer = new BinaryWriter();
    let bytes = 0;
    for (const tx of this.#pending.values()) {
      if (tx.chainId !== chain || asked.has(Buffer.from(tx.txId, "hex")) || bytes >= TARGET_BYTES) continue;
      writer.tag(GOSSIP_FIELD, WireType.LengthDelimited).bytes(tx.bytes);
      bytes += tx.bytes.length;
    }
    return { case: "appResponse", value: { chainId, requestId, appBytes: writer.finish() } };
  }

  close(): void {
    this.#isClosed = true;
    this.#stop();
  }

  #pushLater(): void {
    this.#stop = this.#options.clock.after(LOOK_EVERY_MS, () => {
      // a store that cannot be read at present is asked next time
      void this.#pushAgain()
        .catch(() => {})
        .finally(() => {
          if (!this.#isClosed) this.#pushLater();
        });
    });
  }

  async #pushAgain(): Promise<void> {
    const now = this.#options.clock.nowMs();
    for (const tx of [...this.#pending.values()].filter(({ dueAt }) => dueAt <= now)) {
      tx.waitMs = Math.min(2 * tx.waitMs, LONGEST_AGAIN_MS);
      tx.dueAt = now + tx.waitMs;
      if (now - tx.since > KEPT_MS || (await this.#options.isAccepted(tx))) this.#pending.delete(tx.txId);
      else await this.#send(tx, tx.waitMs < LONGEST_AGAIN_MS ? MOST_TOLD : TOLD_AGAIN);
    }
  }

  async #send({ chainId, bytes }: GossipedTx, most: number): Promise<number> {
    const { peers, cChainId, validators } = this.#options;
    const handler = chainId === cChainId ? ATOMIC_TX_HANDLER : TX_HANDLER;
    const gossip = new BinaryWriter().tag(GOSSIP_FIELD, WireType.LengthDelimited).bytes(bytes).finish();
    const value = { chainId: Buffer.from(chainId, "hex"), appBytes: Buffer.concat([Buffer.of(handler), gossip]) };
    let told = 0;
    for (const nodeId of await validators()) {
      if (told === most) break;
      if (peers.isConnected(nodeId) && peers.send(nodeId, { case: "appGossip", value })) told++;
    }
    return told;
  }
}

/** What the asker has already; undefined: it asks for something else. */
function pullOf(request: Uint8Array): BloomFilter | undefined {
  if (request[0] !== TX_HANDLER && request[0] !== ATOMIC_TX_HANDLER) return undefined;
  try {
    const reader = new BinaryReader(request.subarray(1));
    const fields = new Map<number, Uint8Array>();
    while (reader.pos < reader.len) {
      const [field, type] = reader.tag();
      if (type !== WireType.LengthDelimited) return undefined;
      fields.set(field, reader.bytes());
    }
    return BloomFilter.read(fields.get(FILTER_FIELD) ?? new Uint8Array(), fields.get(SALT_FIELD) ?? new Uint8Array());
  } catch {
    return undefined;
  }
}
