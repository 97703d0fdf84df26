/** Signs warp messages on request, as nodes do for whoever collects signatures (ACP-118): those that are true, and no others. */

import { formatId } from "../../base/bytes/cb58.ts";
import { sha256Hex } from "../../base/bytes/hash.ts";
import { type Id, PLATFORM_CHAIN_ID, PRIMARY_NETWORK_ID } from "../../base/bytes/id.ts";
import { FirnError } from "../../base/errors/errors.ts";
import { parseUnsignedWarpMessage, parseWarpPayload } from "../../chains/platform/warp/message.ts";
import type { PlatformView } from "../anvil/precompiles/verify-predicate.ts";
import { signedByValidators } from "./aggregate.ts";
import type { ChainWarp } from "./chain-warp.ts";
import { requireTrue } from "./platform-messages.ts";

export interface SignOptions {
  /** for some messages of the P-chain */
  readonly justification?: Uint8Array | undefined;
  /** whose validators sign; by default those of the source chain */
  readonly subnetId?: Id | undefined;
  /** percent of the weight */
  readonly quorum: bigint;
}

export interface SigningParts {
  readonly networkId: number;
  /** undefined if no such EVM chain runs here */
  chain(chainId: Id): ChainWarp | undefined;
  /** Reads the P-chain between two blocks. */
  platform<T>(read: (platform: PlatformView) => T): Promise<T>;
}

/** @param unsigned a message without signatures */
export async function signMessage(unsigned: Uint8Array, options: SignOptions, parts: SigningParts): Promise<Buffer> {
  const message = parseUnsignedWarpMessage(unsigned);
  const { networkId, sourceChainId } = message;
  if (networkId !== parts.networkId)
    throw new FirnError("warp", `the message is of network ${networkId}; this is network ${parts.networkId}`);
  const { quorum, justification = new Uint8Array(), subnetId } = options;
  if (sourceChainId === PLATFORM_CHAIN_ID) {
    return parts.platform(({ state, validatorSets }) => {
      requireTrue(message, justification, state);
      return signedByValidators(unsigned, validatorSets.canonicalAt(subnetId ?? PRIMARY_NETWORK_ID, state.scalars.height), quorum);
    });
  }
  const chain = parts.chain(sourceChainId);
  if (chain === undefined) throw new FirnError("warp", `the chain ${formatId(sourceChainId)} sends no warp messages here`);
  const payload = parseWarpPayload(message.payload);
  if (payload.kind === "Hash") await chain.requireBlock(payload.hash);
  else await chain.message(sha256Hex(unsigned));
  return chain.signed(unsigned, quorum, subnetId);
}
