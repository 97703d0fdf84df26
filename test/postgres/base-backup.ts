/** A base backup with what is in every PostgreSQL: `pg_basebackup` is not in the npm package. */
import { chownSync, copyFileSync, mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import pg from "pg";
import { asUser } from "./binaries.ts";
import type { PostgresServer } from "./server.ts";

/** Of files that belong to the running server, and of its log of commits, only the folders are copied. */
const OF_SERVER = /^(pg_wal|pg_replslot|pg_stat_tmp|pg_dynshmem|pg_notify|postmaster\.(pid|opts)$)/;

/** Copies the data of a running server to a folder, from which a server recovers with the log of commits. */
export async function baseBackup(server: PostgresServer, to: string): Promise<void> {
  const client = new pg.Client(server.url());
  await client.connect();
  try {
    await client.query("SELECT pg_backup_start('firn', true)");
    copyData(server.data, to);
    const { rows } = await client.query("SELECT labelfile FROM pg_backup_stop(false)");
    writeFileSync(join(to, "backup_label"), rows[0].labelfile);
  } finally {
    await client.end();
  }
  ownedByServer(to);
}

function copyData(from: string, to: string): void {
  mkdirSync(to, { mode: 0o700 });
  for (const entry of readdirSync(from, { recursive: true, withFileTypes: true })) {
    const name = join(entry.parentPath, entry.name).slice(from.length + 1);
    if (entry.isDirectory()) mkdirSync(join(to, name), { recursive: true, mode: 0o700 });
    else if (!OF_SERVER.test(name)) copyUnlessGone(join(from, name), join(to, name));
  }
}

/** Files may go while the server works; the log of commits tells what became of them. */
function copyUnlessGone(from: string, to: string): void {
  try {
    copyFileSync(from, to);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error;
  }
}

/** Gives a folder and all that is in it to the user that runs the server. */
export function ownedByServer(folder: string): void {
  if (asUser.uid === undefined) return;
  chownSync(folder, asUser.uid, asUser.gid!);
  for (const name of readdirSync(folder, { recursive: true, encoding: "utf8" })) chownSync(join(folder, name), asUser.uid, asUser.gid!);
}
