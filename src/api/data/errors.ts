/** Errors of the Data API. The body is always `{message, statusCode, error}`; there are eight statuses. */
import type { LimitError } from "../../base/work/work.ts";

export const REASONS = {
  400: "Bad Request",
  401: "Unauthorized",
  403: "Forbidden",
  404: "Not Found",
  429: "Too Many Requests",
  500: "Internal Server Error",
  502: "Bad Gateway",
  503: "Service Unavailable",
} as const;
export type DataStatus = keyof typeof REASONS;

/** Thrown by handlers. `message` says what was wrong and what would be right. */
export class DataError extends Error {
  readonly status: DataStatus;

  constructor(status: DataStatus, message: string) {
    super(message);
    this.status = status;
  }
}

export function badRequest(message: string): DataError {
  return new DataError(400, message);
}

export function notFound(message: string): DataError {
  return new DataError(404, message);
}

/** The error of a request that exceeds a limit; `message` says what to ask instead. */
export function overLimit({ message, facts }: LimitError): DataError {
  const asksTooMuch = facts.limit === "requestRows" || facts.limit === "requestBytes";
  return new DataError(asksTooMuch ? 400 : 503, message);
}

/** The error for a defect. Only the log has its cause. */
export function unexpected(): DataError {
  return new DataError(500, "the server failed to answer; its log has the cause");
}

export function errorBody({ message, status }: DataError): string {
  return JSON.stringify({ message, statusCode: status, error: REASONS[status] });
}
