/**
 * Generates the transactions of the generated chain: payments, ERC-20 transfers, swaps, NFTs, batches, wrapped coins, contracts that pay,
 * creations, approvals and failures, in the proportions of a busy chain. It keeps ledgers, so that nobody sends more than they have.
 */

import { eventTopic, ZERO_ADDRESS } from "../../src/evm/decode/token-logs.ts";
import { addressOfCreation } from "../../src/sources/evm/parser/creation-address.ts";
import { Dice } from "./dice.ts";

/** Addresses and words are hex without 0x. */
export interface MadeLog {
  readonly address: string;
  readonly topics: readonly string[];
  readonly data: string;
}

export interface MadeCall {
  readonly type: string;
  readonly from: string;
  readonly to: string;
  readonly value?: bigint;
  readonly input?: string;
  readonly output?: string;
  readonly calls?: readonly MadeCall[];
}

export interface MadeTransaction {
  readonly from: string;
  readonly nonce: number;
  readonly to: string | undefined;
  readonly created?: string;
  readonly value: bigint;
  readonly input: string;
  readonly gasUsed: number;
  readonly isSuccess: boolean;
  readonly logs: readonly MadeLog[];
  readonly calls: readonly MadeCall[];
}

type Content = Partial<Omit<MadeTransaction, "from" | "nonce">>;

const TRANSFER = eventTopic("Transfer(address,address,uint256)");
const APPROVAL = eventTopic("Approval(address,address,uint256)");
const SINGLE = eventTopic("TransferSingle(address,address,address,uint256,uint256)");
const BATCH = eventTopic("TransferBatch(address,address,address,uint256[],uint256[])");
const DEPOSIT = eventTopic("Deposit(address,uint256)");
const WITHDRAWAL = eventTopic("Withdrawal(address,uint256)");
const SWAP = eventTopic("Swap(address,uint256,uint256,uint256,uint256,address)");
const SYNC = eventTopic("Sync(uint112,uint112)");

export interface TrafficSize {
  readonly accounts: number;
  readonly coins: number;
}

const USUAL_SIZE: TrafficSize = { accounts: 20_000, coins: 200 };
const FIRST_HOLDERS = 40;

export function word(value: bigint | number | string): string {
  return (typeof value === "string" ? value : value.toString(16)).padStart(64, "0");
}

export class Traffic {
  readonly dice: Dice;
  readonly accounts: readonly string[];
  readonly coins: readonly string[];
  readonly collections: readonly string[];
  readonly multiTokens: readonly string[];
  readonly wrapped: string;
  readonly #router: string;
  readonly #splitter: string;
  readonly #factory: string;
  readonly #pairs: readonly { address: string; coins: readonly [string, string] }[];
  readonly #nonces = new Map<string, number>();
  readonly #balances = new Map<string, bigint>();
  readonly #holders = new Map<string, string[]>();
  readonly #nfts: { collection: string; id: number; owner: string }[] = [];
  readonly #stacks: { token: string; id: number; owner: string; amount: bigint }[] = [];
  readonly #setup: Content[] = [];

