/**
 * Keeps the ledger over restarts: written every few seconds if something was spent, and at the end. A process that is killed forgets what
 * was spent since the last writing, no request waits for the disk.
 */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { FirnError } from "../../primitives/errors.ts";
import { Ledger } from "./ledger.ts";
import { replaceFile } from "./replace-file.ts";
import type { RateLimits } from "./tiers.ts";

/** What a kill can lose, and how often the file is written at most. */
const WRITE_EVERY_MS = 5_000;

interface LedgerFile {
  readonly version: 1;
  readonly clients: readonly (readonly [client: string, minute: number, inMinute: number, day: number, inDay: number])[];
}

export interface KeptLedger {
  readonly ledger: Ledger;
  /** Writes a last time. */
  close(): Promise<void>;
}

export interface KeptLedgerOptions {
  readonly dataDirectory: string;
  readonly limits: RateLimits;
  readonly now?: () => number;
  /** told once of a file that cannot be read or written: counting goes on without it */
  readonly onProblem: (error: unknown, what: string) => void;
}

export function ledgerFilePath(dataDirectory: string): string {
  return join(dataDirectory, "rate-limits.json");
}

export function openLedger({ dataDirectory, limits, now = Date.now, onProblem }: KeptLedgerOptions): KeptLedger {
  const path = ledgerFilePath(dataDirectory);
  const ledger = new Ledger(limits, now);
  let written = ledger.changes;
  let hasFailed = false;
  try {
    ledger.restore(readLedgerFile(path));
  } catch (error) {
    onProblem(error, "Could not read what clients have spent; counting from zero");
  }

  const write = async () => {
    if (ledger.changes === written) return;
    written = ledger.changes;
    const clients = [...ledger.entries()].map(([client, { minute, inMinute, day, inDay }]) => [client, minute, inMinute, day, inDay]);
    try {
      await replaceFile(path, JSON.stringify({ version: 1, clients }));
    } catch (error) {
      if (!hasFailed) onProblem(error, "Could not write what clients have spent; a restart will forget it");
      hasFailed = true;
    }
  };
  let writing = Promise.resolve();
  const timer = setInterval(() => {
    writing = writing.then(write);
  }, WRITE_EVERY_MS).unref();
  return {
    ledger,
    async close() {
      clearInterval(timer);
      await writing;
      await write();
    },
  };
}

function readLedgerFile(path: string): ReturnType<Ledger["entries"]> {
  let text: string;
  try {
    text = readFileSync(path, "utf8");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return [];
    throw error;
  }
  const content: unknown = JSON.parse(text);
  if (!isLedgerFile(content)) throw new FirnError("rate-limits-damaged", `${path} is damaged`, { path });
  const { clients } = content;
  return clients.map(([client, minute, inMinute, day, inDay]) => [client, { minute, inMinute, day, inDay }] as const);
}

function isLedgerFile(content: unknown): content is LedgerFile {
  const { version, clients } = (content ?? {}) as Partial<Record<keyof LedgerFile, unknown>>;
  const isCount = (value: unknown) => Number.isSafeInteger(value) && (value as number) >= 0;
  const isClient = (value: unknown) => {
    if (!Array.isArray(value) || value.length !== 5) return false;
    const [client, ...counts] = value;
    return typeof client === "string" && counts.every(isCount);
  };
  return version === 1 && Array.isArray(clients) && clients.every(isClient);
}
