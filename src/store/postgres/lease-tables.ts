/** The tables and statements of the ingester's lease. */
import { createHash } from "node:crypto";
import { escapeIdentifier } from "pg";

/** how long a statement waits for a row that another transaction has locked */
const ROW_WAIT_MS = 1000;

/**
 * Two tables: a commit locks the row of the fencing number until its end, and the holder's signs of life must not wait for that.
 * @returns statements that make what is missing
 */
export function leaseTables(schema: string): readonly string[] {
  const { lease, fence } = names(schema);
  return [
    `CREATE TABLE IF NOT EXISTS ${lease} ("slot" smallint PRIMARY KEY CHECK ("slot" = 0), "holder" text NOT NULL, "taken_at" timestamptz NOT NULL, "seen_at" timestamptz NOT NULL)`,
    `COMMENT ON TABLE ${lease} IS 'Which process writes the store. seen_at is set every second while it does.'`,
    `CREATE TABLE IF NOT EXISTS ${fence} ("slot" smallint PRIMARY KEY CHECK ("slot" = 0), "fence" bigint NOT NULL)`,
    `COMMENT ON TABLE ${fence} IS 'The fencing number: increased when a process takes the lease. Every commit locks the row and fails if the number is not its own.'`,
    `INSERT INTO ${lease} VALUES (0, '', 'epoch', 'epoch') ON CONFLICT DO NOTHING`,
    `INSERT INTO ${fence} VALUES (0, 0) ON CONFLICT DO NOTHING`,
  ];
}

export interface LeaseStatements {
  readonly limitWaits: string;
  /** takes the lock, if it is free, and says so in the same statement; $1: holder */
  readonly take: string;
  readonly holder: string;
  /** ends the session that holds the lock, if since its last sign of life ($2) there was none; $1: its process */
  readonly endHolder: string;
  /** ends transactions that hold the row of the fencing number: commits of who held the lease before */
  readonly endCommits: string;
  readonly increaseFence: string;
  readonly beat: string;
  readonly giveBack: string;
  /** waits for an increase that is under way, and keeps the next one waiting until the transaction ends */
  readonly lockFence: string;
}

export function leaseStatements(schema: string): LeaseStatements {
  const { lease, fence } = names(schema);
  const key = lockKey(schema);
  const ofDatabase = `"database" = (SELECT "oid" FROM pg_database WHERE "datname" = current_database()) AND "granted"`;
  // a key of 64 bits is shown in two columns, with 1 in a third
  const [high, low] = [BigInt.asUintN(64, key) >> 32n, BigInt.asUintN(32, key)];
  const lock = `pg_locks WHERE "locktype" = 'advisory' AND "classid"::bigint = ${high} AND "objid"::bigint = ${low} AND "objsubid" = 1 AND ${ofDatabase}`;
  return {
    limitWaits: `SET lock_timeout = ${ROW_WAIT_MS}`,
    take: `UPDATE ${lease} SET "holder" = $1, "taken_at" = clock_timestamp(), "seen_at" = clock_timestamp() WHERE "slot" = 0 AND pg_try_advisory_lock(${key}) RETURNING "slot"`,
    holder: `SELECT l."holder", l."taken_at", l."seen_at", l."seen_at"::text AS "sign", f."fence", h."pid" FROM ${lease} l, ${fence} f, (SELECT "pid" FROM ${lock}) h`,
    endHolder: `SELECT pg_terminate_backend(h."pid") FROM (SELECT "pid" FROM ${lock}) h, ${lease} l WHERE h."pid" = $1 AND l."seen_at"::text = $2`,
    endCommits: `SELECT pg_terminate_backend("pid") FROM pg_locks WHERE "locktype" = 'relation' AND "relation" = '${fence.replaceAll("'", "''")}'::regclass AND "mode" = 'RowShareLock' AND "pid" <> pg_backend_pid() AND ${ofDatabase}`,
    increaseFence: `UPDATE ${fence} SET "fence" = "fence" + 1 WHERE "slot" = 0 RETURNING "fence"`,
    beat: `UPDATE ${lease} SET "seen_at" = clock_timestamp() WHERE "slot" = 0`,
    giveBack: "SELECT pg_advisory_unlock_all()",
    lockFence: `SELECT "fence" FROM ${fence} WHERE "slot" = 0 FOR SHARE`,
  };
}

function names(schema: string): { lease: string; fence: string } {
  const inSchema = (table: string) => `${escapeIdentifier(schema)}."${table}"`;
  return { lease: inSchema("store_lease"), fence: inSchema("store_fence") };
}

/** Locks belong to a database: stores in several schemas of it need keys of their own. */
function lockKey(schema: string): bigint {
  return createHash("sha256").update(`firn ingester ${schema}`).digest().readBigInt64BE();
}
