/** Opens a chain for the oracle and compares Firn's answers with what the oracle finds in the node's blocks. */
import { inspect, isDeepStrictEqual } from "node:util";
import { eventually, stopwatch } from "../../../../patience.ts";
import { randomOf } from "../../../../random.ts";
import { Answers, askContracts } from "./answers.ts";
import type { Case, OracleCourt } from "./case-maker.ts";
import { casesOf } from "./cases.ts";
import { asking, readChain } from "./chain-answers.ts";
import { Contracts } from "./contracts.ts";
import { Ledger } from "./ledger.ts";
import { Lists } from "./lists.ts";
import { type OracleBlock, readWorld } from "./world.ts";

export interface CourtOptions extends Pick<OracleCourt, "chain" | "chainNames"> {
  /** default: no contract that logs like a token is one */
  readonly ercTypes?: OracleCourt["ercTypes"];
  /** of Firn, which has indexed the chain */
  readonly url: string;
  /** of a node of the chain */
  readonly rpc: string;
  /** of who tells blocks and receipts as the chain shows them; default: `rpc` */
  readonly blocksRpc?: string;
  /** heights at which the node knows the state, the newest last; default: some of all */
  readonly stateHeights?: readonly number[];
  /** default: true */
  readonly isAlone?: boolean;
}

export async function openCourt({
  url,
  rpc,
  blocksRpc = rpc,
  chain,
  chainNames,
  ercTypes,
  stateHeights,
  isAlone = true,
}: CourtOptions): Promise<OracleCourt> {
  const ask = asking(rpc);
  const answers = await readChain(ask, undefined, asking(blocksRpc));
  const head = answers.length - 1;
  const contracts = new Contracts(ask, head);
  const blocks = await readWorld(answers, contracts);
  const shown = new Answers(chainNames[0]!, await askContracts(blocks, contracts));
  return {
    url,
    chain,
    chainNames,
    isAlone,
    ercTypes: ercTypes ?? unknownTokens(blocks),
    lists: new Lists(blocks, shown),
    answers: shown,
    ledger: new Ledger(ask, blocks),
    stateHeights: stateHeights ?? [1, 2, 3, 4].map((quarter) => Math.floor((head * quarter) / 4)),
  };
}

function unknownTokens(blocks: readonly OracleBlock[]): OracleCourt["ercTypes"] {
  const transfers = blocks.flatMap(({ transactions }) => transactions.flatMap((tx) => tx.transfers));
  return new Map(transfers.map(({ token }) => [token, "UNKNOWN"]));
}

export interface Verdict {
  /** cases that were asked, of so many */
  readonly asked: number;
  readonly all: number;
  readonly failures: readonly string[];
}

export interface TrialOptions {
  /** which cases: the same ones for the same seed */
  readonly seed: number;
  /** about so many; default all */
  readonly most?: number;
}

/** What contracts say is asked behind the blocks: answers may differ so long. */
const PATIENCE_MS = 200_000;

export async function hold(court: OracleCourt, options: TrialOptions): Promise<Verdict> {
  const all = [...casesOf(court)];
  const asked = chosen(all, options);
  return { asked: asked.length, all: all.length, ...(await failuresOf(asked)) };
}

/** What still differs once contracts had time to be asked. */
export async function failuresOf(cases: readonly Case[]): Promise<Pick<Verdict, "failures">> {
  let failing = cases;
  const elapsed = stopwatch();
  return eventually(async () => {
    const failures = new Map<Case, string>();
    for (const each of failing) {
      const failure = await failureOf(each);
      if (failure !== undefined) failures.set(each, failure);
    }
    failing = [...failures.keys()];
    return (failures.size === 0 || elapsed() > PATIENCE_MS) && { failures: [...failures.values()] };
  });
}

/** Every case alone is as likely to be chosen. */
export function chosen<T>(all: readonly T[], { seed, most = all.length }: TrialOptions): T[] {
  if (most >= all.length) return [...all];
  const next = randomOf(seed);
  return all.filter(() => next() * all.length < most);
}

export async function failureOf({ name, ask }: Case): Promise<string | undefined> {
  try {
    const { answered, expected } = await ask();
    return isDeepStrictEqual(answered, expected) ? undefined : `${name}\n${differenceOf(answered, expected)}`;
  } catch (error) {
    return `${name}\n  ${(error as Error).message}`;
  }
}

/** The first place at which the two differ. */
function differenceOf(answered: unknown, expected: unknown, path = ""): string {
  if (isContainer(answered) && isContainer(expected)) {
    if (Array.isArray(answered) && Array.isArray(expected) && answered.length !== expected.length) {
      return `  ${path || "the list"} has ${answered.length} items, expected ${expected.length}\n  got ${shortOf(answered)}\n  expected ${shortOf(expected)}`;
    }
    for (const key of new Set([...Object.keys(answered), ...Object.keys(expected)])) {
      if (!isDeepStrictEqual(answered[key], expected[key])) return differenceOf(answered[key], expected[key], `${path}/${key}`);
    }
  }
  return `  ${path}: got ${shortOf(answered)}\n  expected ${shortOf(expected)}`;
}

function isContainer(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null;
}

function shortOf(value: unknown): string {
  return inspect(value, { depth: 3, breakLength: 160 }).slice(0, 800);
}
