import { formatAddress } from "../../../base/bytes/address.ts";
import type { JsonContext } from "../../../base/codec/codec.ts";
import type { RpcContext } from "../method.ts";

/** Addresses inside blocks and transactions get the prefix of the endpoint's chain. */
export function jsonContext({ chain, network }: RpcContext): JsonContext {
  return { address: (address) => formatAddress(chain.alias, network.hrp, address) };
}
