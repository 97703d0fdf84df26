/** A writer beside others: it waits for the lease, and then commits rows of its fencing number until it loses it. */
import { Client } from "pg";
import { IngesterLease } from "../../../src/store/postgres/lease/lease.ts";
import { leaseTables } from "../../../src/store/postgres/lease/lease-tables.ts";

export const SCHEMA = "Firn's";

/**
 * `commits` has a row per commit. A writer that takes the lease writes into `taken` how many there were of others: there must never be more,
 * since what it reads next must be the last state.
 */
const TABLES = [
  `CREATE SCHEMA "${SCHEMA}"`,
  ...leaseTables(SCHEMA),
  `CREATE TABLE "${SCHEMA}".commits (fence bigint, row int)`,
  `CREATE TABLE "${SCHEMA}".taken (fence bigint, commits int)`,
];

export async function connected(url: string): Promise<Client> {
  const client = new Client({ connectionString: url });
  client.on("error", () => {});
  await client.connect();
  return client;
}

export async function makeLeaseTables(url: string): Promise<void> {
  const client = await connected(url);
  for (const statement of TABLES) await client.query(statement);
  await client.end();
}

export const acquired = (url: string, holder: string, more: Partial<Parameters<typeof IngesterLease.acquire>[0]> = {}) =>
  IngesterLease.acquire({ connect: () => connected(url), schema: SCHEMA, holder, ...more });

/** One transaction; `atStep` is called before each of its statements and may hold it up. */
export async function commitOne(
  client: Client,
  lease: Pick<IngesterLease, "fence" | "check">,
  row: number,
  { isolation = "READ COMMITTED", atStep = async (_: number) => {} } = {},
): Promise<void> {
  const steps = [
    () => client.query(`BEGIN ISOLATION LEVEL ${isolation}`),
    () => client.query(`SELECT count(*) FROM "${SCHEMA}".commits`),
    () => lease.check(client),
    () => client.query(`INSERT INTO "${SCHEMA}".commits VALUES ($1, $2)`, [lease.fence, row]),
    () => client.query("COMMIT"),
  ];
  for (const [index, step] of steps.entries()) {
    await atStep(index);
    await step();
  }
}

/** Notes how many commits there are; to be called before anything else after taking the lease. */
export async function noteTaken(client: Client, lease: IngesterLease): Promise<void> {
  await client.query(`INSERT INTO "${SCHEMA}".taken SELECT $1, count(*) FROM "${SCHEMA}".commits`, [lease.fence]);
}

/** Holders whose predecessors committed after they had taken the lease; none is right. */
export async function lateCommits(url: string): Promise<unknown[]> {
  const client = await connected(url);
  const { rows } = await client.query(
    `SELECT * FROM (SELECT t.fence, t.commits, (SELECT count(*)::int FROM "${SCHEMA}".commits c WHERE c.fence < t.fence) AS earlier FROM "${SCHEMA}".taken t) noted WHERE commits <> earlier`,
  );
  await client.end();
  return rows;
}
