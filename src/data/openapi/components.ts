/** What operations of the OpenAPI document share: the headers of responses, the eight errors, how a key is sent. */
import { DataError, type DataStatus, errorBody, REASONS } from "../errors.ts";
import type { JsonSchema } from "../json-schema.ts";

export type Json = { readonly [name: string]: unknown };

interface ErrorKind {
  readonly when: string;
  /** a message, as answers have it */
  readonly example: string;
}

const ERRORS: Readonly<Record<DataStatus, ErrorKind>> = {
  400: {
    when: "A parameter is malformed, out of range or not taken here.",
    example: "pageSize must be an integer from 1 to 100, got 500",
  },
  401: {
    when: "A key is needed, or the one that was sent is unknown.",
    example: "an API key is needed here; send it in the header x-data-api-key",
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
    example: "this costs 100 compute units and 40 of the 6000 of this minute are left; ask again in 17 s",
  },
  500: { when: "The server failed.", example: "the server failed to answer; its log tells why" },
  502: {
    when: "A server behind this one gave a wrong answer.",
    example: "a server behind this one gave a wrong answer; its log tells which",
  },
  503: {
    when: "Not indexed yet, or older than this server's operator allows; or only a node of the chain knows it, and none answers.",
    example: "the p-chain is not indexed yet; try again later",
  },
};
export const STATUSES = Object.keys(ERRORS).map(Number) as DataStatus[];

const ERROR_SCHEMA: JsonSchema = {
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

/** Of every response; sent with errors too. */
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

export const SECURITY = [{}, { dataApiKey: [] }, { glacierApiKey: [] }];

export const COMPONENTS: Json = {
  securitySchemes: {
    dataApiKey: keyHeader("x-data-api-key", "A key of this server's operator."),
    glacierApiKey: keyHeader("x-glacier-api-key", "The same key under the name that the SDKs send."),
  },
  headers: HEADERS,
  responses: Object.fromEntries(STATUSES.map((status) => [responseName(status), errorResponse(status)])),
  schemas: { Error: ERROR_SCHEMA },
};
