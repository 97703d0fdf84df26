/**
 * Where rows are if the database has Citus. One rule: a table is distributed by the first ID, address or hash in its key, which every read of
 * a request names: so each read goes to the shards of its keys alone. The exceptions are listed here, with their reasons.
 */
import type { Table } from "../../base/table/table.ts";

/** Shards of a table; the rows of equal IDs in all tables are on one node. */
export const SHARDS = 32;

type Placement =
  | { readonly kind: "distributed" /** its name in the table's definition */; readonly column: string }
  /** on the coordinator, undistributed */
  | { readonly kind: "local" };

/** Tables that grow and are read in ranges of one chain: a part of each on every node would make each page ask all nodes. */
const BY_CHAIN = "pages are ranges of one chain, in its order";
/** Written with most commits, or read whole: a copy on each node would cost writes there, and nothing reads it there. */
const SMALL = "few rows, which are read whole or written with each commit";
const FEW_CHAINS = "the chain comes first in the key, and most rows are of a few chains";
const BY_BLOCK = "read by block, or by position in it";

const EXCEPTIONS: Readonly<Record<string, { readonly column?: string; readonly reason: string }>> = {
  evm_blocks: { column: "chain", reason: BY_CHAIN },
  evm_transactions: { column: "chain", reason: BY_CHAIN },
  evm_tokens_by_height: { column: "chain", reason: BY_CHAIN },
  evm_token_names: { column: "chain", reason: "searched by the beginning of a name, which is a range" },
  evm_transactions_by_status: { column: "chain", reason: BY_CHAIN },
  evm_untraced_transactions: { column: "chain", reason: BY_CHAIN },
  primary_blocks: { column: "chain", reason: BY_CHAIN },
  blocks_by_time: { column: "chain", reason: BY_CHAIN },
  transaction_order: { column: "chain", reason: BY_CHAIN },
  block_heights: { column: "blockId", reason: FEW_CHAINS },
  container_heights: { column: "containerId", reason: FEW_CHAINS },
  shared_elements: { column: "key", reason: FEW_CHAINS },
  shared_by_address: { column: "address", reason: FEW_CHAINS },
  evm_inputs: { column: "height", reason: BY_BLOCK },
  evm_logs: { column: "chain", reason: BY_CHAIN },
  evm_log_data: { column: "height", reason: BY_BLOCK },
  evm_transfers: { column: "height", reason: BY_BLOCK },
  evm_internals: { column: "height", reason: BY_BLOCK },
  evm_icm_transactions: { column: "height", reason: BY_BLOCK },
  evm_icm_counts: { column: "chain", reason: BY_CHAIN },
  webhook_addresses: { column: "webhook", reason: "pages are ranges of one webhook" },
  primary_vertices: { column: "height", reason: "read by height" },
  vertex_counts: { column: "height", reason: "read by height" },
  evm_contract_queue: { column: "chain", reason: "the next ones of a chain are read in order of time" },
  evm_nft_queue: { column: "chain", reason: "the next ones of a chain are read in order of time" },
  // those below have an ID in the key, and are read whole
  asset_deferred_txs: { reason: SMALL },
  current_validations: { reason: SMALL },
  evm_chain: { reason: SMALL },
  evm_lying_tokens: { reason: SMALL },
  platform_chains: { reason: SMALL },
  platform_expiries: { reason: SMALL },
  platform_l1_validators: { reason: SMALL },
  platform_stakers: { reason: SMALL },
  platform_staking_info: { reason: SMALL },
  platform_subnets: { reason: SMALL },
  platform_supplies: { reason: SMALL },
  primary_names: { reason: "searched by the beginning of a name, which is a range; it has few rows" },
  peer_absences: { reason: SMALL },
  source_queues: { reason: SMALL },
  source_tips: { reason: SMALL },
  validator_set_progress: { reason: SMALL },
  webhook_alarms: { reason: SMALL },
  webhook_secrets: { reason: SMALL },
};

export function placementOf(table: Table): Placement {
  const exception = EXCEPTIONS[table.name];
  const column = exception ? exception.column : Object.entries(table.key).find(([, { column }]) => column?.kind === "hex")?.[0];
  return column === undefined ? { kind: "local" } : { kind: "distributed", column };
}

/** Why a table is not distributed by the rule. */
export function reasonOf(table: Table): string | undefined {
  const placement = placementOf(table);
  return EXCEPTIONS[table.name]?.reason ?? (placement.kind === "local" ? SMALL : undefined);
}

/** Which column a range leaves open that would tell the shard; undefined: it is of one shard, or of a table that is not distributed. */
export function unboundColumn(table: Table, prefix: object = {}): string | undefined {
  const placement = placementOf(table);
  if (placement.kind === "local") return undefined;
  return (prefix as Record<string, unknown>)[placement.column] === undefined ? placement.column : undefined;
}

/** Exceptions that no table has. */
export function unknownExceptions(tables: readonly Table[]): string[] {
  const names = new Set(tables.map(({ name }) => name));
  return Object.keys(EXCEPTIONS).filter((name) => !names.has(name));
}
