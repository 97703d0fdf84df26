/** Errors of the Data API: the body is always `{message, statusCode, error}`, the status one of eight. */
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

/** Of what nobody raised on purpose: clients hear nothing of it, the log does. */
export function unexpected(): DataError {
  return new DataError(500, "the server failed to answer; its log tells why");
}

export function errorBody({ message, status }: DataError): string {
  return JSON.stringify({ message, statusCode: status, error: REASONS[status] });
}
