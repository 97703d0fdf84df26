/** Says from which block on a chain's messages are known, where that is not its first. */
import Type from "typebox";
import { evmIcmRanges } from "../../../../evm/index/icm-tables.ts";
import type { StoreReader } from "../../../../store/store.ts";
import { namedObject } from "../../named-object.ts";
import type { IcmChains } from "./icm-chains.ts";

export const indexedFrom = Type.Optional(
  Type.Array(
    namedObject("IcmIndexedFrom", {
      evmChainId: Type.String({ description: "Decimal." }),
      blockNumber: Type.String({ description: "The first block whose messages are known." }),
    }),
    {
      description:
        "Present if messages of older blocks are missing: these chains are indexed from a later block on, or a version of Firn without messages indexed the older ones.",
    },
  ),
);

/** Costs one row for each chain. */
export async function readIndexedFrom({ all }: IcmChains, reader: StoreReader) {
  const rows = await reader.getMany(
    evmIcmRanges,
    all.map(({ evmChain: { chain } }) => ({ chain })),
  );
  const late = all.flatMap(({ evmChain }, i) => {
    const first = rows[i]?.first ?? 0n;
    return first === 0n ? [] : [{ evmChainId: `${evmChain.evmChainId}`, blockNumber: `${first}` }];
  });
  return late.length === 0 ? {} : { indexedFrom: late };
}
