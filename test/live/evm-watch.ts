/**
 * Holds an EVM follower against its node while blocks come: it shows no block above the node's `latest`, native balances are those of the
 * block that it is at, and what the node tells of blocks that it has not executed yet changes nothing. Also notes when the chain's VM changed.
 */
import { setTimeout as pause } from "node:timers/promises";
import { isDeepStrictEqual } from "node:util";
import { DataClient } from "../api/data/oracle/client.ts";
import { type Ask, hexOf, type RawBlock, type RawReceipt, Refused } from "../api/data/oracle/evm/chain-answers.ts";

const PAUSE_MS = 30;
const RECEIPT_PAUSE_MS = 5;
/** The C-chain forgets its pool when its VM changes. */
const PATIENCE_MS = 60_000;

/** Receipts in blocks name their place, too. */
type PlacedReceipt = RawReceipt & { readonly blockNumber: string };
type Head = RawBlock & { readonly settledHeight?: string };

export interface EvmWatchOptions {
  /** of the node that is followed */
  readonly ask: Ask;
  /** of the follower */
  readonly url: string;
  readonly chainId: string;
}

export class EvmWatch {
  readonly faults: string[] = [];
  readonly #ask: Ask;
  readonly #client: DataClient;
  readonly #chain: string;
  readonly #ending = new AbortController();
  readonly #running: Promise<void>;
  readonly #counts = { heights: 0, "blocks before their execution": 0, "receipts before their block": 0, "native balances": 0 };
  /** by hash: as they were told before their block was the latest */
  readonly #early = new Map<string, PlacedReceipt>();
  #last: Head | undefined;
  #change = "";

  constructor({ ask, url, chainId }: EvmWatchOptions) {
    this.#ask = ask;
    this.#client = new DataClient(url);
    this.#chain = `/chains/${chainId}`;
    this.#running = this.#run();
  }

  async stop(): Promise<void> {
    this.#ending.abort();
    await this.#running;
  }

  /** Compares what was told early with what the node says now. */
  async compareEarly(): Promise<void> {
    for (const [hash, early] of this.#early) {
      const receipt = await this.#ask("eth_getTransactionReceipt", [hash]);
      if (!isDeepStrictEqual(receipt, early))
        this.#fault(`the node told another receipt of ${hash} before its block: ${JSON.stringify(early)}`);
    }
  }

  toString(): string {
    return `${Object.entries(this.#counts)
      .map(([name, count]) => `${count} ${name}`)
      .join(", ")}${this.#change}`;
  }

  async #run(): Promise<void> {
    while (!this.#ending.signal.aborted) {
      try {
        await this.#turn();
      } catch (error) {
        this.#fault((error as Error).message);
      }
      await pause(PAUSE_MS, undefined, { signal: this.#ending.signal }).catch(() => undefined);
    }
  }

  async #turn(): Promise<void> {
    const own = await this.own();
    const latest = await this.latest();
    this.#counts.heights++;
    if (own > latest) this.#fault(`the follower shows block ${own}, the node's latest is ${latest}`);
    await this.#noteChange(latest);
    await this.#lookAhead(latest);
    if (own > 0) await this.#compareBalance(own);
  }

  /** Resolves once a transaction has a receipt, which may come before its block is the latest; or no block takes it. */
  async waitFor(hash: string): Promise<void> {
    const until = performance.now() + PATIENCE_MS;
    while (!this.#ending.signal.aborted && performance.now() < until && !(await this.#noteReceipt(hash))) await pause(RECEIPT_PAUSE_MS);
  }

  /** What is accepted above `latest`, and receipts in it. */
  async #lookAhead(latest: number): Promise<void> {
    const next = await this.#block(latest + 1);
    if (next === null) return;
    if ((await this.latest()) <= latest) this.#counts["blocks before their execution"]++;
    for (const { hash } of next.transactions) await this.#noteReceipt(hash);
  }

  /** Whether there is one. */
  async #noteReceipt(hash: string): Promise<boolean> {
    const receipt = (await this.#ask("eth_getTransactionReceipt", [hash])) as PlacedReceipt | null;
    if (receipt === null) return false;
    const height = Number(receipt.blockNumber);
    if (this.#early.has(hash) || (await this.latest()) >= height) return true;
    this.#counts["receipts before their block"]++;
    this.#early.set(hash, receipt);
    const { status } = await this.#client.ask(`${this.#chain}/transactions/${hash}`);
    if (status === 200 && (await this.latest()) < height) this.#fault(`the follower shows ${hash} before its block`);
    return true;
  }

  /** Of an account of the follower's newest transaction; it may be at a higher block when it answers. */
  async #compareBalance(own: number): Promise<void> {
    const { transactions } = (await this.#block(own))!;
    const address = transactions.at(-1)?.from;
    if (address === undefined) return;
    const { nativeTokenBalance } = await this.#client.get(`${this.#chain}/addresses/${address}/balances:getNative`);
    const { balance } = nativeTokenBalance as { balance: string };
    const until = await this.own();
    this.#counts["native balances"]++;
    const possible: string[] = [];
    for (let height = own; height <= until; height++)
      possible.push(`${BigInt((await this.#ask("eth_getBalance", [address, hexOf(height)])) as string)}`);
    if (!possible.includes(balance)) this.#fault(`${address} has ${balance} between blocks ${own} and ${until}, the node says ${possible}`);
  }

  async #noteChange(latest: number): Promise<void> {
    const from = this.#last === undefined ? latest : Number(this.#last.number) + 1;
    for (let height = from; height <= latest; height++) {
      const block = (await this.#block(height))!;
      const before = this.#last;
      this.#last = block;
      if (before === undefined || before.settledHeight !== undefined || block.settledHeight === undefined) continue;
      const milliseconds = Number(block.timestampMilliseconds) - Number(before.timestampMilliseconds);
      this.#change = `; the VM changed after block ${height - 1}, block ${height} is ${milliseconds} ms later`;
    }
  }

  /** null: not accepted */
  async #block(height: number): Promise<Head | null> {
    try {
      return (await this.#ask("eth_getBlockByNumber", [hexOf(height), true])) as Head | null;
    } catch (error) {
      if (error instanceof Refused && /unfinalized/.test(error.message)) return null;
      throw error;
    }
  }

  /** height of the node */
  async latest(): Promise<number> {
    return Number(await this.#ask("eth_blockNumber", []));
  }

  /** of the follower */
  async own(): Promise<number> {
    const { blocks } = await this.#client.get(`${this.#chain}/blocks`, { pageSize: 1 });
    return Number((blocks as { blockNumber: string }[])[0]?.blockNumber ?? -1);
  }

  #fault(sentence: string): void {
    if (!this.faults.includes(sentence)) this.faults.push(sentence);
  }
}
