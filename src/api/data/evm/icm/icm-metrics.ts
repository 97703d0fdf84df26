/** Numbers of interchain messages by pair of chains: those that the source sent, or received ones if the source is not indexed here. */
import Type from "typebox";
import { formatId } from "../../../../base/bytes/cb58.ts";
import type { Id } from "../../../../base/bytes/id.ts";
import { intervalBefore, intervalStart } from "../../../../base/time/intervals.ts";
import { evmIcmCounts, evmIcmSentCounts } from "../../../../evm/index/icm-tables.ts";
import { type StoreReader, scanAll } from "../../../../store/store.ts";
import { cb58Id, parseIdParam } from "../../ids.ts";
import type { IcmChains } from "./icm-chains.ts";

export const pairQuery = {
  srcBlockchainId: Type.Optional(cb58Id("Only messages from this chain")),
  destBlockchainId: Type.Optional(cb58Id("Only messages to this chain")),
  groupBy: Type.Optional(
    Type.Union(
      ["srcBlockchainId", "destBlockchainId", "srcBlockchainId,destBlockchainId"].map((name) => Type.Literal(name)),
      { description: "Numbers of each source, of each destination, or of each pair. By default one number of all." },
    ),
  ),
};

export interface PairQuery {
  readonly srcBlockchainId?: string | undefined;
  readonly destBlockchainId?: string | undefined;
  readonly groupBy?: string | undefined;
}

/** Blockchain IDs; undefined: any. */
export interface Pair {
  readonly source: Id | undefined;
  readonly destination: Id | undefined;
}

export function pairOf({ srcBlockchainId, destBlockchainId }: PairQuery): Pair {
  const parse = (name: string, text: string | undefined) => (text === undefined ? undefined : parseIdParam(name, text));
  return { source: parse("srcBlockchainId", srcBlockchainId), destination: parse("destBlockchainId", destBlockchainId) };
}

/** A group's members as the official SDKs read them: empty for chains that it does not tell apart. */
export function shownPair({ source, destination }: Pair) {
  return {
    srcBlockchainId: source === undefined ? "" : formatId(source),
    destBlockchainId: destination === undefined ? "" : formatId(destination),
  };
}

export interface CountedPair {
  /** Unix seconds: where the interval begins */
  readonly start: number;
  readonly pair: {
    readonly source: Id;
    /** undefined: any, where destinations are not told apart */
    readonly destination: Id | undefined;
  };
  readonly messages: bigint;
}

interface Counting {
  readonly chains: IcmChains;
  readonly wanted: Pair;
  /** whether each destination has a number of its own */
  readonly byDestination: boolean;
  readonly reader: StoreReader;
}

/**
 * Intervals from `first` to `last` (Unix seconds, where they begin; both included). Costs one row for each interval of each chain, and of each
 * source that is not indexed; by destination, one for each pair of chains in it.
 */
export async function countsBetween(
  interval: number,
  [first, last]: readonly [number, number],
  { chains, wanted, byDestination, reader }: Counting,
): Promise<CountedPair[]> {
  const counted: CountedPair[] = [];
  if (last < first) return counted;
  const { source, destination } = wanted;
  const from = { from: { start: BigInt(first) } };
  for (const { blockchainId, evmChain } of chains.all) {
    const { chain } = evmChain;
    const counts = (isSent: boolean, peer: Id | undefined) =>
      peer === undefined
        ? countsOfAll({ chain, interval, isSent }, [first, last], reader)
        : countsOfPeer({ chain, interval, isSent, peer }, [first, last], reader);
    if (source === undefined || source === blockchainId) {
      const own = { source: blockchainId };
      if (byDestination || destination !== undefined) {
        for (const { peer, ...each } of await counts(true, destination)) counted.push({ ...each, pair: { ...own, destination: peer } });
      } else {
        for await (const { key, value } of scanAll(reader, evmIcmSentCounts, { chain, interval }, from)) {
          if (key.start > BigInt(last)) break;
          counted.push({ start: Number(key.start), pair: { ...own, destination: undefined }, messages: value.messages });
        }
      }
    }
    if (destination !== undefined && destination !== blockchainId) continue;
    for (const { peer, ...each } of await counts(false, source)) {
      // what an indexed chain sent is counted there
      if (chains.of(peer) === undefined) counted.push({ ...each, pair: { source: peer, destination: blockchainId } });
    }
  }
  return counted;
}

interface CountOfPeer {
  readonly start: number;
  readonly peer: Id;
  readonly messages: bigint;
}

async function countsOfAll(
  prefix: { readonly chain: number; readonly interval: number; readonly isSent: boolean },
  [first, last]: readonly [number, number],
  reader: StoreReader,
): Promise<CountOfPeer[]> {
  const counts: CountOfPeer[] = [];
  for await (const { key, value } of scanAll(reader, evmIcmCounts, prefix, { from: { start: BigInt(first) } })) {
    if (key.start > BigInt(last)) break;
    counts.push({ start: Number(key.start), peer: key.peer, messages: value.messages });
  }
  return counts;
}

async function countsOfPeer(
  { peer, ...prefix }: { readonly chain: number; readonly interval: number; readonly isSent: boolean; readonly peer: Id },
  [first, last]: readonly [number, number],
  reader: StoreReader,
): Promise<CountOfPeer[]> {
  const starts: number[] = [];
  let at: number | undefined = intervalStart(prefix.interval, last);
  for (; at !== undefined && at >= first; at = intervalBefore(prefix.interval, at)) starts.push(at);
  const keys = starts.map((start) => ({ ...prefix, start: BigInt(start), peer }));
  const rows = await reader.getMany(evmIcmCounts, keys);
  return starts.flatMap((start, i) => (rows[i] === undefined ? [] : [{ start, peer, messages: rows[i].messages }]));
}

/** Whether a grouping tells destinations apart. */
export function isByDestination(groupBy: string | undefined): boolean {
  return groupBy?.includes("destBlockchainId") ?? false;
}

/** The members of a pair by which it is grouped. */
export function groupOf({ source, destination }: CountedPair["pair"], groupBy: string, wanted: Pair): Pair {
  const members = groupBy.split(",");
  return {
    source: members.includes("srcBlockchainId") ? source : wanted.source,
    destination: isByDestination(groupBy) ? destination : wanted.destination,
  };
}
