import { formatId } from "../../../base/bytes/cb58.ts";
import { PLATFORM_CHAIN_ID, PRIMARY_NETWORK_ID } from "../../../base/bytes/id.ts";
import { platformChains } from "../../../chains/platform/tables.ts";
import { RpcError } from "../errors.ts";
import { method } from "../method.ts";
import { id } from "../params.ts";
import { wrongKind } from "./subnet-errors.ts";

export const validatedBy = method({
  name: "platform.validatedBy",
  summary: "The subnet that validates a blockchain.",
  cost: "one row",
  computeUnits: 10,
  params: { blockchainID: id },
  async handler({ blockchainID: chainId }, context) {
    if (chainId === PLATFORM_CHAIN_ID) return { subnetID: formatId(PRIMARY_NETWORK_ID) };
    const chain = await context.reader.get(platformChains, { chainId });
    if (chain !== undefined) return { subnetID: formatId(chain.subnetId) };
    const reason = await wrongKind(context, chainId, "blockchain");
    throw new RpcError(reason ?? `problem retrieving blockchain "${formatId(chainId)}": not found`);
  },
});
