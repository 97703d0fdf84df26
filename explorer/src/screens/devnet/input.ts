/** What people type into the forms of the devnet panel. Each reader returns the value, or throws an `InputError` that says what would be right. */

export class InputError extends Error {
  constructor(message: string) {
    super(message);
    this.name = "InputError";
  }
}

const LONGEST_ECHO = 40;

function refused(what: string, text: string, wanted: string): InputError {
  const shown = text.length > LONGEST_ECHO ? `${text.slice(0, LONGEST_ECHO)}…` : text;
  return new InputError(text === "" ? `${what} is missing; write ${wanted}.` : `${what} is ${shown}; write ${wanted}.`);
}

const MOST_NANO_AVAX = 2n ** 64n - 1n;
const NANO_DIGITS = 9;

/** nAVAX of an amount in AVAX, exact to the last digit. */
export function readAvax(text: string): bigint {
  const [, whole, fraction = ""] = /^(\d{1,20})(?:\.(\d{1,9}))?$/.exec(text.trim()) ?? [];
  const amount = whole === undefined ? 0n : BigInt(whole + fraction.padEnd(NANO_DIGITS, "0"));
  if (amount > 0n && amount <= MOST_NANO_AVAX) return amount;
  throw refused("The amount", text.trim(), "AVAX above zero with at most nine decimals, such as 100 or 0.000000001");
}

/** The server itself says what it does not know. */
export function readAddress(text: string): string {
  if (/^(?:[PXC]-[a-z0-9]+1[a-z0-9]+|0x[0-9a-fA-F]{40})$/.test(text.trim())) return text.trim();
  throw refused("The address", text.trim(), "one of P, X or C: P-local1…, X-local1… or 0x…");
}

const UNIT_SECONDS: Readonly<Record<string, number>> = { s: 1, m: 60, h: 3600, d: 86_400, w: 604_800, y: 31_536_000 };

/** Seconds of a period such as `1d12h`, in the form of `firn time advance`. */
export function readPeriod(text: string): number {
  const parts = /^(?:\d{1,12}[smhdwy]){1,12}$/.test(text.trim()) ? [...text.matchAll(/(\d+)([smhdwy])/g)] : [];
  const seconds = parts.reduce((sum, [, number, unit]) => sum + Number(number) * UNIT_SECONDS[unit!]!, 0);
  if (seconds > 0 && Number.isSafeInteger(seconds)) return seconds;
  throw refused("The period", text.trim(), "a number and its unit, such as 90s, 10m, 1d12h, 2w or 1y");
}

const UTC_TIME = /^\d{4}-\d{2}-\d{2}(?:T\d{2}:\d{2}:\d{2}Z)?$/;

/** Unix seconds of a time in UTC. */
export function readTime(text: string): number {
  const trimmed = text.trim();
  const milliseconds = UTC_TIME.test(trimmed) ? Date.parse(trimmed.length === 10 ? `${trimmed}T00:00:00Z` : trimmed) : Number.NaN;
  // Date.parse takes 31 February for 3 March
  const isReal = !Number.isNaN(milliseconds) && new Date(milliseconds).toISOString().startsWith(trimmed.slice(0, 10));
  if (isReal) return milliseconds / 1000;
  throw refused("The time", trimmed, "a day or a time in UTC, such as 2027-01-31 or 2027-01-31T12:00:00Z");
}

/** Percent with up to four decimals, as the development API takes it. */
export function readPercent(text: string): string {
  const trimmed = text.trim().replace(/\s*%$/, "");
  if (/^(?:\d{1,2}(?:\.\d{1,4})?|100(?:\.0{1,4})?)$/.test(trimmed)) return trimmed;
  throw refused("The uptime", text.trim(), "percent from 0 to 100 with at most four decimals");
}

/** undefined: the server chooses */
export function readWholeNumber(what: string, text: string, least: bigint, most: bigint): string | undefined {
  const trimmed = text.trim();
  if (trimmed === "") return undefined;
  if (/^\d{1,20}$/.test(trimmed) && BigInt(trimmed) >= least && BigInt(trimmed) <= most) return `${BigInt(trimmed)}`;
  throw refused(what, trimmed, `a whole number from ${least} to ${most}`);
}

/** Text of a genesis in JSON; undefined: the server's own. */
export function readGenesis(text: string): string | undefined {
  if (text.trim() === "") return undefined;
  try {
    const genesis: unknown = JSON.parse(text);
    if (typeof genesis === "object" && genesis !== null && !Array.isArray(genesis)) return text;
  } catch {
    // said below
  }
  throw new InputError("The genesis is not a JSON object; paste the chain's genesis as Subnet-EVM reads it, or leave the field empty.");
}
