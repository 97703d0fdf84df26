/** What PostgreSQL and the way to it say, as one sentence with what to do. It never contains a password: pg's errors do not, and addresses are shown without. */
import type { ErrorCode } from "../../base/errors/error-codes.ts";
import { FirnError } from "../../base/errors/errors.ts";

/** as pg reports it */
interface ServerError extends Error {
  /** SQLSTATE, or a code of the operating system */
  readonly code?: string;
}

const UNREACHABLE = ["ECONNREFUSED", "ENOTFOUND", "EAI_AGAIN", "EHOSTUNREACH", "ENETUNREACH", "ETIMEDOUT", "ECONNRESET", "EPIPE"];
const LOST = /Connection terminated|connection error and is not queryable|Client was closed|timeout expired/;

/** of messages of pg, and codes of Node */
const NO_TLS = /does not support SSL|^ERR_(TLS|SSL)|_CERT|UNABLE_TO_|SSL connection/;

interface Meaning {
  readonly code: ErrorCode;
  readonly says: (place: string, reason: string) => string;
}

/** by SQLSTATE, or its first two characters, its class */
const MEANINGS: Readonly<Record<string, Meaning>> = {
  "28": {
    code: "store-login",
    says: (place, reason) =>
      `${place} refused the login (${reason}); check the user, and the password in PGPASSWORD or --store-password-file`,
  },
  "3D000": { code: "store-missing", says: (place, reason) => `${place} cannot be used: ${reason}; create it with: createdb <name>` },
  "42501": {
    code: "store-rights",
    says: (place, reason) =>
      `${place} does not allow this (${reason}); grant the user CREATE on the database, or the rights of the schema's owner`,
  },
  "53100": {
    code: "store-full",
    says: (place, reason) => `the disk of ${place} is full (${reason}); nothing was written; make room there`,
  },
  "53": {
    code: "store-unreachable",
    says: (place, reason) => `${place} has no resources left (${reason}); raise its limits or use fewer connections`,
  },
  "57": { code: "store-unreachable", says: (place, reason) => `${place} ended the connection (${reason}); wait until it is up again` },
  "08": {
    code: "store-unreachable",
    says: (place, reason) => `the connection to ${place} was lost (${reason}); check the network and the server`,
  },
  "40001": { code: "store-cancelled", says: cancelled },
  "25P02": { code: "store-cancelled", says: cancelled },
  "25006": {
    code: "store-read-only",
    says: (place) => `${place} is a standby, which cannot be written; use the address of the primary server`,
  },
  "42P01": { code: "store-schema", says: changed },
  "42703": { code: "store-schema", says: changed },
  "42804": { code: "store-schema", says: changed },
  "3F000": { code: "store-schema", says: changed },
};
/** of a statement that took longer than its limit, or was cancelled */
const CANCELLED: Meaning = {
  code: "store-slow",
  says: (place, reason) => `${place} took too long (${reason}); look there for locks and load`,
};

/** @param place the address without its password */
export function postgresError(error: unknown, place: string): unknown {
  if (!(error instanceof Error) || error instanceof FirnError) return error;
  const { code = "", message } = error as ServerError;
  const meaning = meaningOf(code, message);
  if (meaning === undefined) return error;
  const reason = message === "" ? code : message;
  return new FirnError(meaning.code, meaning.says(place, reason), { store: place, cause: reason }, { cause: error });
}

function meaningOf(code: string, message: string): Meaning | undefined {
  if (UNREACHABLE.includes(code) || LOST.test(message)) {
    return {
      code: "store-unreachable",
      says: (place, reason) => `${place} cannot be reached (${reason}); check that the server runs, its host and its port`,
    };
  }
  if (NO_TLS.test(message) || NO_TLS.test(code)) {
    return {
      code: "store-tls",
      says: (place, reason) =>
        `${place} cannot be reached over TLS (${reason}); check sslmode in its URL, and the certificate of the server`,
    };
  }
  if (code === "57014") return CANCELLED;
  return MEANINGS[code] ?? (code.length === 5 ? MEANINGS[code.slice(0, 2)] : undefined);
}

/** A standby ends transactions that still need what it has to remove, and what else was asked in the same transaction fails with it. */
function cancelled(place: string, reason: string): string {
  return `${place} cancelled what was being read (${reason}); if it is a standby, set hot_standby_feedback = on there, or raise max_standby_streaming_delay`;
}

function changed(place: string, reason: string): string {
  return `the tables in ${place} are not as Firn made them (${reason}); put back what was changed, or restore a backup`;
}
