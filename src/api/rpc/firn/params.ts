/** Parameters of `firn.*`. People type them, so an error says in a sentence what is missing or invalid. */

import { MAX_U64 } from "../../../base/bytes/amount.ts";
import { parseId, parseNodeId } from "../../../base/bytes/cb58.ts";
import { type Id, type NodeId, PRIMARY_NETWORK_ID } from "../../../base/bytes/id.ts";
import { TextError } from "../../../base/errors/text-error.ts";
import type { JsonToken } from "../../../base/json/go-decode.ts";
import { RpcError } from "../errors.ts";
import type { RpcContext } from "../method.ts";
import type { ParamKind } from "../params.ts";
import type { Development } from "./development.ts";

/** The endpoint exists only on a devnet, so every caller of `firn.*` has one. */
export function developmentOf(context: RpcContext): Development {
  const { development } = context.beyondState();
  if (development === undefined) throw new Error("firn.* was called on a server without a devnet");
  return development;
}

/**
 * A kind that reads a quoted or bare token as text; undefined if absent. To refuse a value, `read` returns undefined or throws a TextError.
 */
export function textKind<T>(name: string, wanted: string, read: (text: string) => T | undefined): ParamKind<T | undefined> {
  return {
    zero: undefined,
    decode(token) {
      if (token.kind === "null") return undefined;
      const value = readOrRefuse(token, read);
      if (value === undefined) throw new RpcError(`${name} is ${token.raw.slice(0, LONGEST_ECHO)}; send ${wanted}`);
      return value;
    },
  };
}

const LONGEST_ECHO = 100;

function readOrRefuse<T>(token: JsonToken, read: (text: string) => T | undefined): T | undefined {
  if (token.kind !== "string" && token.kind !== "number") return undefined;
  try {
    return read(token.kind === "string" ? token.text : token.raw);
  } catch (error) {
    if (error instanceof TextError) return undefined;
    throw error;
  }
}

export function required<T>(value: T | undefined, name: string, wanted: string): T {
  if (value === undefined) throw new RpcError(`${name} is missing; send ${wanted}`);
  return value;
}

export function wholeNumber(name: string, wanted: string): ParamKind<bigint | undefined> {
  return textKind(name, wanted, (text) => {
    const value = /^[0-9]{1,20}$/.test(text) ? BigInt(text) : undefined;
    return value !== undefined && value <= MAX_U64 ? value : undefined;
  });
}

export const PERCENT_WANTED = "the percentage of the time that the validator is online, from 0 to 100 with at most four decimals";

/** Clients send percent; Firn stores millionths. */
export const uptimeParam: ParamKind<number | undefined> = textKind("uptime", PERCENT_WANTED, (text) => {
  const [, whole, decimals = ""] = /^([0-9]{1,3})(?:\.([0-9]{1,4}))?$/.exec(text) ?? [];
  const millionths = whole === undefined ? undefined : Number(whole + decimals.padEnd(4, "0"));
  return millionths !== undefined && millionths <= WHOLE ? millionths : undefined;
});

const WHOLE = 1_000_000;

/** Formats millionths as percent with four decimals, as the P-chain's API does. */
export function uptimeText(millionths: number): string {
  return (millionths / 10_000).toFixed(4);
}

export function text(name: string, wanted: string): ParamKind<string | undefined> {
  return textKind(name, wanted, (given) => given);
}

export const SNAPSHOT_ID = "an ID that firn.snapshot returned; firn.listSnapshots lists them";

export const NODE_ID_WANTED = "a node ID like NodeID-7Xhw2mDxuDS44j42TCB6U5579esbSt3Lg";
export const nodeIdParam: ParamKind<NodeId | undefined> = textKind("nodeID", NODE_ID_WANTED, parseNodeId);

export const subnetIdParam: ParamKind<Id | undefined> = textKind("subnetID", "a subnet's ID, or nothing for the primary network", parseId);

export function subnetOf(subnetId: Id | undefined): Id {
  return subnetId ?? PRIMARY_NETWORK_ID;
}
