import { parseId } from "../../../base/bytes/cb58.ts";
import type { Id } from "../../../base/bytes/id.ts";
import { TextError } from "../../../base/errors/text-error.ts";
import { quoteText } from "../../../base/text/go-text.ts";
import { platformChains } from "../../../chains/platform/tables.ts";
import { RpcError } from "../errors.ts";
import { method, type RpcContext } from "../method.ts";
import { string } from "../params.ts";
import { chainAliases } from "../service.ts";
import { stakers } from "./snapshot.ts";

/**
 * Chains of this process are Validating or Syncing. Others are Created, Preferred while the transaction that creates them waits, or
 * Unknown.
 */
export const getBlockchainStatus = method({
  name: "platform.getBlockchainStatus",
  summary: "Whether a blockchain is validated or synced here, exists, or is unknown.",
  cost: "two rows",
  computeUnits: 10,
  params: { blockchainID: string },
  async handler({ blockchainID: text }, context) {
    if (text === "") throw new RpcError("argument 'blockchainID' not given");
    const ownChain = (await chainAliases(context)).get(text);
    if (ownChain !== undefined) return { status: (await isValidatedHere(context, ownChain)) ? "Validating" : "Syncing" };
    const chainId = chainIdOf(text);
    if ((await context.reader.get(platformChains, { chainId })) !== undefined) return { status: "Created" };
    return { status: context.beyondState().issueContext.isPendingChain(chainId) ? "Preferred" : "Unknown" };
  },
});

/** No transaction created the P-chain, so it only syncs. */
async function isValidatedHere(context: RpcContext, chainId: Id): Promise<boolean> {
  const chain = await context.reader.get(platformChains, { chainId });
  if (chain === undefined) return false;
  const { current, l1 } = await stakers(context);
  const { nodeId } = context.node;
  return current.validator(chain.subnetId, nodeId) !== undefined || l1.ofNode(chain.subnetId, nodeId) !== undefined;
}

function chainIdOf(text: string): Id {
  try {
    return parseId(text);
  } catch (error) {
    throw error instanceof TextError ? new RpcError(`problem parsing blockchainID ${quoteText(text)}: ${error.message}`) : error;
  }
}
