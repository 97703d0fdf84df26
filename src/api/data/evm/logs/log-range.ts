/** Which blocks of a chain have their logs in the index. */
import { evmLogRanges } from "../../../../evm/index/log-tables.ts";
import { evmChainStates } from "../../../../evm/index/tables.ts";
import { DataError } from "../../errors.ts";
import type { EvmReading } from "../present-token.ts";

/** Returns the first block with logs; all later ones have theirs. Throws 503 if the newest block's logs are missing. Costs two rows. */
export async function firstBlockWithLogs({ reader, evmChain }: EvmReading): Promise<bigint> {
  const { chain } = evmChain;
  const [range, state] = await Promise.all([reader.get(evmLogRanges, { chain }), reader.get(evmChainStates, { chain })]);
  if (range === undefined || range.last !== state?.height) throw lacksLogs(evmChain, `up to block ${state?.height}`);
  return range.first;
}

/** @param which of the chain's blocks have none */
export function lacksLogs({ evmChainId }: EvmReading["evmChain"], which: string): DataError {
  return new DataError(
    503,
    `logs of chain ${evmChainId} are not available here ${which}: a version of Firn that did not keep logs indexed these blocks; to have them, the operator removes the chain with firn forget ${evmChainId} and indexes it again`,
  );
}
