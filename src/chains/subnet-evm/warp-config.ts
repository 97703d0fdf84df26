/** `warpConfig` of a Subnet-EVM genesis (graft/subnet-evm: precompile/contracts/warp/config.go). */
import type { JsonInput } from "../../base/json/json-input.ts";
import { goStruct } from "./go-struct.ts";

export interface WarpConfig {
  /** time of the first block with the precompile, Unix seconds */
  readonly from: bigint;
  /** percent of the weight that must have signed a message; 0: the usual share */
  readonly quorumNumerator: bigint;
  readonly requiresPrimarySigners: boolean;
}

const MEMBERS = ["blockTimestamp", "disable", "quorumNumerator", "requirePrimaryNetworkSigners"];
const LEAST_QUORUM = 33n;
const WHOLE = 100n;

/** @param durango time of that upgrade. @returns undefined if the precompile is never active */
export function readWarpConfig(config: JsonInput | undefined, durango: bigint): WarpConfig | undefined {
  const given = config && goStruct(config, MEMBERS, { isClosed: true });
  const from = given?.optionalMember("blockTimestamp");
  if (given === undefined || from === undefined || flag(given, "disable")) return undefined;
  const quorum = given.optionalMember("quorumNumerator");
  const quorumNumerator = quorum?.integer(WHOLE) ?? 0n;
  if (quorumNumerator !== 0n && quorumNumerator < LEAST_QUORUM) throw quorum!.wrong(`an integer from ${LEAST_QUORUM} to ${WHOLE}, or 0`);
  if (from.integer() < durango) throw from.wrong(`a time from ${durango} on: before Durango there is no warp`);
  return { from: from.integer(), quorumNumerator, requiresPrimarySigners: flag(given, "requirePrimaryNetworkSigners") };
}

function flag(given: JsonInput, name: string): boolean {
  const member = given.optionalMember(name);
  if (member !== undefined && typeof member.value !== "boolean") throw member.wrong("true or false");
  return member?.value === true;
}
