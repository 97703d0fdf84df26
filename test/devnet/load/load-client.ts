/**
 * A client without pauses: it moves AVAX on and between P, X and C, one transaction after another, and writes every acceptance to a
 * journal. It stores nothing else: after its node was gone it asks again what it owns.
 */
import type { Random } from "../../fuzz/mutate.ts";
import { delay } from "../../patience.ts";
import { call } from "../json-rpc.ts";
import { type Coin, FEE, type PlainWallet, type SignedIssue } from "./plain-wallet.ts";

/** What was reported as accepted, in order. */
export type Journal = SignedIssue[];

export interface LoadClientParts {
  /** where the node answers now */
  readonly url: () => string;
  readonly wallet: PlainWallet;
  readonly random: Random;
  readonly journal: Journal;
  /** resolves when the next transaction may be issued; default: at once */
  readonly turn?: () => Promise<void>;
}

export interface LoadCounts {
  accepted: number;
  /** taken, but not accepted yet: the P-chain's gas was used up */
  waiting: number;
  refused: Map<string, number>;
  unanswered: number;
}

type Action = (client: LoadClient) => Promise<SignedIssue | undefined>;

/** Transfers keep some AVAX everywhere, imports take what exports left. */
const AMOUNT = 20_000_000n;
const GAS_PRICE = 30_000_000_000n;
const WEI = 1_000_000_000n;
const PAUSE_MS = 20;

export class LoadClient {
  readonly counts: LoadCounts = { accepted: 0, waiting: 0, refused: new Map(), unanswered: 0 };
  readonly #parts: LoadClientParts;

  constructor(parts: LoadClientParts) {
    this.#parts = parts;
  }

  /** Until told to stop. Never rejects: a node that is gone is waited for. */
  async run(isRunning: () => boolean): Promise<void> {
    while (isRunning()) {
      try {
        const signed = await this.#parts.random.of(ACTIONS)(this);
        if (signed === undefined) {
          await pause();
          continue;
        }
        await this.#parts.turn?.();
        await this.issue(signed);
      } catch {
        this.counts.unanswered++;
        await pause();
      }
    }
  }

  /** Rejects if there is no answer: then nobody knows what became of it. */
  async issue(signed: SignedIssue): Promise<void> {
    const url = this.#parts.url();
    const { result, error } = await call(url, signed);
    if (result === undefined) {
      const text = (error?.message ?? "no error").replace(/[1-9A-HJ-NP-Za-km-z]{40,}|0x[0-9a-f]+|\d{3,}/g, "…");
      this.counts.refused.set(text, (this.counts.refused.get(text) ?? 0) + 1);
      return pause();
    }
    if (!(await isAccepted(url, signed))) {
      this.counts.waiting++;
      return;
    }
    this.counts.accepted++;
    this.#parts.journal.push(signed);
  }

  coins(chain: "P" | "X" | "C", source?: "P" | "X" | "C"): Promise<Coin[]> {
    return this.#parts.wallet.coins(this.#parts.url(), chain, source);
  }

  async nonce(): Promise<bigint> {
    const params = [`0x${this.#parts.wallet.evmAddress}`, "latest"];
    const { result } = await call(this.#parts.url(), { path: "/ext/bc/C/rpc", method: "eth_getTransactionCount", params });
    if (typeof result !== "string") throw new Error("no nonce");
    return BigInt(result);
  }

  get wallet(): PlainWallet {
    return this.#parts.wallet;
  }

  get random(): Random {
    return this.#parts.random;
  }
}

const ACTIONS: readonly Action[] = [
  ...(["P", "X", "X"] as const).map((chain) => transfer(chain)),
  ...(
    [
      ["X", "P"],
      ["X", "C"],
      ["P", "X"],
      ["P", "C"],
    ] as const
  ).map(([from, to]) => exportFrom(from, to)),
  ...(
    [
      ["P", "X"],
      ["P", "C"],
      ["X", "P"],
      ["X", "C"],
    ] as const
  ).map(([to, from]) => importTo(to, from)),
  ...(["P", "X"] as const).flatMap((peer) => [exportFromEvm(peer), importToEvm(peer)]),
  async (client) => client.wallet.payInEvm(await client.nonce(), client.wallet.evmAddress, AMOUNT * WEI, GAS_PRICE),
];

/** To itself, in two parts, so that there are always some to choose from. */
function transfer(chain: "P" | "X"): Action {
  return async (client) => {
    const coins = spendable(await client.coins(chain), client.random);
    return client.wallet.transfer(chain, coins, [{ to: client.wallet.address, amount: AMOUNT / 2n }]);
  };
}

function exportFrom(from: "P" | "X", to: "P" | "X" | "C"): Action {
  return async (client) => {
    const coins = spendable(await client.coins(from), client.random);
    return client.wallet.export(from, to, coins, { to: client.wallet.address, amount: AMOUNT });
  };
}

function importTo(to: "P" | "X", from: "P" | "X" | "C"): Action {
  return async (client) => {
    const coins = await client.coins(to, from);
    return coins.length === 0 ? undefined : client.wallet.import(to, from, coins.slice(0, MOST_COINS));
  };
}

function exportFromEvm(to: "P" | "X"): Action {
  return async (client) => client.wallet.exportFromEvm(to, await client.nonce(), { to: client.wallet.address, amount: AMOUNT });
}

function importToEvm(from: "P" | "X"): Action {
  return async (client) => {
    const coins = await client.coins("C", from);
    return coins.length === 0 ? undefined : client.wallet.importToEvm(from, coins.slice(0, MOST_COINS));
  };
}

const MOST_COINS = 8;

/** The largest, and some that want to be gathered. */
function spendable(coins: readonly Coin[], random: Random): Coin[] {
  const [largest, ...others] = coins.toSorted((a, b) => (a.amount < b.amount ? 1 : -1));
  if (largest === undefined || largest.amount < AMOUNT + FEE) return [];
  const few = others.length > MOST_COINS ? MOST_COINS : random.below(2);
  return [largest, ...others.slice(-few).filter((coin) => few > 0 && coin !== largest)];
}

export async function isAccepted(url: string, { chain, isEvm, txId }: SignedIssue): Promise<boolean> {
  if (isEvm) {
    const { result } = await call(url, { path: "/ext/bc/C/rpc", method: "eth_getTransactionReceipt", params: [txId] });
    return result !== null && result !== undefined;
  }
  if (chain === "C") {
    const { result } = await call(url, { path: "/ext/bc/C/avax", method: "avax.getAtomicTx", params: { txID: txId, encoding: "hex" } });
    return result !== undefined;
  }
  const method = { P: "platform.getTxStatus", X: "avm.getTxStatus" }[chain];
  const { result } = await call(url, { path: `/ext/bc/${chain}`, method, params: { txID: txId } });
  return ["Committed", "Accepted"].includes((result as { status: string } | undefined)?.status ?? "");
}

/** In the Data API, which knows the EVM's own transactions not at all. */
export async function isListed(url: string, { chain, isEvm, txId }: SignedIssue): Promise<boolean> {
  if (isEvm) return true;
  const response = await fetch(`${url}/v1/networks/fuji/blockchains/${chain.toLowerCase()}-chain/transactions/${txId}`);
  const { txHash } = (await response.json()) as { txHash?: string };
  return response.status === 200 && txHash === txId;
}

function pause(): Promise<void> {
  return delay(PAUSE_MS);
}
