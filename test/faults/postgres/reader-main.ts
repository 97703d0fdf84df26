/** Reads one state after the other. Argument: the database's URL. Says `read <height>`, `unavailable <code>`, or what contradicts what. */
import { setTimeout } from "node:timers/promises";
import { FirnError } from "../../../src/primitives/errors.ts";
import { CommitFeed } from "../../../src/store/postgres/commit-feed.ts";
import { PostgresStore } from "../../../src/store/postgres/pg-store.ts";
import { chainTables, readState } from "./chain.ts";

const AGAIN_MS = 50;
const address = { url: process.argv[2]! };
const store = new PostgresStore({ address, tables: chainTables, feed: await CommitFeed.open(address) });
for (let last = 0n; ; ) {
  try {
    const { height } = await store.snapshot(readState);
    if (height < last) throw new Error(`contradiction: height ${height} after ${last}`);
    if (height > last) console.log(`read ${height}`);
    last = height;
  } catch (error) {
    const { message } = error as Error;
    console.log(error instanceof FirnError ? `unavailable ${error.code}` : `wrong ${message}`);
    await setTimeout(AGAIN_MS);
  }
}
