/** Databases and roles that are gone after the test, on the server that all tests share. */
import { randomBytes } from "node:crypto";
import { Client } from "pg";
import { afterEveryTest } from "../after-every-test.ts";
import { NEEDS_PASSWORD } from "./server.ts";
import { sharedServerPort } from "./shared-server.ts";

const made: { readonly databases: string[]; readonly roles: string[] } = { databases: [], roles: [] };

afterEveryTest(async () => {
  if (made.databases.length + made.roles.length === 0) return;
  await asSuperuser(async (client) => {
    for (const name of made.databases.splice(0)) await client.query(`DROP DATABASE "${name}" WITH (FORCE)`);
    for (const name of made.roles.splice(0)) await client.query(`DROP ROLE "${name}"`);
  });
});

export interface ScratchDatabase {
  readonly name: string;
  readonly port: number;
  /** of the superuser, who needs no password */
  readonly url: string;
}

/** An empty database. It takes some 15 ms. */
export async function scratchDatabase(): Promise<ScratchDatabase> {
  const name = `firn_${randomBytes(6).toString("hex")}`;
  const port = await asSuperuser((client) => client.query(`CREATE DATABASE "${name}" TEMPLATE template0`));
  made.databases.push(name);
  return { name, port, url: `postgres://postgres@127.0.0.1:${port}/${name}` };
}

/**
 * A role without privileges that may connect. It may own nothing outside of scratch databases.
 * @param password what it must give; without one it is trusted
 */
export async function scratchRole(password?: string): Promise<string> {
  const name = `role_${randomBytes(6).toString("hex")}`;
  await asSuperuser(async (client) => {
    await client.query(`CREATE ROLE "${name}" LOGIN`);
    made.roles.push(name);
    if (password === undefined) return;
    await client.query(`DO $$ BEGIN CREATE ROLE ${NEEDS_PASSWORD}; EXCEPTION WHEN duplicate_object OR unique_violation THEN NULL; END $$`);
    await client.query(`ALTER ROLE "${name}" PASSWORD ${client.escapeLiteral(password)}`);
    await client.query(`GRANT ${NEEDS_PASSWORD} TO "${name}"`);
  });
  return name;
}

/** @returns the server's port */
async function asSuperuser(use: (client: Client) => Promise<unknown>): Promise<number> {
  const port = await sharedServerPort();
  const client = new Client({ host: "127.0.0.1", port, user: "postgres", database: "postgres" });
  await client.connect();
  try {
    await use(client);
    return port;
  } finally {
    await client.end();
  }
}
