/** Converts Fastify's errors before a route runs to the API's statuses and messages. */
import { LimitError } from "../../base/work/work.ts";
import { CutOffError } from "../../http/mounted-request.ts";
import { badRequest, DataError, notFound, unexpected } from "./errors.ts";

/** Errors of Fastify that a client can cause, by code. */
const CLIENT_ERRORS: Readonly<Record<string, () => DataError>> = {
  FST_ERR_BAD_URL: () => badRequest("the path is not a valid URL: a % must be followed by two hex digits, and the bytes must be UTF-8"),
  FST_ERR_MAX_PARAM_LENGTH: () => notFound("a part of the path is longer than any name on this server"),
  FST_ERR_CTP_INVALID_MEDIA_TYPE: () => badRequest("the body must be JSON; send it with Content-Type: application/json"),
  FST_ERR_CTP_EMPTY_JSON_BODY: () => badRequest("the body is empty; it must be a JSON object"),
  FST_ERR_CTP_INVALID_JSON_BODY: () => badRequest("the body is not valid JSON"),
};

/** Returns 500 for any other error. */
export function dataErrorOf(error: Error & { readonly code?: string; readonly statusCode?: number }): DataError {
  if (error instanceof DataError) return error;
  if (error instanceof LimitError)
    return error.facts.limit === "dataBodyBytes" ? badRequest(error.message) : new DataError(503, error.message);
  if (error instanceof CutOffError) return badRequest(error.message);
  const known = CLIENT_ERRORS[error.code ?? ""];
  if (known !== undefined) return known();
  if (error instanceof SyntaxError || (error.statusCode !== undefined && error.statusCode >= 400 && error.statusCode < 500)) {
    return badRequest(`the request cannot be read: ${error.message}`);
  }
  return unexpected();
}
