import { formatId } from "../../../base/bytes/cb58.ts";
import { type Id, PLATFORM_CHAIN_ID, PRIMARY_NETWORK_ID } from "../../../base/bytes/id.ts";
import { RuleError, within } from "../../../network/execution.ts";
import type { PlatformState } from "../state/platform-state.ts";

/** Checks that the other chain of an import or export is another chain of the primary network. */
export function verifySameSubnet(chainId: Id, state: PlatformState): void {
  if (chainId === PLATFORM_CHAIN_ID) throw new RuleError("same-chain", "same chainID");
  const subnetId = within(`failed to get subnet of "${formatId(chainId)}"`, () => subnetOfChain(chainId, state));
  if (subnetId === PRIMARY_NETWORK_ID) return;
  const text = `mismatched subnetIDs; expected "${formatId(PRIMARY_NETWORK_ID)}" got "${formatId(subnetId)}"`;
  throw new RuleError("other-subnet", text, { chainId, subnetId });
}

/** The subnet that validates a chain. */
export function subnetOfChain(chainId: Id, state: PlatformState): Id {
  if (chainId === PLATFORM_CHAIN_ID) return PRIMARY_NETWORK_ID;
  const chain = state.chain(chainId);
  if (chain !== undefined) return chain.subnetId;
  throw new RuleError("unknown-chain", `problem retrieving blockchain "${formatId(chainId)}": not found`, { chainId });
}
