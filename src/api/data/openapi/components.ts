/** Parts of the OpenAPI document that operations share: headers of responses, the eight errors, the two ways to send a key. */
import type { KeyUse } from "../../access/access.ts";
import { DataError, type DataStatus, errorBody, REASONS } from "../errors.ts";
import type { JsonSchema } from "../json-schema.ts";

export type Json = { readonly [name: string]: unknown };

interface ErrorKind {
  readonly when: string;
  /** an example of a message */
  readonly example: string;
}

const ERRORS: Readonly<Record<DataStatus, ErrorKind>> = {
  400: {
    when: "A parameter is malformed, out of range or not accepted here.",
    example: "pageSize must be an integer from 1 to 100, got 500",
  },
  401: {
    when: "A key is needed, or the one that was sent is unknown.",
    example: "this request needs an API key; send it in the header x-data-api-key",
  },
  403: {
    when: "The key is revoked or lacks the privilege; or the Host is not allowed.",
    example: "the API key 5f0c2a91 is revoked; use another",
  },
  404: {
    when: "There is no such route, network, chain, block, transaction, contract, NFT, asset, vertex, subnet or blockchain here.",
    example: "network mainnet is not served here; use fuji, testnet",
  },
  429: {
    when: "The limit is used up; Retry-After says for how long.",
    example: "this costs 100 compute units, but only 40 of the 6000 for this minute are left; try again in 17 s",
  },
  500: { when: "The server failed.", example: "the server failed to answer; its log has the cause" },
  502: {
    when: "The chain's node returned an invalid response.",
    example: "the node of chain 43112 returned an invalid response",
  },
  503: {
    when: "The chain is not indexed yet, or its index is too old; or only a node of the chain knows it, and none answers.",
    example: "the p-chain is not indexed yet; try again later",
  },
};
export const STATUSES = Object.keys(ERRORS).map(Number) as DataStatus[];

export const ERROR_SCHEMA: JsonSchema = {
  type: "object",
  properties: {
    message: { type: "string", description: "What was wrong, and what would be right." },
    statusCode: { type: "integer", enum: STATUSES, description: "The status of the response." },
    error: { type: "string", enum: Object.values(REASONS), description: "Its reason phrase." },
  },
  required: ["message", "statusCode", "error"],
};

const header = (type: "integer" | "string", description: string) => ({ description, schema: { type } });

const FRESHNESS = Object.fromEntries(
  ["P", "X", "C"].flatMap((chain) => [
    [`Firn-Height-${chain}`, header("integer", `${chain}-chain height of the state that answered; absent while the chain is not indexed.`)],
    [`Firn-Seconds-Behind-${chain}`, header("integer", `Seconds that the index of the ${chain}-chain is behind its source.`)],
  ]),
);
const LIMITS = {
  "RateLimit-Policy": header(
    "string",
    "Compute units and seconds of each window, e.g. `6000;w=60, 1200000;w=86400`. Sent where limits apply.",
  ),
  "RateLimit-Limit": header("integer", "Compute units of the window with less left. Sent where limits apply."),
  "RateLimit-Remaining": header("integer", "Compute units left in it. Sent where limits apply."),
};
const REFUSAL = {
  "RateLimit-Reset": header("integer", "Seconds until the window ends."),
  "Retry-After": header("integer", "Seconds to wait."),
};
const HEADERS = { ...FRESHNESS, ...LIMITS, ...REFUSAL };

/** Headers of every response, including errors. */
export const COMMON_HEADERS: Json = headerRefs({ ...FRESHNESS, ...LIMITS });

function headerRefs(headers: Json): Json {
  return Object.fromEntries(Object.keys(headers).map((name) => [name, { $ref: `#/components/headers/${name}` }]));
}

export function errorRef(status: DataStatus): Json {
  return { $ref: `#/components/responses/${responseName(status)}` };
}

function responseName(status: DataStatus): string {
  return REASONS[status].replaceAll(" ", "");
}

function errorResponse(status: DataStatus): Json {
  const { when, example } = ERRORS[status];
  return {
    description: when,
    headers: { ...COMMON_HEADERS, ...(status === 429 && headerRefs(REFUSAL)) },
    content: {
      "application/json": {
        schema: { $ref: "#/components/schemas/Error" },
        example: JSON.parse(errorBody(new DataError(status, example))),
      },
    },
  };
}

const keyHeader = (name: string, description: string) => ({ type: "apiKey", in: "header", name, description });

export const SECURITY_SCHEMES: Json = {
  dataApiKey: keyHeader("x-data-api-key", "A key of this server's operator."),
  glacierApiKey: keyHeader("x-glacier-api-key", "The same key under the name that the SDKs send."),
};
const KEYS = Object.keys(SECURITY_SCHEMES).map((name) => ({ [name]: [] }));

/** The security of an operation with this price; empty if a key makes no difference there. */
export function security(keyUse: KeyUse, computeUnits: number): Json {
  if (keyUse === "none" || computeUnits === 0) return {};
  return { security: keyUse === "required" ? KEYS : [{}, ...KEYS] };
}

export const COMPONENTS: Json = {
  headers: HEADERS,
  responses: Object.fromEntries(STATUSES.map((status) => [responseName(status), errorResponse(status)])),
};
