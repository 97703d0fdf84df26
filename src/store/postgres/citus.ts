/**
 * A store on Citus: its tables are on several nodes, each of which has snapshots of its own. So that a snapshot is of one committed state,
 * each commit counts up one mark per node, in the same transaction. A transaction that reads the marks first, over the one connection per
 * node that it keeps, has fixed the state that it sees of each node; if all marks are equal, these states are of one commit.
 */
import { setTimeout as sleep } from "node:timers/promises";
import { FirnError } from "../../base/errors/errors.ts";
import type { Table } from "../../base/table/table.ts";
import { placementOf, SHARDS } from "./citus-distribution.ts";
import { quoted, snakeCase, sqlColumns } from "./columns.ts";
import type { Session, Statement } from "./connection.ts";

/**
 * One connection per node: a second one would have another snapshot. Citus sends a statement to the shards of its parameters, so it plans
 * with their values.
 */
export const DISTRIBUTED_SETTINGS = ["citus.max_adaptive_executor_pool_size = 1", "plan_cache_mode = 'auto'"];

/** one row per node */
export const MARKS = "commit_marks_of_nodes";
const OWN = "commit_mark";
/** A commit makes its nodes' parts visible within milliseconds of each other. */
const TRIES = 60;
const PAUSE_MS = 10;

/** Whether the database can distribute tables. */
export async function hasCitus(session: Session): Promise<boolean> {
  return (await session.query({ text: "SELECT 1 FROM pg_extension WHERE extname = 'citus'" })).length > 0;
}

/** Whether the tables of this session's schema are distributed. */
export async function isDistributed(session: Session): Promise<boolean> {
  const [[found]] = (await session.query({ text: `SELECT to_regclass('${MARKS}') IS NOT NULL` })) as [[string]];
  return found === "t";
}

/** The statements that distribute a new, empty table; none for one that stays on the coordinator. */
export function distribute(table: Table): string[] {
  const placement = placementOf(table);
  if (placement.kind === "local") return [];
  return [`SELECT create_distributed_table('${quoted(table.name)}', '${snakeCase(placement.column)}', shard_count := ${SHARDS})`];
}

/** Makes the marks: one shard for each node, with one row. */
export function makeMarks(): string[] {
  const nodes = "(SELECT count(*)::integer FROM pg_dist_node WHERE shouldhaveshards AND isactive AND noderole = 'primary')";
  return [
    `CREATE TABLE ${OWN} (slot smallint PRIMARY KEY, commits bigint NOT NULL)`,
    `INSERT INTO ${OWN} VALUES (0, 0)`,
    `CREATE TABLE ${MARKS} (place integer PRIMARY KEY, commits bigint NOT NULL)`,
    `SELECT create_distributed_table('${MARKS}', 'place', shard_count := ${nodes}, colocate_with := 'none')`,
    `INSERT INTO ${MARKS} SELECT min(place), 0 FROM generate_series(0, 9999) place GROUP BY get_shard_id_for_distribution_column('${MARKS}', place)`,
  ];
}

/** Refuses nodes that have rows but no mark: snapshots would not include them. */
export async function checkMarks(session: Session, place: string): Promise<void> {
  const text = `SELECT s.nodename || ':' || s.nodeport FROM citus_shards s, pg_class c WHERE c.oid = s.table_name::oid
    AND c.relnamespace = (SELECT relnamespace FROM pg_class WHERE oid = '${MARKS}'::regclass)
    GROUP BY 1 HAVING NOT bool_or(c.relname = '${MARKS}') ORDER BY 1`;
  const nodes = await session.query({ text });
  if (nodes.length === 0) return;
  const sentence = `in ${place} the nodes ${nodes.map(([node]) => node).join(", ")} have rows of Firn, but no shard of ${MARKS}; move one there, or move their shards back`;
  throw new FirnError("store-schema", sentence, {});
}

/** Inside a commit's transaction. */
export const COUNT_COMMIT: readonly Statement[] = [MARKS, OWN].map((table) => ({
  text: `UPDATE ${table} SET commits = commits + 1`,
  name: `firn_${table}`,
}));

/** Begins a transaction that sees one committed state of all nodes. */
export async function beginOnAllNodes(session: Session, place: string): Promise<void> {
  for (let tries = 0; tries < TRIES; tries++) {
    const [, ...marks] = await Promise.all([
      session.query({ text: "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY" }),
      session.query({ text: `SELECT commits FROM ${OWN}`, name: "firn_pin" }),
      session.query({ text: `SELECT commits FROM ${MARKS}`, name: "firn_pin_nodes" }),
    ]);
    if (new Set(marks.flat().map(([commits]) => commits)).size === 1) return;
    await session.query({ text: "ROLLBACK" });
    if (tries > 0) await sleep(PAUSE_MS);
  }
  const sentence = `the nodes of ${place} do not show the same commit; if one of them was restarted, Citus completes the commit within a minute, or at once with: SELECT recover_prepared_transactions()`;
  throw new FirnError("store-nodes", sentence, {});
}

/** The parameter of a statement over many keys that says which shards it needs, as a condition. @param arrays of the key's columns, from $1 on */
export function shardsCondition(table: Table, isDistributed: boolean, types: readonly string[]): string {
  const placement = placementOf(table);
  if (!isDistributed || placement.kind === "local") return "";
  const at = sqlColumns(table).key.findIndex(({ name }) => name === placement.column);
  return ` AND t.${sqlColumns(table).key[at]!.sqlName} = ANY ($${at + 1}::${types[at]!})`;
}
