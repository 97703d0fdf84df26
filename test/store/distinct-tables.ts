/**
 * Tables that share an ID or a name: the compiler refuses them in this file with a message that names them, and `clashesOf` reports the
 * same at run time.
 */
import type { Table } from "../../src/base/table/table.ts";

/** The tables that a module exports. */
type TablesOf<Module> = Extract<Module[keyof Module], Table>;

type IsOneOfMany<T, All = T> = T extends All ? ([All] extends [T] ? false : true) : never;

/** A sentence for each of those that share an ID or a name; `never` if none do. */
export type Clash<T extends Table> =
  | ClashOfIds<{ [One in T as One["id"]]: One["name"] }>
  | ClashOfNames<{ [One in T as One["name"]]: One["id"] }>;
type ClashOfIds<Names extends Record<number, string>> = {
  [I in keyof Names & number]: true extends IsOneOfMany<Names[I]> ? `ID ${I} is that of ${Names[I]}` : never;
}[keyof Names & number];
type ClashOfNames<Ids extends Record<string, number>> = {
  [N in keyof Ids & string]: true extends IsOneOfMany<Ids[N]> ? `${N} is the name of table ${Ids[N]}` : never;
}[keyof Ids & string];

/** Every file that defines tables. */
type AllTables =
  | TablesOf<typeof import("../../src/chains/asset/tables.ts")>
  | TablesOf<typeof import("../../src/chains/atomic/tables.ts")>
  | TablesOf<typeof import("../../src/devnet/anvil/tables.ts")>
  | TablesOf<typeof import("../../src/devnet/tables.ts")>
  | TablesOf<typeof import("../../src/evm/index/tables.ts")>
  | TablesOf<typeof import("../../src/evm/index/holder-tables.ts")>
  | TablesOf<typeof import("../../src/evm/index/log-tables.ts")>
  | TablesOf<typeof import("../../src/evm/index/icm-tables.ts")>
  | TablesOf<typeof import("../../src/evm/index/metric-tables.ts")>
  | TablesOf<typeof import("../../src/evm/index/token-tables.ts")>
  | TablesOf<typeof import("../../src/index/primary/balances/balance-tables.ts")>
  | TablesOf<typeof import("../../src/index/primary/metrics/primary-metric-tables.ts")>
  | TablesOf<typeof import("../../src/index/primary/network/network-tables.ts")>
  | TablesOf<typeof import("../../src/index/primary/staking/staking-tables.ts")>
  | TablesOf<typeof import("../../src/index/primary/transactions/transaction-tables.ts")>
  | TablesOf<typeof import("../../src/index/primary/utxos/utxo-tables.ts")>
  | TablesOf<typeof import("../../src/index/tables.ts")>
  | TablesOf<typeof import("../../src/index/validator-snapshots.ts")>
  | TablesOf<typeof import("../../src/chains/platform/tables.ts")>
  | TablesOf<typeof import("../../src/chains/shared-memory/tables.ts")>
  | TablesOf<typeof import("../../src/webhooks/webhook-tables.ts")>
  | TablesOf<typeof import("../../src/store/tables.ts")>
  | TablesOf<typeof import("../../src/chains/subnet-evm/tables.ts")>;

type None<T extends never> = T;
/** Whoever gives two tables one ID or one name reads which in the compiler's error of this line. */
export type NoClash = None<Clash<AllTables>>;

/** `tables a and b both have ID 7`, for each ID and each name that two tables share. */
export function clashesOf(tables: readonly Table[]): string[] {
  return tables.flatMap((table, at) =>
    tables
      .slice(at + 1)
      .flatMap((other) => [
        ...(table.id === other.id ? [`tables ${table.name} and ${other.name} both have ID ${table.id}`] : []),
        ...(table.name === other.name ? [`tables ${table.id} and ${other.id} are both named ${table.name}`] : []),
      ]),
  );
}
