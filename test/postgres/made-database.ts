/**
 * Databases that are made on any server, and dropped. A coordinator of Citus does not make them on its nodes: a database is made on each,
 * and the new one gets the nodes that the server's own has.
 */
import { randomBytes } from "node:crypto";
import { Client } from "pg";

/**
 * @param serverUrl of a superuser; on Citus of the coordinator, in a database that knows its nodes
 * @returns of a new, empty database
 */
export async function makeDatabase(serverUrl: string): Promise<string> {
  const name = `firn_${randomBytes(6).toString("hex")}`;
  const url = databaseAt(serverUrl, name);
  const nodes = await workersOf(serverUrl);
  for (const server of [serverUrl, ...(nodes ?? [])]) {
    await run(server, `CREATE DATABASE "${name}" TEMPLATE template0`);
    if (nodes !== undefined) await run(databaseAt(server, name), "CREATE EXTENSION citus");
  }
  if (nodes === undefined) return url;
  await run(url, "SELECT citus_set_coordinator_host($1, $2)", hostOf(serverUrl));
  for (const node of nodes) await run(url, "SELECT citus_add_node($1, $2)", hostOf(node));
  return url;
}

/** One that `makeDatabase` made. */
export async function dropDatabase(serverUrl: string, url: string): Promise<void> {
  const nodes = (await workersOf(serverUrl)) ?? [];
  for (const server of [serverUrl, ...nodes]) await run(server, `DROP DATABASE "${new URL(url).pathname.slice(1)}" WITH (FORCE)`);
}

/** undefined: the server has no Citus */
async function workersOf(serverUrl: string): Promise<string[] | undefined> {
  const has = await run(serverUrl, "SELECT 1 FROM pg_extension WHERE extname = 'citus'");
  if (has.length === 0) return undefined;
  const nodes = await run(serverUrl, "SELECT nodename, nodeport FROM pg_dist_node WHERE groupid <> 0 ORDER BY nodeid");
  return nodes.map(({ nodename, nodeport }) => {
    const url = new URL(serverUrl);
    url.host = `${nodename}:${nodeport}`;
    return url.href;
  });
}

async function run(url: string, text: string, values: readonly unknown[] = []): Promise<Record<string, unknown>[]> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query(text, [...values])).rows;
  } finally {
    await client.end();
  }
}

function databaseAt(serverUrl: string, name: string): string {
  return new URL(`/${name}`, serverUrl).href;
}

function hostOf(url: string): [string, number] {
  const { hostname, port } = new URL(url);
  return [hostname, Number(port)];
}
