/** Assets as requests name them: by an alias of the genesis, or by ID. */
import { assetAliases } from "../../asset/tables.ts";
import { parseId } from "../../primitives/cb58.ts";
import type { Id } from "../../primitives/id.ts";
import { TextError } from "../../primitives/text-error.ts";
import { scanAll } from "../../store/store.ts";
import { RpcError } from "../errors.ts";
import type { RpcContext } from "../method.ts";
import { chainNumber } from "./chain.ts";

/** Whether such an asset exists is not checked. */
export async function resolveAsset(context: RpcContext, name: string): Promise<Id> {
  const row = await context.reader.get(assetAliases, { chain: chainNumber(context), alias: name });
  if (row !== undefined) return row.assetId;
  try {
    return parseId(name);
  } catch (error) {
    throw error instanceof TextError ? new RpcError(`asset '${name}' not found`) : error;
  }
}

/** Names of the genesis assets, by ID. */
export function assetNames(context: RpcContext): Promise<ReadonlyMap<Id, string>> {
  const chain = chainNumber(context);
  return context.cached(`names of assets of chain ${chain}`, async () => {
    const names = new Map<Id, string>();
    for await (const { key, value } of scanAll(context.reader, assetAliases, { chain })) names.set(value.assetId, key.alias);
    return names;
  });
}
