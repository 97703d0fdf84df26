/** Resolves the asset of a request, which is an alias of the genesis or an ID. */

import { parseId } from "../../../base/bytes/cb58.ts";
import type { Id } from "../../../base/bytes/id.ts";
import { TextError } from "../../../base/errors/text-error.ts";
import { echoed } from "../../../base/text/go-text.ts";
import { type Awaitable, andThen } from "../../../base/work/awaitable.ts";
import { assetAliases } from "../../../chains/asset/tables.ts";
import { scanAll } from "../../../store/store.ts";
import { RpcError } from "../errors.ts";
import type { RpcContext } from "../method.ts";
import { chainNumber } from "./chain.ts";

/** Does not check whether the asset exists. */
export function resolveAsset(context: RpcContext, name: string): Awaitable<Id> {
  // This uses a map, since a name may be longer than any key of a table.
  return andThen(assetIds(context), (ids) => ids.get(name) ?? assetIdOf(name));
}

function assetIdOf(text: string): Id {
  try {
    return parseId(text);
  } catch (error) {
    throw error instanceof TextError ? new RpcError(`asset '${echoed(text)}' not found`) : error;
  }
}

/** IDs of the genesis assets, by name. */
function assetIds(context: RpcContext): Awaitable<ReadonlyMap<string, Id>> {
  const chain = chainNumber(context);
  return context.cached(`assets of chain ${chain} by name`, async () => {
    const ids = new Map<string, Id>();
    for await (const { key, value } of scanAll(context.reader, assetAliases, { chain })) ids.set(key.alias, value.assetId);
    return ids;
  });
}

/** Names of the genesis assets, by ID. */
export function assetNames(context: RpcContext): Awaitable<ReadonlyMap<Id, string>> {
  const chain = chainNumber(context);
  return context.cached(`names of assets of chain ${chain}`, async () => {
    return new Map([...(await assetIds(context))].map(([name, assetId]) => [assetId, name]));
  });
}
