/** Opens a store in PostgreSQL: checks it, and takes the ingester's lease for writing. */
import { hostname } from "node:os";
import { FirnError } from "../../base/errors/errors.ts";
import { checkFormat, type ExpectedFormat } from "../format.ts";
import { storeFormat } from "../tables.ts";
import { type PostgresAddress, placeOf, schemaOf } from "./address.ts";
import { checkMarks, hasCitus, isDistributed } from "./citus.ts";
import { CommitFeed, type CommitFeedOptions } from "./commit-feed.ts";
import { Session } from "./connection.ts";
import { postgresError } from "./errors.ts";
import { IngesterLease, leaseHolder } from "./lease/lease.ts";
import { PostgresStore } from "./pg-store.ts";
import type { LeaseHolder, PostgresPlace, WaitingForLease } from "./place.ts";
import { checkTables, makeTables } from "./schema.ts";

interface OpenPostgresOptions extends ExpectedFormat, CommitFeedOptions {
  readonly mode: "read" | "write";
  /** by default a store that another process writes is refused */
  readonly waiting?: WaitingForLease | undefined;
}

const SETTING_UP = { role: "opening", isPipelined: false, statementTimeoutMs: 30_000 };

export async function openPostgresStore({ address, tables }: PostgresPlace, options: OpenPostgresOptions): Promise<PostgresStore> {
  const place = placeOf(address);
  const schema = { schema: schemaOf(address), tables, place };
  const session = await Session.open(address, SETTING_UP);
  let lease: IngesterLease | undefined;
  try {
    if (options.mode === "write") {
      await makeTables(session, { ...schema, distributes: await hasCitus(session) });
      lease = await takeLease(session, address, options.waiting);
    } else if (!(await checkTables(session, schema))) {
      throw new FirnError("store-missing", `there is no store in ${place}; create one with: firn import <recording> --store ${place}`, {
        store: place,
      });
    }
    const isSpread = await isDistributed(session);
    if (isSpread) await checkMarks(session, place);
    const feed = lease === undefined ? await CommitFeed.open(address, options) : undefined;
    const store = new PostgresStore({ address, tables, lease, feed, isDistributed: isSpread });
    try {
      checkFormat(await store.get(storeFormat, { slot: 0 }), options, { name: place, option: "--store" });
      return store;
    } catch (error) {
      lease = undefined;
      await store.close();
      throw error;
    }
  } catch (error) {
    await lease?.release();
    throw postgresError(error, place);
  } finally {
    await session.close();
  }
}

async function takeLease(session: Session, address: PostgresAddress, waiting: WaitingForLease | undefined): Promise<IngesterLease> {
  const schema = schemaOf(address);
  const refused = new AbortController();
  const refuse = (held: LeaseHolder) => refused.abort(lockedError(held, address));
  const holder = await leaseHolder(session.client, schema);
  if (holder !== undefined && waiting === undefined) throw lockedError(holder, address);
  return IngesterLease.acquire({
    connect: async () => (await Session.open(address, { ...SETTING_UP, role: "lease" })).client,
    schema,
    holder: `${hostname()}, process ${process.pid}: firn ${process.argv[2] ?? ""}`.trim(),
    signal: waiting?.signal ?? refused.signal,
    onWaiting: waiting?.onWaiting ?? refuse,
  });
}

function lockedError({ holder }: LeaseHolder, address: PostgresAddress): FirnError {
  const place = placeOf(address);
  return new FirnError("store-locked", `${place} is being written by ${holder}; stop it first or use another --store`, { store: place });
}
