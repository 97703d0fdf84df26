/** The asset chain whose endpoint was called: its number, state, codec and address format. */

import { formatAddress } from "../../../base/bytes/address.ts";
import type { JsonContext } from "../../../base/codec/codec.ts";
import type { TableValue } from "../../../base/table/table.ts";
import type { Awaitable } from "../../../base/work/awaitable.ts";
import { type AssetCodec, assetCodec } from "../../../chains/asset/codec.ts";
import { assetChainState, assetChains } from "../../../chains/asset/tables.ts";
import type { RpcContext } from "../method.ts";

export function chainNumber({ chain }: RpcContext): number {
  if (chain.chain === undefined) throw new TypeError(`${chain.alias} is not an asset chain`);
  return chain.chain;
}

export async function chainState(context: RpcContext): Promise<TableValue<typeof assetChainState>> {
  const state = await context.reader.get(assetChainState, { chain: chainNumber(context) });
  if (state === undefined) throw new Error(`the store has no genesis of chain ${context.chain.alias}`);
  return state;
}

export function chainCodec(context: RpcContext): Awaitable<AssetCodec> {
  const chain = chainNumber(context);
  return context.cached(`codec of asset chain ${chain}`, async () => {
    const row = await context.reader.get(assetChains, { chain });
    if (row === undefined) throw new Error(`the store has no asset chain ${chain}`);
    return assetCodec(row.fxIds);
  });
}

/** Addresses in replies carry the endpoint's alias. */
export function jsonContext({ chain, network }: RpcContext): JsonContext {
  return { address: (address) => formatAddress(chain.alias, network.hrp, address) };
}
