/**
 * The UTXOs that a node showed at a checkpoint in all its answers. Which of them an address sees depends on their owners, so an answer for
 * many addresses determines the answer for each of them, and for any group of them.
 */
import { addressNamed, CHAINS, type Chain, chainNamed, type Moment } from "./moment.ts";
import type { Json, RecordedAnswer } from "./recorded.ts";
import { isVisible, type RecordedOutput, type RecordedUtxo, readOutput, readUtxo } from "./recorded-utxo.ts";

/** UTXOs that one chain can consume: its own, or those that another exported to it. */
export interface UtxoSet {
  readonly method: string;
  readonly chain: Chain;
  readonly source: Chain;
  /** by ID, in hex */
  readonly utxos: ReadonlyMap<string, RecordedUtxo>;
  /** whose UTXOs were shown to their end, in hex */
  readonly covered: ReadonlySet<string>;
  /** addresses that were asked for together, each group once; not all of them to the end */
  readonly groups: readonly ReadonlySet<string>[];
}

const METHODS: Readonly<Record<Chain, string>> = { P: "platform.getUTXOs", X: "avm.getUTXOs", C: "avax.getUTXOs" };
const MOST_FETCHED = 1024;

/** Those that were asked for at all. */
export function recordedUtxoSets(moment: Moment): UtxoSet[] {
  return CHAINS.flatMap((chain) => CHAINS.map((source) => recordedSet(moment, chain, source)).filter((set) => set.groups.length > 0));
}

function recordedSet(moment: Moment, chain: Chain, source: Chain): UtxoSet {
  const method = METHODS[chain];
  const pages = moment.answers.of(method).filter(({ params }) => sourceOf(moment, params, chain) === source);
  const utxos = new Map<string, RecordedUtxo>();
  const covered = new Set<string>();
  const groups = new Map<string, ReadonlySet<string>>();
  for (const { params, result } of pages) {
    for (const text of result.utxos) {
      const utxo = readUtxo(text, result.encoding);
      utxos.set(utxo.utxoId, utxo);
    }
    const addresses = addressesAsked(params);
    if (addresses !== undefined) groups.set([...addresses].sort().join(), addresses);
  }
  for (const page of pages) {
    if (page.params.startIndex || !isShownToTheEnd(page, pages)) continue;
    for (const address of addressesAsked(page.params) ?? []) covered.add(address);
  }
  return { method, chain, source, utxos, covered, groups: [...groups.values()] };
}

function sourceOf(moment: Moment, params: Json, chain: Chain): Chain | undefined {
  const { sourceChain } = params ?? {};
  return sourceChain === undefined || sourceChain === null || sourceChain === "" ? chain : chainNamed(moment, sourceChain);
}

/** Undefined: none, or one that is not readable. The Data API takes a request without addresses for one for the whole chain. */
export function addressesAsked(params: Json): ReadonlySet<string> | undefined {
  if (!Array.isArray(params?.addresses) || params.addresses.length === 0) return undefined;
  const addresses = params.addresses.map(addressNamed);
  return addresses.includes(undefined) ? undefined : new Set(addresses);
}

/** A page that is not full is the last one; the others are followed by the page that starts where they end, if that was asked for. */
function isShownToTheEnd(first: RecordedAnswer, pages: readonly RecordedAnswer[]): boolean {
  const seen = new Set<RecordedAnswer>();
  for (let page: RecordedAnswer | undefined = first; page !== undefined && !seen.has(page); ) {
    seen.add(page);
    const { params, result }: RecordedAnswer = page;
    if (Number(result.numFetched) < limitOf(params)) return true;
    page = pages.find(({ params: next }) => isPageAfter(next, params, result.endIndex));
  }
  return false;
}

function isPageAfter(next: Json, params: Json, end: Json): boolean {
  const { startIndex } = next;
  return (
    startIndex?.address === end.address &&
    startIndex?.utxo === end.utxo &&
    limitOf(next) === limitOf(params) &&
    JSON.stringify(next.addresses) === JSON.stringify(params.addresses)
  );
}

function limitOf({ limit }: Json): number {
  const wanted = Number(limit ?? MOST_FETCHED);
  return wanted > 0 && wanted <= MOST_FETCHED ? wanted : MOST_FETCHED;
}

export function visibleUtxos({ utxos }: UtxoSet, asked: ReadonlySet<string>): RecordedUtxo[] {
  return [...utxos.values()].filter((utxo) => isVisible(utxo, asked));
}

export function isCovered({ covered }: UtxoSet, asked: ReadonlySet<string>): boolean {
  return [...asked].every((address) => covered.has(address));
}

/** Outputs of stakers, pending and current, that any of the addresses owns. */
export interface RecordedStake {
  readonly addresses: ReadonlySet<string>;
  readonly validatorsOnly: boolean;
  readonly outputs: readonly RecordedOutput[];
}

/** Every question once. */
export function recordedStakes({ answers }: Moment): RecordedStake[] {
  const stakes = new Map<string, RecordedStake>();
  for (const { params, result } of answers.of("platform.getStake")) {
    const addresses = addressesAsked(params);
    if (addresses === undefined) continue;
    const validatorsOnly = params.validatorsOnly === true;
    const outputs = result.stakedOutputs.map((text: string) => readOutput(text, result.encoding));
    stakes.set(`${validatorsOnly} ${[...addresses].sort()}`, { addresses, validatorsOnly, outputs });
  }
  return [...stakes.values()];
}
