/** Heights in answers of `firn.*`: P, X and C by letter, other chains by blockchain ID. */

import { formatId } from "../../../base/bytes/cb58.ts";
import { type Id, PLATFORM_CHAIN_ID } from "../../../base/bytes/id.ts";
import type { JsonObject } from "../../../base/json/go-encode.ts";
import { assetChainState, assetChains } from "../../../chains/asset/tables.ts";
import { evmTips } from "../../../chains/atomic/tables.ts";
import { platformChain } from "../../../chains/platform/tables.ts";
import { subnetEvmChains } from "../../../chains/subnet-evm/tables.ts";
import { scanAll } from "../../../store/store.ts";
import type { RpcContext } from "../method.ts";

export async function chainHeights(context: RpcContext): Promise<JsonObject> {
  const { reader, network } = context;
  const heights = new Map<Id, bigint | undefined>([[PLATFORM_CHAIN_ID, (await reader.get(platformChain, { slot: 0 }))?.height]]);
  for await (const {
    key: { chain },
    value,
  } of scanAll(reader, assetChains)) {
    heights.set(value.chainId, (await reader.get(assetChainState, { chain }))?.height);
  }
  heights.set(network.cChainId, (await reader.get(evmTips, { chainId: network.cChainId }))?.height);
  for await (const { value } of scanAll(reader, subnetEvmChains)) {
    heights.set(value.chainId, (await reader.get(evmTips, { chainId: value.chainId }))?.height);
  }
  return heightsJson(context, heights);
}

/** A chain without a height does not exist yet, so it is left out. */
export function heightsJson({ network }: RpcContext, heights: ReadonlyMap<Id, bigint | undefined>): JsonObject {
  const letters = new Map([
    [PLATFORM_CHAIN_ID, "P"],
    [network.xChainId, "X"],
    [network.cChainId, "C"],
  ]);
  const known = [...heights].filter(([, height]) => height !== undefined);
  return Object.fromEntries(known.map(([chainId, height]) => [letters.get(chainId) ?? formatId(chainId), `${height}`]));
}
