import { eventTopic } from "../../../src/evm/decode/token-logs.ts";
/**
 * Random EVM code that an index must handle: logs of every token shape and of none, calls of all kinds, creations that succeed, fail or hit
 * used addresses, self-destructions, loops, reverts. It ignores its input, so a contract reader's calls get no answer.
 */

export type Random = () => number;

export interface Surroundings {
  /** accounts and contracts, as 40 digits */
  readonly addresses: readonly string[];
  readonly random: Random;
}

const OP = {
  stop: "00",
  byte: "1a",
  jumpi: "57",
  jumpdest: "5b",
  log: 0xa0,
  create: "f0",
  create2: "f5",
  revert: "fd",
  invalid: "fe",
  selfdestruct: "ff",
};
const CALLS = { call: "f1", callcode: "f2", delegatecall: "f4", staticcall: "fa" } as const;
const EVENTS = [
  "Transfer(address,address,uint256)",
  "Transfer(address,address,uint256)",
  "TransferSingle(address,address,address,uint256,uint256)",
  "TransferBatch(address,address,address,uint256[],uint256[])",
  "ConsecutiveTransfer(uint256,uint256,address,address)",
  "Deposit(address,uint256)",
  "Withdrawal(address,uint256)",
].map(eventTopic);
const MAX_WORD = "f".repeat(64);
/** what init code may have is more; a program that creates one holds it twice */
const MOST_NESTED = 2;

export function pick<T>(all: readonly T[], random: Random): T {
  return all[Math.floor(random() * all.length)]!;
}

export function intOf(below: number, random: Random): number {
  return Math.floor(random() * below);
}

/** Runtime code. */
export function randomProgram(around: Surroundings, depth = 0): string {
  const code = new Code(around, depth);
  const steps = 1 + intOf(depth === 0 ? 9 : 4, around.random);
  for (let step = 0; step < steps; step++) code.step();
  code.end();
  return code.digits;
}

/** Init code: it does something, and leaves a program, nothing, or what no contract may begin with. */
export function randomInitCode(around: Surroundings, depth = 0): string {
  const { random } = around;
  const kind = random();
  const prologue = random() < 0.4 ? randomSteps(around, depth + 1) : "";
  // what ends by itself leaves no code
  if (kind < 0.25) return `${prologue}${randomProgram(around, depth + 1)}`;
  const runtime = kind < 0.3 ? "ef0000" : randomProgram(around, depth + 1);
  const size = runtime.length / 2;
  const header = (at: number) => `61${hex(size, 4)}61${hex(at, 4)}5f3961${hex(size, 4)}5ff3`;
  return `${prologue}${header(prologue.length / 2 + header(0).length / 2)}${runtime}`;
}

function randomSteps(around: Surroundings, depth: number): string {
  const code = new Code(around, depth);
  code.step();
  return code.digits;
}

function hex(value: number | bigint, digits: number): string {
  return value.toString(16).padStart(digits, "0");
}

/** Code in the making; every step leaves the stack as it was. Jumps need it to stand at the beginning. */
class Code {
  digits = "";
  readonly #around: Surroundings;
  readonly #depth: number;

  constructor(around: Surroundings, depth: number) {
    this.#around = around;
    this.#depth = depth;
  }

  step(): void {
    const kind = this.#int(20);
    if (kind < 7) this.#tokenLike();
    else if (kind < 10) this.#log();
    else if (kind < 15) this.#call();
    else if (kind < 18) this.#create();
    else if (kind < 19) this.#loop();
    else this.#add(`${this.#push(this.#word())}${this.#push(hex(this.#int(3), 64))}55`);
  }

  end(): void {
    const kind = this.#int(16);
    if (kind === 0) this.#add(`5f5f${OP.revert}`);
    else if (kind === 1) this.#add(OP.invalid);
    else if (kind === 2) this.#add(`${this.#random() < 0.3 ? "30" : this.#push(this.#address())}${OP.selfdestruct}`);
    else this.#add(OP.stop);
  }

