/** Replaces a store by one that was built beside it, in a schema of its own. */
import { type PostgresAddress, placeOf, schemaOf } from "./address.ts";
import { quoted } from "./columns.ts";
import { Session } from "./connection.ts";
import { postgresError } from "./errors.ts";

const SESSION = { role: "rebuilding", isPipelined: false, statementTimeoutMs: 0 };

/** Where the replacement is built. */
export function rebuildAddress(address: PostgresAddress): PostgresAddress {
  return { ...address, schema: `${schemaOf(address)}_rebuilding` };
}

/** Removes what an earlier attempt left. */
export function dropRebuild(address: PostgresAddress): Promise<void> {
  return run(address, `DROP SCHEMA IF EXISTS ${quoted(schemaOf(rebuildAddress(address)))} CASCADE`);
}

/** In one transaction. The caller has the lease of the old store; readers go on with the new one. */
export function swapInRebuild(address: PostgresAddress): Promise<void> {
  const schema = schemaOf(address);
  const [now, rebuilt, old] = [schema, schemaOf(rebuildAddress(address)), `${schema}_old`].map(quoted);
  const renames = [`ALTER SCHEMA ${now} RENAME TO ${old}`, `ALTER SCHEMA ${rebuilt} RENAME TO ${now}`, `DROP SCHEMA ${old} CASCADE`];
  return run(address, ["BEGIN", ...renames, "COMMIT"].join("; "));
}

async function run(address: PostgresAddress, text: string): Promise<void> {
  const session = await Session.open(address, SESSION);
  try {
    await session.query({ text });
  } catch (error) {
    throw postgresError(error, placeOf(address));
  } finally {
    await session.close();
  }
}
