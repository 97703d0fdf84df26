import { formatAddress } from "../../../base/bytes/address.ts";
import type { ShortId } from "../../../base/bytes/id.ts";
import type { RpcContext } from "../method.ts";

export interface ApiOwner {
  readonly locktime?: bigint;
  readonly threshold: number;
  readonly addresses: readonly ShortId[];
}

export function addressTexts({ chain, network }: RpcContext, addresses: readonly ShortId[]): string[] {
  return addresses.map((address) => formatAddress(chain.alias, network.hrp, address));
}

/** An owner as the service's own replies show it: all members are strings, unlike inside transactions (rpc-platform 3.7.1). */
export function ownerJson(context: RpcContext, { locktime = 0n, threshold, addresses }: ApiOwner) {
  return { locktime: `${locktime}`, threshold: `${threshold}`, addresses: addressTexts(context, addresses) };
}
