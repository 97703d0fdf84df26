/** Heights that an answer must have: a client that has seen block 225 of the P-chain elsewhere asks with `Firn-Min-Height-P: 225`. */

import { MAX_U64 } from "../../base/bytes/amount.ts";
import { FirnError } from "../../base/errors/errors.ts";
import type { CommittedState } from "./committed-states.ts";

/** By the chain's alias in lower case, since names of headers have no case. */
export type MinHeights = ReadonlyMap<string, bigint>;

const PREFIX = "firn-min-height-";

/** @param headers lower-case names. Undefined: any height will do */
export function minHeightsOf(headers: Readonly<Record<string, string | string[] | undefined>>): MinHeights | undefined {
  let heights: Map<string, bigint> | undefined;
  for (const name in headers) {
    if (!name.startsWith(PREFIX)) continue;
    heights ??= new Map();
    heights.set(name.slice(PREFIX.length), heightOf(name, headers[name]));
  }
  return heights;
}

function heightOf(name: string, value: string | string[] | undefined): bigint {
  const height = typeof value === "string" && /^[0-9]{1,20}$/.test(value) ? BigInt(value) : undefined;
  if (height !== undefined && height <= MAX_U64) return height;
  throw new FirnError("min-height", `the header ${name} must be given once, with a height in decimal digits, such as 225`);
}

/** A sentence about the first height that the state has not reached; undefined: it has all. */
export function unreached({ chains, evmChains }: Pick<CommittedState, "chains" | "evmChains">, least: MinHeights): string | undefined {
  const all = [...chains, ...evmChains];
  for (const [name, wanted] of least) {
    const chain = all.find(({ alias }) => alias.toLowerCase() === name);
    if (chain === undefined) return `height ${wanted} of chain ${name} was asked for; no block of such a chain is served here`;
    if (chain.height < wanted) return `height ${wanted} of chain ${chain.alias} was asked for; ${chain.height} is served at the moment`;
  }
  return undefined;
}
