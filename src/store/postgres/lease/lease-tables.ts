/** The tables and statements of the ingester's lease. */
import { escapeIdentifier } from "pg";

/** how long a statement waits for a row that another transaction has locked */
const ROW_WAIT_MS = 1000;
/** column with the name of the holder's session */
export const SESSION = "session";

/**
 * Two tables: a commit locks the row of the fencing number until its end, and the holder's signs of life must not wait for that.
 * @returns statements that make what is missing
 */
export function leaseTables(schema: string): readonly string[] {
  const { lease, fence } = names(schema);
  return [
    `CREATE TABLE IF NOT EXISTS ${lease} ("slot" smallint PRIMARY KEY CHECK ("slot" = 0), "holder" text NOT NULL, "taken_at" timestamptz NOT NULL, "seen_at" timestamptz NOT NULL)`,
    `ALTER TABLE ${lease} ADD COLUMN IF NOT EXISTS "pid" integer NOT NULL DEFAULT 0, ADD COLUMN IF NOT EXISTS "${SESSION}" text NOT NULL DEFAULT ''`,
    `COMMENT ON TABLE ${lease} IS 'Which process writes the store: that of the session with this pid and application_name. seen_at is set every second while it does.'`,
    `CREATE TABLE IF NOT EXISTS ${fence} ("slot" smallint PRIMARY KEY CHECK ("slot" = 0), "fence" bigint NOT NULL)`,
    `COMMENT ON TABLE ${fence} IS 'The fencing number: increased when a process takes the lease. Every commit locks the row and fails if the number is not its own.'`,
    `INSERT INTO ${lease} ("slot", "holder", "taken_at", "seen_at") VALUES (0, '', 'epoch', 'epoch') ON CONFLICT DO NOTHING`,
    `INSERT INTO ${fence} VALUES (0, 0) ON CONFLICT DO NOTHING`,
  ];
}

export interface LeaseStatements {
  readonly limitWaits: string;
  /** $1: the session's name */
  readonly nameSession: string;
  /** the process and the name of the session that had the lease last, alive or not */
  readonly last: string;
  /**
   * takes the lease, unless the session that has it lives; $1: holder, $2: the session's name, $3 and $4: what `last` said. A statement that
   * waited for the row sees it anew, but the sessions as they were before: without these two it would take the lease from who has just got it.
   */
  readonly take: string;
  readonly holder: string;
  /** ends the session that has the lease, if since its last sign of life ($2) there was none; $1: its process */
  readonly endHolder: string;
  /** ends transactions that hold the row of the fencing number: commits of who held the lease before */
  readonly endCommits: string;
  readonly increaseFence: string;
  /** no row: another session has taken the lease; $1: the session's name */
  readonly beat: string;
  /** $1: the session's name */
  readonly giveBack: string;
  /** waits for an increase that is under way, and keeps the next one waiting until the transaction ends */
  readonly lockFence: string;
}

export function leaseStatements(schema: string): LeaseStatements {
  const { lease, fence } = names(schema);
  const ofDatabase = `"database" = (SELECT "oid" FROM pg_database WHERE "datname" = current_database()) AND "granted"`;
  // everybody sees these three columns of all sessions; the name, too, because a later session may have the same process ID
  const holds = `pg_stat_activity a WHERE a."datname" = current_database() AND a."pid" = l."pid" AND a."application_name" = l."${SESSION}"`;
  const now = "clock_timestamp()";
  return {
    limitWaits: `SET lock_timeout = ${ROW_WAIT_MS}`,
    nameSession: "SELECT set_config('application_name', $1, false)",
    last: `SELECT "pid", "${SESSION}" AS "name" FROM ${lease}`,
    take: `UPDATE ${lease} l SET "holder" = $1, "taken_at" = ${now}, "seen_at" = ${now}, "pid" = pg_backend_pid(), "${SESSION}" = $2 WHERE "slot" = 0 AND "pid" = $3 AND "${SESSION}" = $4 AND NOT EXISTS (SELECT FROM ${holds}) RETURNING "slot"`,
    holder: `SELECT l."holder", l."taken_at", l."seen_at", l."seen_at"::text AS "sign", f."fence", l."pid" FROM ${lease} l, ${fence} f WHERE EXISTS (SELECT FROM ${holds})`,
    endHolder: `SELECT pg_terminate_backend(l."pid") FROM ${lease} l WHERE l."pid" = $1 AND l."seen_at"::text = $2 AND EXISTS (SELECT FROM ${holds})`,
    endCommits: `SELECT pg_terminate_backend("pid") FROM pg_locks WHERE "locktype" = 'relation' AND "relation" = '${fence.replaceAll("'", "''")}'::regclass AND "mode" = 'RowShareLock' AND "pid" <> pg_backend_pid() AND ${ofDatabase}`,
    increaseFence: `UPDATE ${fence} SET "fence" = "fence" + 1 WHERE "slot" = 0 RETURNING "fence"`,
    beat: `UPDATE ${lease} SET "seen_at" = ${now} WHERE "slot" = 0 AND "${SESSION}" = $1 RETURNING "slot"`,
    giveBack: `UPDATE ${lease} SET "pid" = 0 WHERE "slot" = 0 AND "${SESSION}" = $1`,
    lockFence: `SELECT "fence" FROM ${fence} WHERE "slot" = 0 FOR SHARE`,
  };
}

function names(schema: string): { lease: string; fence: string } {
  const inSchema = (table: string) => `${escapeIdentifier(schema)}."${table}"`;
  return { lease: inSchema("store_lease"), fence: inSchema("store_fence") };
}
