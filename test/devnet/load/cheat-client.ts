/**
 * A client that edits accounts of the C-chain and sends for them, one call after another, and knows what must be there. A call without an
 * answer happened wholly or not at all: it is asked which, and whatever is neither is an error.
 */
import { sha256 } from "../../../src/base/bytes/hash.ts";
import type { Random } from "../../fuzz/mutate.ts";
import { delay } from "../../patience.ts";
import { call } from "../json-rpc.ts";

export interface CheatState {
  readonly balance: bigint;
  readonly nonce: bigint;
  readonly code: string;
  readonly slots: readonly string[];
  /** what the account paid to its sink, a balance that only transactions change */
  readonly paid: bigint;
  /** number of transactions in blocks */
  readonly sent: number;
}

interface Step {
  readonly method: string;
  readonly params: readonly unknown[];
  readonly after: CheatState;
}

const SLOTS = 3;
/** They answer nothing, whatever they are asked. */
const CODES = ["0x", "0x00", "0x5b00"];
const GAS = 21_000n;
const PRICE = 10n;
/** what a transaction takes from the account, besides its value */
export const CHEAT_FEE = GAS * PRICE;
const WEALTH = 10n ** 18n;
const PAUSE_MS = 20;

export class CheatClient {
  readonly address: string;
  readonly counts = { edits: 0, sends: 0, unanswered: 0 };
  readonly #sink: string;
  readonly #url: () => string;
  readonly #random: Random;
  /** reported as done */
  #hashes: string[] = [];
  #checked = 0;
  #state: CheatState = { balance: 0n, nonce: 0n, code: "0x", slots: Array.from({ length: SLOTS }, () => word(0)), paid: 0n, sent: 0 };
  /** without an answer */
  #open: Step | undefined;

  constructor(name: string, { url, random }: { url: () => string; random: Random }) {
    this.#url = url;
    this.#random = random;
    [this.address, this.#sink] = ["account", "sink"].map(
      (what) => `0x${sha256(Buffer.from(`${name} ${what}`)).toString("hex", 0, 20)}`,
    ) as [string, string];
  }

  get state(): CheatState {
    return this.#state;
  }

  async prepare(): Promise<void> {
    await this.#rpc("hardhat_impersonateAccount", [this.address]);
    await this.#take({ method: "hardhat_setBalance", params: [this.address, hex(WEALTH)], after: { ...this.#state, balance: WEALTH } });
  }

