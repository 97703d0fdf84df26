/** Resolves the names of chains in requests: the primary network's aliases, and the ID of every chain that this store executes. */

import type { AddressRules } from "../../base/bytes/address.ts";
import { parseServiceAddress } from "../../base/bytes/address.ts";
import { formatId } from "../../base/bytes/cb58.ts";
import { type Id, PLATFORM_CHAIN_ID, type ShortId } from "../../base/bytes/id.ts";
import { TextError } from "../../base/errors/text-error.ts";
import { mapInTurns } from "../../base/work/in-turns.ts";
import { assetChains } from "../../chains/asset/tables.ts";
import { subnetEvmChains } from "../../chains/subnet-evm/tables.ts";
import { scanAll } from "../../store/store.ts";
import { RpcError } from "./errors.ts";
import type { RpcContext } from "./method.ts";

/** Chain IDs by alias. */
export function chainAliases(context: RpcContext): Promise<ReadonlyMap<string, Id>> {
  return context.cached("chain aliases", async () => {
    const { xChainId, cChainId } = context.network;
    const aliases = new Map<string, Id>([
      ["P", PLATFORM_CHAIN_ID],
      ["platform", PLATFORM_CHAIN_ID],
      ["X", xChainId],
      ["avm", xChainId],
      ["C", cChainId],
      ["evm", cChainId],
    ]);
    for (const chainId of [PLATFORM_CHAIN_ID, xChainId, cChainId]) aliases.set(formatId(chainId), chainId);
    for await (const { value } of scanAll(context.reader, assetChains)) aliases.set(formatId(value.chainId), value.chainId);
    for await (const { value } of scanAll(context.reader, subnetEvmChains)) {
      if (value.runs) aliases.set(formatId(value.chainId), value.chainId);
    }
    return aliases;
  });
}

/** Parses address parameters of the endpoint's chain, in order. The first invalid one fails the request with the node's text. */
export async function parseAddresses(context: RpcContext, texts: readonly string[]): Promise<ShortId[]> {
  const aliases = await chainAliases(context);
  const rules: AddressRules & { chainId: Id } = {
    hrp: context.network.hrp,
    chainId: context.chain.chainId,
    resolveAlias: (alias) => aliases.get(alias),
  };
  return mapInTurns(context.work, texts, (text) => {
    try {
      return parseServiceAddress(text, rules);
    } catch (error) {
      throw error instanceof TextError ? new RpcError(error.message) : error;
    }
  });
}
