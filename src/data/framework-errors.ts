/** What Fastify refuses before a route runs, in the API's statuses and words. */
import { badRequest, DataError, notFound, unexpected } from "./errors.ts";

/** Codes of Fastify's errors that a client can cause. */
const CLIENT_ERRORS: Readonly<Record<string, () => DataError>> = {
  FST_ERR_BAD_URL: () => badRequest("the path is no valid URL: a % must be followed by two hex digits, and UTF-8"),
  FST_ERR_MAX_PARAM_LENGTH: () => notFound("a part of the path is too long to name anything here"),
  FST_ERR_CTP_BODY_TOO_LARGE: () => badRequest("the body is too large; send at most 256 KiB"),
  FST_ERR_CTP_INVALID_MEDIA_TYPE: () => badRequest("the body must be JSON; send it with Content-Type: application/json"),
  FST_ERR_CTP_EMPTY_JSON_BODY: () => badRequest("the body is empty; it must be a JSON object"),
  FST_ERR_CTP_INVALID_JSON_BODY: () => badRequest("the body is no valid JSON"),
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: () => badRequest("the body has not as many bytes as Content-Length says"),
};

/** 500 for what no client can cause. */
export function dataErrorOf(error: Error & { readonly code?: string; readonly statusCode?: number }): DataError {
  if (error instanceof DataError) return error;
  const known = CLIENT_ERRORS[error.code ?? ""];
  if (known !== undefined) return known();
  if (error instanceof SyntaxError || (error.statusCode !== undefined && error.statusCode >= 400 && error.statusCode < 500)) {
    return badRequest(`the request cannot be read: ${error.message}`);
  }
  return unexpected();
}