  /** Until told to stop. Rejects if something is lost. */
  async run(isRunning: () => boolean): Promise<void> {
    while (isRunning()) {
      if (this.#open === undefined) await this.#take(this.#next());
      else await this.#tryToSettle();
    }
  }

  /** Throws unless everything that was answered is there, in both interfaces. The node must answer. */
  async check(): Promise<void> {
    await this.#settle();
    const found = await this.#read();
    if (!isSame(found, this.#state)) throw new Error(`${this.address} has ${shown(found)}; it must have ${shown(this.#state)}`);
    const { nativeTokenBalance } = (await this.#data(`/addresses/${this.address}/balances:getNative`)) as {
      nativeTokenBalance: { balance: string };
    };
    if (BigInt(nativeTokenBalance.balance) !== this.#state.balance) throw new Error(`the Data API has another balance of ${this.address}`);
    for (const hash of this.#hashes.slice(this.#checked)) await this.#checkSent(hash);
    this.#checked = this.#hashes.length;
  }

  /** Whether the accounts are as at that time; then what came later is forgotten. @param hashes number of answered transactions then */
  async goBackTo(state: CheatState, hashes: number): Promise<boolean> {
    if (!isSame(await this.#read(), state)) return false;
    this.#state = state;
    this.#open = undefined;
    this.#hashes.length = hashes;
    this.#checked = Math.min(this.#checked, hashes);
    return true;
  }

  /** number of calls that took effect */
  get done(): number {
    return this.counts.edits + this.counts.sends;
  }

  get answered(): number {
    return this.#hashes.length;
  }

  #next(): Step {
    const [{ balance, nonce, slots, paid, sent }, random] = [this.#state, this.#random];
    const state = this.#state;
    const edit = (method: string, params: readonly unknown[], change: Partial<CheatState>): Step => ({
      method,
      params: [this.address, ...params],
      after: { ...state, ...change },
    });
    const kind = random.below(8);
    if (kind === 0) {
      const wealth = WEALTH + BigInt(random.below(1_000_000));
      return edit("hardhat_setBalance", [hex(wealth)], { balance: wealth });
    }
    if (kind === 1) {
      const next = nonce + BigInt(1 + random.below(3));
      return edit("anvil_setNonce", [hex(next)], { nonce: next });
    }
    if (kind === 2) {
      const code = random.of(CODES);
      return edit("hardhat_setCode", [code], { code });
    }
    if (kind === 3) {
      const [at, value] = [random.below(SLOTS), word(random.below(4))];
      return edit("anvil_setStorageAt", [hex(BigInt(at)), value], { slots: slots.with(at, value) });
    }
    const value = BigInt(random.below(1000));
    const params = [{ from: this.address, to: this.#sink, value: hex(value), gas: hex(GAS), gasPrice: hex(PRICE), nonce: hex(nonce) }];
    const after = { ...state, balance: balance - value - CHEAT_FEE, nonce: nonce + 1n, paid: paid + value, sent: sent + 1 };
    return { method: "eth_sendTransaction", params, after };
  }

  async #take(step: Step): Promise<void> {
    this.#open = step;
    try {
      const result = await this.#rpc(step.method, step.params);
      this.#done(step);
      if (step.method === "eth_sendTransaction") this.#hashes.push(result as string);
    } catch {
      this.counts.unanswered++;
    }
  }

  #done(step: Step): void {
    this.#state = step.after;
    this.#open = undefined;
    this.counts[step.method === "eth_sendTransaction" ? "sends" : "edits"]++;
  }

  /** Finds out what became of the call without an answer, once the node answers. */
  async #tryToSettle(): Promise<void> {
    await pause();
    if (await this.#rpc("eth_blockNumber", []).catch(() => undefined)) await this.#settle().catch(rethrowUnlessGone);
  }

  async #settle(): Promise<void> {
    const step = this.#open;
    if (step === undefined) return;
    while ((await this.#nonce("pending")) !== (await this.#nonce("latest"))) await pause();
    const found = await this.#read();
    if (isSame(found, step.after)) this.#done(step);
    else if (isSame(found, this.#state)) this.#open = undefined;
    else throw new LostError(`${step.method} was done in part: ${shown(found)}, neither ${shown(this.#state)} nor ${shown(step.after)}`);
  }

  async #read(): Promise<CheatState> {
    const of = (method: string, ...params: readonly unknown[]) => this.#rpc(method, [...params, "latest"]) as Promise<string>;
    const slots = Array.from({ length: SLOTS }, (_, slot) => of("eth_getStorageAt", this.address, hex(BigInt(slot))));
    return {
      balance: BigInt(await of("eth_getBalance", this.address)),
      nonce: await this.#nonce("latest"),
      code: await of("eth_getCode", this.address),
      slots: await Promise.all(slots),
      paid: BigInt(await of("eth_getBalance", this.#sink)),
      sent: this.#state.sent,
    };
  }

  async #checkSent(hash: string): Promise<void> {
    const { from } = ((await this.#rpc("eth_getTransactionByHash", [hash])) ?? {}) as { from?: string };
    const receipt = (await this.#rpc("eth_getTransactionReceipt", [hash])) as { status: string; from: string } | null;
    const { nativeTransaction } = (await this.#data(`/transactions/${hash}`)) as {
      nativeTransaction?: { from: { address: string }; txStatus: string };
    };
    const found = [from, receipt?.from, nativeTransaction?.from.address.toLowerCase(), receipt?.status];
    const expected = [this.address, this.address, this.address, "0x1"];
    if (found.join() !== expected.join())
      throw new Error(`${hash}, which ${this.address} sent, has the senders and status ${found.join(", ")}`);
  }

  async #nonce(block: "latest" | "pending"): Promise<bigint> {
    return BigInt((await this.#rpc("eth_getTransactionCount", [this.address, block])) as string);
  }

  async #rpc(method: string, params: readonly unknown[]): Promise<unknown> {
    const { result, error } = await call(this.#url(), { path: "/ext/bc/C/rpc", method, params });
    if (result === undefined) throw new Error(`${method}: ${error?.message ?? "no result"}`);
    return result;
  }

  async #data(path: string): Promise<unknown> {
    return (await fetch(`${this.#url()}/v1/chains/43112${path}`)).json();
  }
}

class LostError extends Error {}

function rethrowUnlessGone(error: unknown): void {
  if (error instanceof LostError) throw error;
}

/** `sent` is not read, but follows from the others. */
function isSame(a: CheatState, b: CheatState): boolean {
  return shown(a) === shown(b);
}

function shown({ balance, nonce, code, slots, paid }: CheatState): string {
  return JSON.stringify([`${balance}`, `${nonce}`, code, slots, `${paid}`]);
}

function word(value: number): string {
  return `0x${value.toString(16).padStart(64, "0")}`;
}

function hex(value: bigint): string {
  return `0x${value.toString(16)}`;
}

function pause(): Promise<void> {
  return delay(PAUSE_MS);
}
