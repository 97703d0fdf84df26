/** Every table that a store may contain, by the ID with which its keys begin. */
import * as assetTables from "../asset/tables.ts";
import * as atomicTables from "../c-chain/atomic/tables.ts";
import * as balanceTables from "../index/primary/balances/balance-tables.ts";
import * as networkTables from "../index/primary/network/network-tables.ts";
import * as stakingTables from "../index/primary/staking/staking-tables.ts";
import * as transactionTables from "../index/primary/transactions/transaction-tables.ts";
import * as utxoTables from "../index/primary/utxos/utxo-tables.ts";
import * as readTables from "../index/tables.ts";
import { validatorSetProgress } from "../index/validator-snapshots.ts";
import { tablesIn } from "../ingest/tables-in.ts";
import * as platformTables from "../platform/tables.ts";
import type { Table } from "../primitives/table.ts";
import * as sharedTables from "../shared-memory/tables.ts";
import * as storeTables from "../store/tables.ts";
import * as subnetEvmTables from "../subnet-evm/tables.ts";
import { keptTables } from "./kept-tables.ts";

const modules = [
  storeTables,
  readTables,
  platformTables,
  assetTables,
  atomicTables,
  sharedTables,
  subnetEvmTables,
  balanceTables,
  networkTables,
  stakingTables,
  transactionTables,
  utxoTables,
];

export const tablesById: ReadonlyMap<number, Table> = new Map(
  [...modules.flatMap(tablesIn), validatorSetProgress, ...keptTables].map((table) => [table.id, table]),
);
