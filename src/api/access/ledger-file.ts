/**
 * Keeps the ledger across restarts. It is written every few seconds if something was spent, and at the end. Requests do not wait for the
 * disk; if the process is killed, spending since the last write is lost.
 */
import { join } from "node:path";
import { FirnError } from "../../base/errors/errors.ts";
import { isMissing, readWholeFile } from "../../base/files/read-file.ts";
import { replaceFile } from "../../base/files/replace-file.ts";
import { Ledger } from "./ledger.ts";
import type { RateLimits } from "./tiers.ts";

/** The shortest interval between writes, and the most that a kill can lose. */
const WRITE_EVERY_MS = 5_000;

/** About 60 bytes per client. */
const MAX_BYTES = 64 << 20;

interface LedgerFile {
  readonly version: 1;
  readonly clients: readonly (readonly [client: string, minute: number, inMinute: number, day: number, inDay: number])[];
}

export interface KeptLedger {
  readonly ledger: Ledger;
  /** Writes a last time. */
  close(): Promise<void>;
}

interface KeptLedgerOptions {
  readonly dataDirectory: string;
  readonly limits: RateLimits;
  readonly now?: () => number;
  /** called once if the file cannot be read or written; counting continues without it */
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
    text = readWholeFile(path, MAX_BYTES).toString();
  } catch (error) {
    if (isMissing(error)) return [];
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
