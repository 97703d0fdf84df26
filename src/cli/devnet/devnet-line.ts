/** Formats the structured log lines of a devnet for people. */
import { terminalLine } from "../../base/text/terminal-text.ts";

/** The fields that every line has; all others are its facts. */
export interface LogLine {
  readonly level: number;
  /** milliseconds since 1970 */
  readonly time: number;
  readonly event: string;
  readonly [fact: string]: unknown;
}

export interface BlockLine extends LogLine {
  readonly chain: string;
  readonly height: string;
  /** one type name per transaction */
  readonly kinds: readonly string[];
}

/** Blocks of one chain that came too fast for a line each. */
export interface BlockRun {
  readonly chain: string;
  readonly first: string;
  readonly last: string;
  readonly blocks: number;
  readonly transactions: number;
}

const WARN = 40;
const ERROR = 50;
const COLORS = { dim: 2, red: 31, yellow: 33, cyan: 36 } as const;
const PLACE_WIDTH = 8;

export function isBlockLine(line: LogLine): line is BlockLine {
  return "chain" in line && "height" in line && "kinds" in line;
}

export class LineStyle {
  readonly #hasColors: boolean;

  constructor({ hasColors }: { hasColors: boolean }) {
    this.#hasColors = hasColors;
  }

  line(line: LogLine): string {
    const { level, time, event, ...facts } = line;
    if (isBlockLine(line)) return this.#at(time, this.#block(line));
    const name = terminalLine(event);
    const told = level >= ERROR ? this.#paint("red", name) : level >= WARN ? this.#paint("yellow", name) : name;
    return this.#at(time, `${told}${terminalLine(factsText(facts))}`);
  }

  run({ chain, first, last, blocks, transactions }: BlockRun, time: number): string {
    return this.#at(time, `${this.#place(`${chain} ${first}–${last}`)}  ${blocks} blocks, ${transactions} transactions`);
  }

  /** `P 12    AddSubnetValidatorTx, BaseTx ×2` */
  #block({ chain, height, kinds }: BlockLine): string {
    return `${this.#place(`${chain} ${height}`)}  ${kinds.length === 0 ? this.#paint("dim", "no transactions") : countsText(kinds)}`;
  }

  #place(text: string): string {
    return this.#paint("cyan", text.padEnd(PLACE_WIDTH));
  }

  #at(time: number, text: string): string {
    return `${this.#paint("dim", new Date(time).toTimeString().slice(0, "hh:mm:ss".length))}  ${text}\n`;
  }

  #paint(color: keyof typeof COLORS, text: string): string {
    return this.#hasColors ? `\u001b[${COLORS[color]}m${text}\u001b[0m` : text;
  }
}

function countsText(kinds: readonly string[]): string {
  const counts = new Map<string, number>();
  for (const kind of kinds) counts.set(kind, (counts.get(kind) ?? 0) + 1);
  return [...counts].map(([kind, count]) => (count === 1 ? kind : `${kind} ×${count}`)).join(", ");
}

function factsText(facts: Readonly<Record<string, unknown>>): string {
  const { err, ...others } = facts;
  const texts = Object.entries(others).map(([name, value]) => `  ${name} ${typeof value === "string" ? value : JSON.stringify(value)}`);
  return `${texts.join("")}${err === undefined ? "" : `: ${(err as { message?: string }).message ?? JSON.stringify(err)}`}`;
}
