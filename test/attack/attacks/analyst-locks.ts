import { execFile } from "node:child_process";
import { randomBytes } from "node:crypto";
import { fileURLToPath } from "node:url";
import { Client } from "pg";
import type { Attack } from "../attack.ts";

const program = process.env.FIRN_PROGRAM ?? fileURLToPath(new URL("../../../bin/firn", import.meta.url));
const SCHEMA = "firn";
const LOCKS = 2000;

/** Who may read a store's tables must neither keep writers away nor pass as one. */
export const analystLocks: Attack = {
  name: "analyst-locks",
  does: "takes whatever locks a role that may only read can take, under the name of the session that writes",
  targets: ["follow-postgres"],
  mustStayOnCourse: true,
  async run(attacker) {
    const store = new URL(attacker.store!);
    const admin = await connected(store);
    const role = `analyst_${randomBytes(4).toString("hex")}`;
    await admin.query(`CREATE ROLE "${role}" LOGIN`);
    await admin.query(`GRANT USAGE ON SCHEMA "${SCHEMA}" TO "${role}"`);
    await admin.query(`GRANT SELECT ON ALL TABLES IN SCHEMA "${SCHEMA}" TO "${role}"`);
    const analyst = await connected(Object.assign(new URL(store), { username: role }));
    const { holder, session } = (await analyst.query(`SELECT holder, session FROM "${SCHEMA}".store_lease`)).rows[0];
    await analyst.query("SELECT pg_advisory_lock(key), pg_advisory_lock_shared(-key) FROM generate_series(1, $1) key", [LOCKS]);
    await analyst.query("SELECT set_config('application_name', $1, false)", [session]);
    await analyst.query("BEGIN ISOLATION LEVEL REPEATABLE READ");
    for (const table of ["store_lease", "store_fence"]) await analyst.query(`LOCK TABLE "${SCHEMA}".${table} IN ACCESS SHARE MODE`);
    await attacker.again(1, async () => {
      const { status, said } = await forget(store.href);
      attacker.count(status === 0 ? "written" : "refused");
      if (status === 0) throw new Error("a second process wrote the store");
      if (!said.includes(`is being written by ${holder}`)) throw new Error(`a second writer was told: ${said.trim()}`);
    });
    await Promise.all([analyst.end(), admin.end()]);
  },
};

async function connected(url: URL): Promise<Client> {
  const client = new Client({ connectionString: url.href });
  await client.connect();
  return client;
}

/** Another writer, for a moment. */
function forget(store: string): Promise<{ status: number; said: string }> {
  return new Promise((resolve) => {
    const child = execFile(process.execPath, [program, "forget", "43112", "--store", store], (_, stdout, stderr) =>
      resolve({ status: child.exitCode ?? 1, said: stdout + stderr }),
    );
  });
}