  /** Any event with any number of topics and any length of data. */
  #log(): void {
    const topics = this.#int(5);
    const words = this.#int(7);
    for (let i = 0; i < words; i++) this.#store(i, this.#word());
    const size = this.#random() < 0.75 ? words * 32 : this.#int(words * 32 + 40);
    const [first, ...others] = [pick(EVENTS, this.#random), this.#word(), this.#word(), this.#word()].slice(0, topics);
    const pushed = [...others.reverse(), ...(first === undefined ? [] : [first])].map((topic) => this.#push(topic)).join("");
    this.#add(`${pushed}61${hex(size, 4)}5f${hex(OP.log + topics, 2)}`);
  }

  /** A log that is just as tokens have it, but for what it says. */
  #tokenLike(): void {
    const parties = () => [this.#address(), this.#address()].map((address) => address.padStart(64, "0"));
    const id = () => hex(this.#int(4), 64);
    const [transfer, , single, batch, range, deposit] = EVENTS as [string, string, string, string, string, string];
    const [topics, data] = pick<() => [string[], string[]]>(
      [
        () => [[transfer, ...parties()], [this.#word()]],
        () => [[transfer, ...parties(), id()], []],
        () => [[transfer], [...parties(), id()]],
        () => [
          [single, id(), ...parties()],
          [id(), this.#word()],
        ],
        () => [
          [batch, id(), ...parties()],
          [hex(64, 64), hex(160, 64), hex(2, 64), id(), id(), hex(2, 64), id(), this.#word()],
        ],
        () => [[range, id(), ...parties()], [hex(this.#int(40), 64)]],
        () => [[deposit, parties()[0]!], [id()]],
      ],
      this.#random,
    )();
    for (const [i, word] of data.entries()) this.#store(i, word);
    const pushed = topics
      .reverse()
      .map((topic) => this.#push(topic))
      .join("");
    this.#add(`${pushed}61${hex(data.length * 32, 4)}5f${hex(OP.log + topics.length, 2)}`);
  }

  #call(): void {
    const kind = pick(Object.keys(CALLS) as (keyof typeof CALLS)[], this.#random);
    const value = kind === "call" || kind === "callcode" ? `61${hex(this.#random() < 0.5 ? 0 : this.#int(900), 4)}` : "";
    const target = this.#random() < 0.15 ? "30" : this.#push(this.#address());
    // output, input, value, target, gas; nothing is done with the result
    this.#add(`5f5f61${hex(this.#int(200), 4)}5f${value}${target}62${hex(20_000 + this.#int(120_000), 6)}${CALLS[kind]}50`);
  }

  #create(): void {
    if (this.#depth >= MOST_NESTED) return;
    const initCode = this.#random() < 0.15 ? "5f5ffd" : randomInitCode(this.#around, this.#depth + 1);
    const size = initCode.length / 2;
    for (let at = 0; at < initCode.length; at += 64) this.#store(at / 64, initCode.slice(at, at + 64).padEnd(64, "0"));
    // of few salts, so that they meet again
    const salted = this.#random() < 0.5;
    const value = this.#random() < 0.8 ? 0 : this.#int(600);
    this.#add(
      `${salted ? this.#push(hex(this.#int(3), 64)) : ""}61${hex(size, 4)}5f61${hex(value, 4)}${salted ? OP.create2 : OP.create}50`,
    );
  }

  /** A log again and again. */
  #loop(): void {
    this.#add(`60${hex(2 + this.#int(12), 2)}${OP.jumpdest}`);
    const start = this.digits.length / 2 - 1;
    this.#log();
    this.#add(`600190038061${hex(start, 4)}${OP.jumpi}50`);
  }

  #store(index: number, word: string): void {
    this.#add(`${this.#push(word)}61${hex(index * 32, 4)}52`);
  }

  /** An address, a small number, all ones, or an address with a bit too many. */
  #word(): string {
    const kind = this.#int(10);
    if (kind < 5) return this.#address().padStart(64, "0");
    if (kind < 8) return hex(this.#int(5), 64);
    if (kind === 8) return MAX_WORD;
    return `01${this.#address().padStart(62, "0")}`;
  }

  #address(): string {
    const kind = this.#int(12);
    if (kind === 0) return "0".repeat(40);
    // precompiled contracts, and what is none yet
    if (kind === 1) return hex(1 + this.#int(18), 40);
    return pick(this.#around.addresses, this.#random);
  }

  #push(digits: string): string {
    const bytes = digits.replace(/^(00)+/, "");
    return bytes === "" ? "5f" : `${hex(0x5f + bytes.length / 2, 2)}${bytes}`;
  }

  #int(below: number): number {
    return intOf(below, this.#random);
  }

  get #random(): Random {
    return this.#around.random;
  }

  #add(digits: string): void {
    this.digits += digits;
  }
}
