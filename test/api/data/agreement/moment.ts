/** One checkpoint of a recording, and a served import at its heights; every comparison gets this. */

import { encodeBech32 } from "../../../../src/base/bytes/address.ts";
import { decodeBech32 } from "../../../../src/base/bytes/bech32.ts";
import { decodeCb58, formatId } from "../../../../src/base/bytes/cb58.ts";
import { PLATFORM_CHAIN_ID } from "../../../../src/base/bytes/id.ts";
import type { NetworkInstance } from "../../../../src/network/network.ts";
import type { DataClient } from "../oracle/client.ts";
import type { RecordedAnswers } from "./recorded.ts";
import type { Tally } from "./tally.ts";

export const CHAINS = ["P", "X", "C"] as const;
export type Chain = (typeof CHAINS)[number];

export interface Moment {
  readonly client: DataClient;
  readonly answers: RecordedAnswers;
  readonly tally: Tally;
  readonly network: NetworkInstance;
  /** Unix seconds at which the node was asked, and which the server takes for now */
  readonly clock: bigint;
}

/** A network of its own answers under Fuji's label. */
export function networkPath({ network }: Pick<Moment, "network">): string {
  return `/networks/${network.networkId === 1 ? "mainnet" : "fuji"}`;
}

const NAMES: Readonly<Record<Chain, string>> = { P: "p-chain", X: "x-chain", C: "c-chain" };

export function chainPath(moment: Pick<Moment, "network">, chain: Chain): string {
  return `${networkPath(moment)}/blockchains/${NAMES[chain]}`;
}

/** cb58 */
export function chainIdOf({ network }: Pick<Moment, "network">, chain: Chain): string {
  return formatId({ P: PLATFORM_CHAIN_ID, X: network.xChainId, C: network.cChainId }[chain]);
}

/** The chain that an alias or ID of a request names; undefined: none of the primary network's. */
export function chainNamed(moment: Pick<Moment, "network">, name: unknown): Chain | undefined {
  const aliases: Readonly<Record<Chain, string>> = { P: "platform", X: "avm", C: "evm" };
  return CHAINS.find((chain) => name === chain || name === aliases[chain] || name === chainIdOf(moment, chain));
}

/** An address of a request in hex, however it was spelled; undefined: not readable. */
export function addressNamed(text: unknown): string | undefined {
  if (typeof text !== "string") return undefined;
  try {
    const bytes = text.includes("-") ? decodeBech32(text.slice(text.indexOf("-") + 1)).bytes : decodeCb58(text);
    return bytes.length === 20 ? bytes.toString("hex") : undefined;
  } catch {
    return undefined;
  }
}

/** As the Data API writes and reads them. */
export function addressTexts({ network }: Pick<Moment, "network">, addresses: Iterable<string>): string[] {
  return [...addresses].map((address) => encodeBech32(network.hrp, address));
}

/** `P-custom1…` as the Data API writes it. */
export function bare(address: string): string {
  return address.slice(address.indexOf("-") + 1);
}
