/** Verifies a warp message that a transaction of an EVM chain carries, as the chain's nodes do before they execute it. */

import { PLATFORM_CHAIN_ID, PRIMARY_NETWORK_ID } from "../../../base/bytes/id.ts";
import type { PlatformState } from "../../../chains/platform/state/platform-state.ts";
import { subnetOfChain } from "../../../chains/platform/tx/same-subnet.ts";
import type { ValidatorSets } from "../../../chains/platform/validator-sets.ts";
import type { WarpMessage } from "../../../chains/platform/warp/message.ts";
import { verifyWarpMessage } from "../../../chains/platform/warp/verify.ts";
import type { EvmChainSpec, WarpRules } from "../chains/evm-chain-spec.ts";
import type { VerifyWarp } from "./warp-precompile.ts";

/** The P-chain as it stands when a block is built. */
export interface PlatformView {
  readonly state: PlatformState;
  readonly validatorSets: ValidatorSets;
}

/** @param pChainHeight of the block's proposervm wrapper, or of its epoch */
export function verifyPredicate(
  message: WarpMessage,
  rules: WarpRules,
  { state, validatorSets }: PlatformView,
  pChainHeight: bigint,
): void {
  const source = subnetOfChain(message.sourceChainId, state);
  // the chain's own validators follow the P-chain; of X and C they vouch for what they were told, unless genesis says otherwise
  const trustsOwn = source === PRIMARY_NETWORK_ID && (!rules.requiresPrimarySigners || message.sourceChainId === PLATFORM_CHAIN_ID);
  const set = validatorSets.canonicalAt(trustsOwn ? rules.subnetId : source, pChainHeight);
  verifyWarpMessage(message, rules.networkId, set, rules.quorumNumerator);
}

/** undefined for a chain without the warp precompile */
export function predicateVerifier(
  { warp }: EvmChainSpec,
  platform: PlatformView,
  { pChainHeight }: { readonly pChainHeight: bigint },
): VerifyWarp | undefined {
  return warp && ((message) => verifyPredicate(message, warp, platform, pChainHeight));
}
