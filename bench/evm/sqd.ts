/**
 * SQD's EVM processor with its TypeORM store, for comparison with Firn: as its documentation has it, it reads logs from the node (RPC only) and
 * keeps a row per ERC-20 transfer and the balances of both sides, over the coins of the generated chain. It is installed into a folder of
 * its own, with a PostgreSQL for its store, and is not a dependency of Firn.
 */
import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { PostgresServer } from "../../test/postgres/server.ts";
import type { GeneratedChain } from "./generated-chain.ts";
import { cpuSecondsOf, cpuSecondsWithChildren } from "./process-cpu.ts";

/** Newer ones of the store need a `typeorm-config` that is not published. */
const PACKAGES = ["@subsquid/evm-processor@1.27.3", "@subsquid/typeorm-store@1.5.1", "pg@8"];

export interface SqdMeasured {
  /** from its start, when its database is empty, to the last batch */
  readonly seconds: number;
  /** its own and PostgreSQL's */
  readonly cpuSeconds: number;
  readonly events: number;
}

export function installSqd(folder: string): void {
  mkdirSync(join(folder, "lib"), { recursive: true });
  for (const [path, text] of Object.entries(FILES)) writeFileSync(join(folder, path), text);
  execFileSync("npm", ["install", "--no-audit", "--no-fund", "--loglevel=error", ...PACKAGES], { cwd: folder, stdio: "inherit" });
}

export async function runSqd(folder: string, { url, coins, height }: GeneratedChain): Promise<SqdMeasured> {
  // with its own settings
  const postgres = await PostgresServer.start({});
  try {
    const before = cpuSecondsWithChildren(postgres.processId);
    const startedAt = performance.now();
    const child = spawn(process.execPath, ["main.js", JSON.stringify({ url, coins, height })], {
      cwd: folder,
      env: { ...process.env, DB_HOST: "127.0.0.1", DB_PORT: `${postgres.port}`, DB_USER: "postgres", DB_NAME: "postgres" },
      stdio: ["ignore", "pipe", "inherit"],
    });
    const exit = once(child, "exit");
    let measured: SqdMeasured | undefined;
    let events = 0;
    for await (const line of createInterface({ input: child.stdout })) {
      if (!line.startsWith("batch ")) continue;
      const [, last, count] = line.split(" ");
      events += Number(count);
      if (Number(last) < height) continue;
      const cpuSeconds = cpuSecondsOf(child.pid!) + cpuSecondsWithChildren(postgres.processId) - before;
      measured = { seconds: (performance.now() - startedAt) / 1000, cpuSeconds, events };
    }
    await exit;
    if (measured === undefined) throw new Error("SQD ended before it had indexed the chain");
    return measured;
  } finally {
    await postgres.remove();
  }
}

const FILES: Record<string, string> = {
  "package.json": '{ "name": "sqd-beside-firn", "private": true }\n',
  "lib/model.js": `const { EntitySchema } = require("typeorm");
class Account { constructor(properties) { Object.assign(this, properties); } }
class TransferEvent { constructor(properties) { Object.assign(this, properties); } }
const text = { type: "text" };
const id = { type: "text", primary: true };
const amount = { type: "numeric", transformer: { to: (value) => value?.toString(), from: (value) => (value == null ? value : BigInt(value)) } };
module.exports = {
  Account,
  TransferEvent,
  AccountSchema: new EntitySchema({ name: "Account", target: Account, tableName: "account", columns: { id, balance: amount } }),
  TransferSchema: new EntitySchema({
    name: "TransferEvent",
    target: TransferEvent,
    tableName: "transfer_event",
    columns: { id, token: text, amount, timestamp: { type: "int" }, from: text, to: text },
  }),
};
`,
  "main.js": `const { EvmBatchProcessor } = require("@subsquid/evm-processor");
const { TypeormDatabase } = require("@subsquid/typeorm-store");
const { Client } = require("pg");
const { Account, TransferEvent } = require("./lib/model");
const { url, coins, height } = JSON.parse(process.argv[2]);
const TRANSFER = "0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef";
const TABLES = \`create table account (id text primary key, balance numeric not null);
create table transfer_event (id text primary key, token text, amount numeric, timestamp int, "from" text, "to" text)\`;
const processor = new EvmBatchProcessor()
  .setRpcEndpoint({ url, maxBatchCallSize: 100 })
  .setFinalityConfirmation(0)
  .setBlockRange({ from: 0, to: height })
  .setFields({ log: { topics: true, data: true } })
  .addLog({ address: coins.map((coin) => "0x" + coin), topic0: [TRANSFER] });
async function index({ blocks, store }) {
  const accounts = new Map();
  const events = [];
  const change = async (token, holder, by) => {
    const id = token + holder;
    const account = accounts.get(id) ?? (await store.get(Account, id)) ?? new Account({ id, balance: 0n });
    accounts.set(id, account);
    account.balance += by;
  };
  for (const { header, logs } of blocks) {
    for (const { id, address: token, topics, data } of logs) {
      if (topics[0] !== TRANSFER || topics.length !== 3) continue;
      const [from, to] = [topics[1], topics[2]].map((topic) => "0x" + topic.slice(26));
      const amount = BigInt(data);
      await change(token, from, -amount);
      await change(token, to, amount);
      events.push(new TransferEvent({ id, token, amount, timestamp: Math.floor(header.timestamp / 1000), from, to }));
    }
  }
  await store.upsert([...accounts.values()]);
  await store.insert(events);
  return events.length;
}
async function main() {
  const client = new Client({ host: process.env.DB_HOST, port: Number(process.env.DB_PORT), user: "postgres", database: "postgres" });
  await client.connect();
  await client.query(TABLES);
  await client.end();
  let last;
  const database = new TypeormDatabase({ supportHotBlocks: false });
  const transact = database.transact.bind(database);
  // told once the batch is committed
  database.transact = async (...args) => {
    await transact(...args);
    console.log(last);
  };
  processor.run(database, async (batch) => {
    const count = await index(batch);
    last = ["batch", batch.blocks.at(-1).header.height, count].join(" ");
  });
}
main();
`,
};
