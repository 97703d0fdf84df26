/** A log line of a devnet as people like to read it, made from the structured one. */

/** What every line has; the rest are its facts. */
interface LogLine {
  readonly level: number;
  /** milliseconds since 1970 */
  readonly time: number;
  readonly event: string;
  readonly [fact: string]: unknown;
}

const WARN = 40;
const ERROR = 50;
const COLORS = { dim: 2, red: 31, yellow: 33, cyan: 36 } as const;
type Paint = (color: keyof typeof COLORS, text: string) => string;

/** @param json as pino writes it */
export function devnetLine(json: string, { hasColors }: { hasColors: boolean }): string {
  const paint: Paint = (color, text) => (hasColors ? `\u001b[${COLORS[color]}m${text}\u001b[0m` : text);
  const { level, time, event, ...facts } = JSON.parse(json) as LogLine;
  const clock = paint("dim", new Date(time).toTimeString().slice(0, 8));
  const told = level >= ERROR ? paint("red", event) : level >= WARN ? paint("yellow", event) : event;
  return `${clock}  ${isBlock(facts) ? blockText(facts, paint) : `${told}${factsText(facts)}`}\n`;
}

interface BlockFacts {
  readonly chain: string;
  readonly height: string;
  /** names of the transactions' types, one each */
  readonly kinds: readonly string[];
}

function isBlock(facts: object): facts is BlockFacts {
  return "chain" in facts && "height" in facts && "kinds" in facts;
}

/** `P 12    AddSubnetValidatorTx, BaseTx ×2` */
function blockText({ chain, height, kinds }: BlockFacts, paint: Paint): string {
  const place = paint("cyan", `${chain} ${height}`.padEnd(8));
  return `${place}  ${kinds.length === 0 ? paint("dim", "no transactions") : countsText(kinds)}`;
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