  constructor(seed: number, { accounts, coins }: TrafficSize = USUAL_SIZE) {
    this.dice = new Dice(seed);
    const addresses = (count: number) => Array.from({ length: count }, () => this.dice.hex(20));
    this.accounts = addresses(accounts);
    this.coins = addresses(coins);
    this.collections = addresses(50);
    this.multiTokens = addresses(10);
    [this.wrapped, this.#router, this.#splitter, this.#factory] = addresses(4) as [string, string, string, string];
    this.#pairs = addresses(100).map((address) => ({ address, coins: [this.#coin(), this.#coin()] as const }));
    for (const coin of this.coins) this.#setup.push(this.#firstMint(coin));
    for (const pair of this.#pairs) this.#setup.push({ to: pair.address, logs: pair.coins.map((coin) => this.#mint(coin, pair.address)) });
  }

  next(): MadeTransaction {
    const content = this.#setup.shift();
    if (content !== undefined) return this.#sent(this.accounts[0]!, { gasUsed: 2_000_000, input: this.dice.hex(68), ...content });
    const share = this.dice.below(100);
    if (share < 28) return this.#payment();
    if (share < 60) return this.#coinTransfer();
    if (share < 73) return this.#swap();
    if (share < 79) return this.#nft();
    if (share < 82) return this.#multi();
    if (share < 87) return this.#wrap();
    if (share < 91) return this.#payout();
    if (share < 94) return this.#creation();
    if (share < 97) return this.#approval();
    return this.#failure();
  }

  /** A holder's balance of a coin, for `balanceOf`. */
  balance(coin: string, holder: string): bigint {
    return this.#balances.get(coin + holder) ?? 0n;
  }

  #payment(): MadeTransaction {
    return this.#sent(this.#account(), { to: this.#account(), value: this.#amount(), gasUsed: 21_000 });
  }

  #coinTransfer(): MadeTransaction {
    const coin = this.#coin();
    const from = this.#holder(coin);
    const to = this.#account();
    const amount = this.#spendable(coin, from);
    return this.#sent(from, {
      to: coin,
      input: `a9059cbb${word(to)}${word(amount)}`,
      gasUsed: 51_000,
      logs: [this.#transfer(coin, from, to, amount)],
    });
  }

  #swap(): MadeTransaction {
    const { address: pair, coins } = this.dice.pick(this.#pairs);
    const [sold, bought] = coins;
    const user = this.#holder(sold);
    const amounts = [this.#spendable(sold, user), this.#spendable(bought, pair)] as const;
    const logs = [
      this.#transfer(sold, user, pair, amounts[0]),
      this.#transfer(bought, pair, user, amounts[1]),
      { address: pair, topics: [SYNC], data: word(this.balance(sold, pair)) + word(this.balance(bought, pair)) },
      { address: pair, topics: [SWAP, word(this.#router), word(user)], data: word(amounts[0]) + word(0) + word(0) + word(amounts[1]) },
    ];
    const balanceOf = (coin: string) => ({ type: "STATICCALL", from: pair, to: coin, input: `70a08231${word(pair)}`, output: word(1) });
    const calls = [
      { type: "CALL", from: this.#router, to: sold, input: `23b872dd${word(user)}${word(pair)}${word(amounts[0])}`, output: word(1) },
      { type: "STATICCALL", from: this.#router, to: pair, input: "0902f1ac", output: this.dice.hex(96) },
      {
        type: "CALL",
        from: this.#router,
        to: pair,
        input: `022c0d9f${this.dice.hex(128)}`,
        calls: [
          { type: "CALL", from: pair, to: bought, input: `a9059cbb${word(user)}${word(amounts[1])}`, output: word(1) },
          balanceOf(sold),
          balanceOf(bought),
        ],
      },
    ];
    return this.#sent(user, { to: this.#router, input: `38ed1739${this.dice.hex(224)}`, gasUsed: 130_000, logs, calls });
  }

  #nft(): MadeTransaction {
    const held = this.#nfts.length > 100 && this.dice.below(2) === 0 ? this.dice.pick(this.#nfts) : undefined;
    const nft = held ?? { collection: this.dice.pick(this.collections), id: this.#nfts.length, owner: ZERO_ADDRESS };
    const to = this.#account();
    const log = { address: nft.collection, topics: [TRANSFER, word(nft.owner), word(to), word(nft.id)], data: "" };
    const sender = held === undefined ? to : nft.owner;
    if (held === undefined) this.#nfts.push(nft);
    nft.owner = to;
    return this.#sent(sender, { to: nft.collection, input: `23b872dd${this.dice.hex(96)}`, gasUsed: 80_000, logs: [log] });
  }

  #multi(): MadeTransaction {
    const to = this.#account();
    if (this.#stacks.length > 50 && this.dice.below(2) === 0) {
      const stack = this.dice.pick(this.#stacks);
      const { token, id, owner, amount } = stack;
      stack.owner = to;
      const log = { address: token, topics: [SINGLE, word(owner), word(owner), word(to)], data: word(id) + word(amount) };
      return this.#sent(owner, { to: token, input: `f242432a${this.dice.hex(160)}`, gasUsed: 60_000, logs: [log] });
    }
    const token = this.dice.pick(this.multiTokens);
    const minted = Array.from({ length: 1 + this.dice.below(4) }, () => ({ token, id: this.dice.below(500), owner: to, amount: 5n }));
    this.#stacks.push(...minted);
    const count = minted.length;
    const ids = minted.map(({ id }) => word(id)).join("");
    const amounts = minted.map(({ amount }) => word(amount)).join("");
    const data = word(64) + word(96 + 32 * count) + word(count) + ids + word(count) + amounts;
    const log = { address: token, topics: [BATCH, word(to), word(ZERO_ADDRESS), word(to)], data };
    return this.#sent(to, { to: token, input: `1f7fdffa${this.dice.hex(256)}`, gasUsed: 120_000, logs: [log] });
  }

  #wrap(): MadeTransaction {
    const user = this.#account();
    const amount = this.balance(this.wrapped, user) / 2n;
    if (amount > 0n) {
      this.#change(this.wrapped, user, -amount);
      const log = { address: this.wrapped, topics: [WITHDRAWAL, word(user)], data: word(amount) };
      const calls = [{ type: "CALL", from: this.wrapped, to: user, value: amount }];
      return this.#sent(user, { to: this.wrapped, input: `2e1a7d4d${word(amount)}`, gasUsed: 35_000, logs: [log], calls });
    }
    const value = this.#amount();
    this.#change(this.wrapped, user, value);
    const log = { address: this.wrapped, topics: [DEPOSIT, word(user)], data: word(value) };
    return this.#sent(user, { to: this.wrapped, value, input: "d0e30db0", gasUsed: 45_000, logs: [log] });
  }

  #payout(): MadeTransaction {
    const shares = Array.from({ length: 1 + this.dice.below(5) }, () => ({ to: this.#account(), value: this.#amount() }));
    const calls = shares.map((share) => ({ type: "CALL", from: this.#splitter, ...share }));
    const value = shares.reduce((sum, share) => sum + share.value, 0n);
    return this.#sent(this.#account(), { to: this.#splitter, value, input: `e63d38ed${this.dice.hex(192)}`, gasUsed: 90_000, calls });
  }

  #creation(): MadeTransaction {
    if (this.dice.below(3) > 0) return this.#sent(this.#account(), { input: this.dice.hex(800 + this.dice.below(3000)), gasUsed: 900_000 });
    const code = this.dice.hex(45);
    const calls = [{ type: "CREATE2", from: this.#factory, to: this.dice.hex(20), value: 0n, input: code, output: code }];
    return this.#sent(this.#account(), { to: this.#factory, input: `30f20bc6${this.dice.hex(64)}`, gasUsed: 200_000, calls });
  }

  #approval(): MadeTransaction {
    const [coin, owner] = [this.#coin(), this.#account()];
    const data = "f".repeat(64);
    const log = { address: coin, topics: [APPROVAL, word(owner), word(this.#router)], data };
    return this.#sent(owner, { to: coin, input: `095ea7b3${word(this.#router)}${data}`, gasUsed: 46_000, logs: [log] });
  }

  #failure(): MadeTransaction {
    const input = `38ed1739${this.dice.hex(224)}`;
    return this.#sent(this.#account(), { to: this.#router, input, gasUsed: 29_000, isSuccess: false });
  }

  #sent(from: string, content: Content): MadeTransaction {
    const nonce = this.#nonces.get(from) ?? 0;
    this.#nonces.set(from, nonce + 1);
    const created = content.to === undefined ? { created: addressOfCreation(from, BigInt(nonce)) } : {};
    return { from, nonce, to: undefined, value: 0n, input: "", gasUsed: 0, isSuccess: true, logs: [], calls: [], ...created, ...content };
  }

  #account(): string {
    return this.accounts[this.dice.skewed(this.accounts.length)]!;
  }

  #coin(): string {
    return this.coins[this.dice.skewed(this.coins.length)]!;
  }

  #holder(coin: string): string {
    return this.dice.pick(this.#holders.get(coin)!);
  }

  #amount(): bigint {
    return BigInt(this.dice.next()) * 1_000_000_000n + 1n;
  }

  #spendable(coin: string, holder: string): bigint {
    const balance = this.balance(coin, holder);
    return balance / BigInt(2 + this.dice.below(1000));
  }

  #firstMint(coin: string): Content {
    this.#holders.set(coin, []);
    return { to: coin, logs: Array.from({ length: FIRST_HOLDERS }, () => this.#mint(coin, this.#account())) };
  }

  #mint(coin: string, holder: string): MadeLog {
    this.#change(coin, holder, 10n ** 24n);
    if (!this.#isPair(holder)) this.#holders.get(coin)!.push(holder);
    return this.#transferLog(coin, ZERO_ADDRESS, holder, 10n ** 24n);
  }

  #isPair(address: string): boolean {
    return this.#pairs.some((pair) => pair.address === address);
  }

  #transfer(coin: string, from: string, to: string, amount: bigint): MadeLog {
    this.#change(coin, from, -amount);
    if (!this.#balances.has(coin + to)) this.#holders.get(coin)!.push(to);
    this.#change(coin, to, amount);
    return this.#transferLog(coin, from, to, amount);
  }

  #transferLog(coin: string, from: string, to: string, amount: bigint): MadeLog {
    return { address: coin, topics: [TRANSFER, word(from), word(to)], data: word(amount) };
  }

  #change(coin: string, holder: string, change: bigint): void {
    this.#balances.set(coin + holder, this.balance(coin, holder) + change);
  }
}
