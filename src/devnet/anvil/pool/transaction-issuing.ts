/** Puts clients' EVM transactions into the child's pool, and from there into a block. */
import { formatEvmAddress } from "../../../base/bytes/evm-address.ts";
import type { ShortId } from "../../../base/bytes/id.ts";
import type { ClientCalls } from "../calls/client-calls.ts";
import { EvmRequestError } from "../evm-error.ts";
import type { JsonRpcClient } from "../json-rpc-client.ts";
import { isEnabled, TX_ALLOW_LIST_ADDRESS, word } from "../precompiles/allow-list-contract.ts";
import type { PredicatedTransaction } from "../precompiles/predicated-transaction.ts";
import type { Supervisor } from "../supervisor.ts";
import { requireHigherPrice } from "./pool-rules.ts";
import { requireSignedFor, type SigningRules } from "./signed-for.ts";
import type { TransactionPool } from "./transaction-pool.ts";
import { hashOf, type SentTransaction, sendToChild } from "./unsigned-transaction.ts";

interface TransactionIssuingParts {
  readonly signing: SigningRules;
  readonly supervisor: Supervisor;
  readonly pool: TransactionPool;
  readonly calls: ClientCalls;
  /** see DevelopmentEvmOptions */
  requestRound(): Promise<void>;
  /** The child checks transactions against the next block's base fee. */
  useBaseFee(rpc: JsonRpcClient): Promise<void>;
  /** whether only addresses with a role may send transactions */
  readonly hasTxAllowList: boolean;
  /** Throws if the pool of the chain's node would not take a transaction, whoever signed it. @param raw hex */
  requirePoolRules(raw: string): void;
  /** Returns undefined for a transaction without warp messages; throws if they make it invalid. @param raw hex */
  messagesIn(raw: string): PredicatedTransaction | undefined;
}

/** Number of rounds requested to get a transaction into a block. */
const MOST_ROUNDS = 4;
/** first bytes of transactions: types of those with an access list and with dynamic fees, and RLP of legacy ones */
const [LAST_TYPE, FIRST_OF_LEGACY] = [2, 0x80];
const SEND = "eth_sendRawTransaction";
const SERVER_ERROR = -32_000;

export class TransactionIssuing {
  readonly #parts: TransactionIssuingParts;

  constructor(parts: TransactionIssuingParts) {
    this.#parts = parts;
  }

  /** Puts a signed transaction into the child's pool and has a block built. @param client the caller */
  async issue(signed: string, client: object | undefined): Promise<string> {
    const { signing } = this.#parts;
    const raw = signed.toLowerCase();
    requireType(Number.parseInt(raw.slice(2, 4), 16));
    requireSignedFor(signing, raw);
    const withMessages = this.#parts.messagesIn(raw);
    return this.#issue({ raw }, client, withMessages);
  }

  /** The same with a transaction that nobody signed. Its signature is zero, and it is for this chain. It carries no valid warp message. */
  issueUnsigned(transaction: Buffer, sender: ShortId, client: object | undefined): Promise<string> {
    return this.#issue({ raw: `0x${transaction.toString("hex")}`, sender }, client);
  }

  async #issue(transaction: SentTransaction, client: object | undefined, withMessages?: PredicatedTransaction): Promise<string> {
    const { pool, calls } = this.#parts;
    const { raw, sender } = transaction;
    const hash = hashOf(transaction);
    this.#parts.requirePoolRules(raw);
    const replaced = pool.get(hash) === undefined ? pool.replacedBy(transaction) : undefined;
    if (replaced !== undefined) requireHigherPrice(replaced.raw, raw);
    const release = pool.reserve(raw);
    try {
      await calls.ask({ method: SEND, bytes: raw.length, client }, async (rpc, { attempt }) => {
        await this.#send(rpc, transaction, attempt);
        if (this.#parts.hasTxAllowList) await requireListed(rpc, hash);
        // the child says whether it is valid, and gets it again for a block of its own
        if (withMessages !== undefined) await rpc.call("anvil_dropTransaction", hash);
        // before a block can have it: what the block does not tell, its sender, is asked of the pool
        if (withMessages === undefined) pool.add(hash, raw, sender);
        else pool.addPredicated(hash, raw, withMessages);
        if (replaced !== undefined) pool.drop(hashOf(replaced));
      });
    } finally {
      release();
    }
    await this.#roundFor(hash);
    return hash;
  }

  async #send(rpc: JsonRpcClient, transaction: SentTransaction, attempt: number): Promise<void> {
    await this.#parts.useBaseFee(rpc);
    try {
      await sendToChild(rpc, transaction);
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

/** The child takes those of other networks: with blobs, and with authorizations. */
function requireType(type: number): void {
  if (type === 0 || (type > LAST_TYPE && type < FIRST_OF_LEGACY)) {
    throw new EvmRequestError(SEND, { code: SERVER_ERROR, message: "transaction type not supported" });
  }
}

/** Takes a transaction from the child again, and refuses it with the node's text, if its sender has no role in the chain's allow list. */
async function requireListed(rpc: JsonRpcClient, hash: string): Promise<void> {
  const { from } = (await rpc.call("eth_getTransactionByHash", hash)) as { readonly from: string };
  const sender = from.slice(2);
  const role = (await rpc.call("eth_getStorageAt", `0x${TX_ALLOW_LIST_ADDRESS}`, word(sender), "latest")) as string;
  if (isEnabled(role)) return;
  await rpc.call("anvil_dropTransaction", hash);
  const message = `cannot issue transaction from non-allow listed address: ${formatEvmAddress(sender)}`;
  throw new EvmRequestError(SEND, { code: SERVER_ERROR, message });
}
