/** Every table that a store may contain, by the ID with which its keys begin. */

import type { Table } from "../base/table/table.ts";
import * as assetTables from "../chains/asset/tables.ts";
import * as atomicTables from "../chains/atomic/tables.ts";
import * as platformTables from "../chains/platform/tables.ts";
import * as sharedTables from "../chains/shared-memory/tables.ts";
import * as subnetEvmTables from "../chains/subnet-evm/tables.ts";
import * as balanceTables from "../index/primary/balances/balance-tables.ts";
import * as metricTables from "../index/primary/metrics/primary-metric-tables.ts";
import * as networkTables from "../index/primary/network/network-tables.ts";
import * as stakingTables from "../index/primary/staking/staking-tables.ts";
import * as transactionTables from "../index/primary/transactions/transaction-tables.ts";
import * as utxoTables from "../index/primary/utxos/utxo-tables.ts";
import * as readTables from "../index/tables.ts";
import { validatorSetProgress } from "../index/validator-snapshots.ts";
import { tablesIn } from "../ingest/tables-in.ts";
import * as storeTables from "../store/tables.ts";
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
  metricTables,
  networkTables,
  stakingTables,
  transactionTables,
  utxoTables,
];

export const tablesById: ReadonlyMap<number, Table> = new Map(
  [...modules.flatMap(tablesIn), validatorSetProgress, ...keptTables].map((table) => [table.id, table]),
);
