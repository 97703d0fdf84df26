/** Tables whose rows cannot be derived from blocks in the store: those of a devnet, and of EVM chains, whose blocks Firn does not keep. */
import { evmEdits, evmSenders } from "../c-chain/development-evm/tables.ts";
import { devnetClock, devnetClockMoves, devnetUptimes, evmImpersonated, evmModes, warpPositions } from "../devnet/tables.ts";
import { indexTables, tokenTables } from "../evm/index/chain-tables.ts";
import type { Table } from "../primitives/table.ts";

export const keptTables: readonly Table[] = [
  devnetClock,
  devnetClockMoves,
  devnetUptimes,
  warpPositions,
  evmEdits,
  evmSenders,
  evmModes,
  evmImpersonated,
  ...(indexTables as readonly Table[]),
  ...(tokenTables as readonly Table[]),
];
