/** Commits blocks while it has the lease, and ends when it loses it. Arguments: the database's URL, its name. Says `waits`, `has <fence>`, `wrote <height> <hash>`. */
import { Client } from "pg";
import { IngesterLease } from "../../../src/store/postgres/lease/lease.ts";
import { PostgresStore } from "../../../src/store/postgres/pg-store.ts";
import { nextBlock, readState, SCHEMA, tables } from "./chain.ts";

const BULK_MOVES = 2500;
const BULK_EVERY = 40;
const [url, name] = process.argv.slice(2) as [string, string];

const connect = async () => {
  const client = new Client({ connectionString: url, connectionTimeoutMillis: 2000 });
  client.on("error", () => {});
  await client.connect();
  return client;
};
const lease = await IngesterLease.acquire({ connect, schema: SCHEMA, holder: name, onWaiting: () => console.log("waits") }).catch(end);
const store = new PostgresStore({ address: { url }, tables, lease });
void store.lost.then(end);
try {
  let state = await store.snapshot(readState);
  console.log(`has ${lease.fence}`);
  for (let count = 1; ; count++) {
    const next = nextBlock(state, lease.fence, count % BULK_EVERY === 0 ? BULK_MOVES : 1 + (count % 3));
    await store.commit(next.changes);
    state = next.state;
    console.log(`wrote ${state.height} ${state.hash}`);
  }
} catch (error) {
  end(error as Error);
}

/** As a process does that its supervisor starts again. */
function end(error: Error): never {
  console.log(`ends ${error.message.split("\n")[0]}`);
  process.exit(error.message.startsWith("contradiction") ? 1 : 3);
}
