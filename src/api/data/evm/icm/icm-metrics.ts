/** Numbers of interchain messages by pair of chains: those that the source sent, or received ones if the source is not indexed here. */
import Type from "typebox";
import { formatId } from "../../../../base/bytes/cb58.ts";
import type { Id } from "../../../../base/bytes/id.ts";
import { evmIcmCounts } from "../../../../evm/index/icm-tables.ts";
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
  readonly pair: { readonly source: Id; readonly destination: Id };
  readonly messages: bigint;
}

/** Intervals from `first` to `last` (Unix seconds, where they begin; both included). Costs one row for each pair of each interval. */
export async function countsBetween(
  interval: number,
  [first, last]: readonly [number, number],
  { chains, wanted, reader }: { readonly chains: IcmChains; readonly wanted: Pair; readonly reader: StoreReader },
): Promise<CountedPair[]> {
  const counted: CountedPair[] = [];
  if (last < first) return counted;
  for (const { blockchainId, evmChain } of chains.all) {
    for (const isSent of [true, false]) {
      const [own, other] = isSent ? [wanted.source, wanted.destination] : [wanted.destination, wanted.source];
      if (own !== undefined && own !== blockchainId) continue;
      const prefix = { chain: evmChain.chain, interval, isSent };
      for await (const { key, value } of scanAll(reader, evmIcmCounts, prefix, { from: { start: BigInt(first) } })) {
        if (key.start > BigInt(last)) break;
        const isCountedThere = !isSent && chains.of(key.peer) !== undefined;
        if (isCountedThere || (other !== undefined && key.peer !== other)) continue;
        const pair = isSent ? { source: blockchainId, destination: key.peer } : { source: key.peer, destination: blockchainId };
        counted.push({ start: Number(key.start), pair, messages: value.messages });
      }
    }
  }
  return counted;
}

/** The members of a pair by which it is grouped. */
export function groupOf({ source, destination }: CountedPair["pair"], groupBy: string, wanted: Pair): Pair {
  const members = groupBy.split(",");
  return {
    source: members.includes("srcBlockchainId") ? source : wanted.source,
    destination: members.includes("destBlockchainId") ? destination : wanted.destination,
  };
}
