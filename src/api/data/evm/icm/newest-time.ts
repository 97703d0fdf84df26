import { countedSeconds } from "../../../../base/time/intervals.ts";
import { evmChainStates } from "../../../../evm/index/tables.ts";
import type { StoreReader } from "../../../../store/store.ts";
import type { IcmChains } from "./icm-chains.ts";

/** Time of the newest block of the chains, in Unix seconds; undefined: there is none. Costs one row for each chain. */
export async function newestTime({ all }: IcmChains, reader: StoreReader): Promise<number | undefined> {
  const states = await reader.getMany(
    evmChainStates,
    all.map(({ evmChain: { chain } }) => ({ chain })),
  );
  const times = states.flatMap((state) => (state === undefined ? [] : [countedSeconds(state.timestamp)]));
  return times.length === 0 ? undefined : Math.max(...times);
}
