/** The height for which balances are returned. */
import Type from "typebox";
import { evmChainStates } from "../../../../evm/index/tables.ts";
import { notFound } from "../../errors.ts";
import type { EvmReading } from "../present-token.ts";

export const blockNumberQuery = {
  blockNumber: Type.Optional(
    Type.String({
      pattern: "^[0-9]{1,20}$",
      title: "the decimal number of a block",
      description: "Balances after this block; by default after the newest indexed block.",
    }),
  ),
};

/** `isPast`: below the newest height. Throws 404 for blocks that are not indexed. */
export async function heightOf(
  blockNumber: string | undefined,
  { reader, evmChain: { chain, evmChainId, settings } }: EvmReading,
): Promise<{ readonly height: bigint; readonly isPast: boolean }> {
  const state = await reader.get(evmChainStates, { chain });
  if (state === undefined) throw notFound(`chain ${evmChainId} has no blocks yet`);
  if (blockNumber === undefined) return { height: state.height, isPast: false };
  const height = BigInt(blockNumber);
  if (height > state.height || height < settings.startBlock) {
    throw notFound(`block ${blockNumber} of chain ${evmChainId} is not indexed; use ${settings.startBlock} to ${state.height}`);
  }
  return { height, isPast: height < state.height };
}
