/** Tables whose rows cannot be derived from blocks in the store: those of a devnet, webhooks, and EVM chains, whose blocks Firn does not keep. */

import type { Table } from "../base/table/table.ts";
import { evmAddedGas, evmEdits, evmPriceExponents, evmSenders } from "../devnet/anvil/tables.ts";
import { devnetClock, devnetClockMoves, devnetUptimes, evmImpersonated, evmModes, warpPositions } from "../devnet/tables.ts";
import { indexTables, tokenTables } from "../evm/index/chain-tables.ts";
import { evmChainSettings, evmChains } from "../evm/index/tables.ts";
import { evmNftMetadata } from "../evm/index/token-tables.ts";
import { EVM_STORE_FORMAT } from "../store/format.ts";
import { webhookTableList } from "../webhooks/webhook-table-list.ts";

const devnetTables: readonly Table[] = [
  devnetClock,
  devnetClockMoves,
  devnetUptimes,
  warpPositions,
  evmEdits,
  evmSenders,
  evmAddedGas,
  evmPriceExponents,
  evmModes,
  evmImpersonated,
];

export const keptTables: readonly Table[] = [
  ...devnetTables,
  ...webhookTableList,
  ...(indexTables as readonly Table[]),
  ...(tokenTables as readonly Table[]),
];

/** Tables of EVM chains that no format changed: which chains there are, and what servers that may be gone said about NFTs. */
const unchangedTables: readonly Table[] = [evmChains, evmChainSettings, evmNftMetadata];

/** The kept tables that can be read from a store of this format. Chains that lose their rows are indexed again from their nodes. */
export function keptTablesOf(format: number): readonly Table[] {
  return format < EVM_STORE_FORMAT ? [...devnetTables, ...webhookTableList, ...unchangedTables] : keptTables;
}
