/** Puts clients' signed EVM transactions into the child's pool, and from there into a block. */
import { FirnError } from "../../primitives/errors.ts";
import { keccak256 } from "../../primitives/hash.ts";
import type { ClientCalls } from "./client-calls.ts";
import { EvmRequestError } from "./evm-error.ts";
import { fromHex } from "./header.ts";
import type { JsonRpcClient } from "./json-rpc-client.ts";
import type { PredicatedTransaction } from "./precompiles/predicated-transaction.ts";
import { requireSignedFor, type SigningRules } from "./signed-for.ts";
import type { Supervisor } from "./supervisor.ts";
import type { TransactionPool } from "./transaction-pool.ts";

export interface TransactionIssuingParts {
  readonly signing: SigningRules;
  readonly supervisor: Supervisor;
  readonly pool: TransactionPool;
  readonly calls: ClientCalls;
  /** see DevelopmentEvmOptions */
  requestRound(): Promise<void>;
  /** The child checks transactions against the next block's base fee. */
  useBaseFee(rpc: JsonRpcClient): Promise<void>;
  /** Returns undefined for a transaction without warp messages; throws if they make it invalid. @param raw hex */
  messagesIn(raw: string): PredicatedTransaction | undefined;
}

/** Number of rounds requested to get a transaction into a block. */
const MOST_ROUNDS = 4;
/** type byte of blob transactions, which the C-chain does not accept */
const BLOB_TYPE = "0x03";
const SEND = "eth_sendRawTransaction";

export class TransactionIssuing {
  readonly #parts: TransactionIssuingParts;

  constructor(parts: TransactionIssuingParts) {
    this.#parts = parts;
  }

  /** Puts a signed transaction into the child's pool and has a block built. @param client the caller */
  async issue(signed: string, client: object | undefined): Promise<string> {
    const { signing, pool, calls } = this.#parts;
    const raw = signed.toLowerCase();
    if (raw.startsWith(BLOB_TYPE)) throw new FirnError("no-blobs", "transaction type not supported");
    const hash = `0x${keccak256(fromHex(raw)).toString("hex")}`;
    requireSignedFor(signing, raw);
    const withMessages = this.#parts.messagesIn(raw);
    const release = pool.reserve(raw);
    try {
      await calls.ask({ method: SEND, bytes: raw.length, client }, async (rpc, { attempt }) => {
        await this.#send(rpc, raw, attempt);
        // the child says whether it is valid, and gets it again for a block of its own
        if (withMessages !== undefined) await rpc.call("anvil_dropTransaction", hash);
      });
      if (withMessages === undefined) pool.add(hash, raw);
      else pool.addPredicated(hash, raw, withMessages);
    } finally {
      release();
    }
    await this.#roundFor(hash);
    return hash;
  }

  async #send(rpc: JsonRpcClient, raw: string, attempt: number): Promise<void> {
    await this.#parts.useBaseFee(rpc);
    try {
      await rpc.call(SEND, raw);
    } catch (error) {
      const isThere = attempt > 1 && error instanceof EvmRequestError && /already imported/.test(error.message);
      if (!isThere) throw error;
    }
  }

  /** Repeats the round if the child died in it, because then no block was made. */
  async #roundFor(hash: string): Promise<void> {
    const { supervisor, pool, requestRound } = this.#parts;
    for (let attempt = 1; attempt <= MOST_ROUNDS; attempt++) {
      const { starts } = supervisor;
      await requestRound();
      const isSameChild = supervisor.child !== undefined && supervisor.starts === starts;
      if (isSameChild || pool.get(hash) === undefined) return;
      await supervisor.available();
    }
  }
}
