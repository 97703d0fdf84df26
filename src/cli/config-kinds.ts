/** The kinds of configuration values, with their forms on the command line, in the environment and in a JSON file. */
import { isIP } from "node:net";
import { resolve } from "node:path";
import type { Scope } from "../api/access/access.ts";
import { NO_LIMITS, parseRateLimits, RATE_LIMITS_EXPECTED, type RateLimits, rateLimitsSchema } from "../api/access/tiers.ts";
import { FirnError } from "../base/errors/errors.ts";
import type { JsonSchema } from "../base/json/json-members.ts";
import { DEFAULT_LIMITS, LIMITS_EXPECTED, type Limits, limitsSchema, parseLimits } from "../base/limits.ts";
import { parseMoment, TIME_EXPECTED } from "../devnet/period.ts";
import { chainEntriesSchema, type EvmChainEntry, parseChainEntries } from "../evm/chain-entry.ts";

export interface Kind<T> {
  /**
   * Returns undefined if the value is invalid, or throws a FirnError that says what in it is. `origin` is its name in errors; relative
   * paths in it start at `directory`: that of its file, otherwise the working directory.
   */
  parse(value: unknown, origin: string, directory?: string): T | undefined;
  /** completes the sentence "use …" */
  readonly expects: string;
  /** of what a file has, for editors. It may ask for more than `parse` does */
  readonly schema: JsonSchema;
  /** a value as a file has it; by default as it is */
  write?(value: T): unknown;
  /** shown after the flag in help; absent for a flag without a value */
  readonly placeholder?: string;
  /** whether the flag may be given without a value, which then is `true` */
  readonly isOptional?: true;
  /** whether `--no-…` switches it off, which makes the value `false` */
  readonly canBeOff?: true;
}

const DURATION_MS = { ms: 1, s: 1000, m: 60_000, h: 3_600_000 } as const;

const TEXT: JsonSchema = { type: "string", minLength: 1 };

function text(placeholder: string): Kind<string> {
  const parse = (value: unknown) => (typeof value === "string" && value !== "" ? value : undefined);
  return { placeholder, expects: `a ${placeholder}`, schema: TEXT, parse };
}

/** A mistyped URL of a database is not taken for the path of a file, since errors show paths, and URLs hold passwords. */
export function isLikeUrl(place: string): boolean {
  return /^postgres\w*:|^(?!https?:\/\/|[a-z]:[\\/])[^/]*:.*@/i.test(place);
}

/** The path of a file or directory: in a configuration file relative to that file, elsewhere to the working directory. */
function path(placeholder: string): Kind<string> {
  return {
    ...text(placeholder),
    parse(value, origin, directory) {
      const path = text(placeholder).parse(value, origin);
      if (path !== undefined && isLikeUrl(path)) return undefined;
      return path === undefined || directory === undefined ? path : resolve(directory, path);
    },
  };
}

function integer(placeholder: string, least: number, most: number): Kind<number> {
  return {
    placeholder,
    expects: most === Number.MAX_SAFE_INTEGER ? `a whole number from ${least} on` : `a whole number from ${least} to ${most}`,
    schema: { type: "integer", minimum: least, maximum: most },
    parse(value) {
      const number = typeof value === "string" && /^\d+$/.test(value) ? Number(value) : value;
      return typeof number === "number" && Number.isInteger(number) && number >= least && number <= most ? number : undefined;
    },
  };
}

function oneOf<const V extends string>(...values: V[]): Kind<V> {
  const parse = (value: unknown) => values.find((candidate) => candidate === value);
  return { placeholder: values.join("|"), expects: values.join(" or "), schema: { enum: values }, parse };
}

const LIST: JsonSchema = { type: ["array", "string"], items: { type: "string" } };

function list(placeholder: string): Kind<readonly string[]> {
  return {
    placeholder,
    expects: `${placeholder}, separated by commas`,
    schema: LIST,
    parse(value) {
      if (Array.isArray(value)) return value.every((item) => typeof item === "string") ? value : undefined;
      return typeof value === "string" ? value.split(",").filter((item) => item !== "") : undefined;
    },
  };
}

/** A value that can be switched off: with `--no-evm`, or with `false` in a file or the environment. */
function orOff<T>(kind: Kind<T>): Kind<T | false> {
  return {
    ...kind,
    expects: `${kind.expects}, or false for none`,
    canBeOff: true,
    schema: { anyOf: [kind.schema, { const: false }] },
    parse: (value, origin, directory) => (value === false || value === "false" ? false : kind.parse(value, origin, directory)),
  };
}

function optional<T>(kind: Kind<T>): Kind<T | undefined> {
  return kind;
}

const flag: Kind<boolean> = {
  expects: "true or false",
  schema: { type: "boolean" },
  parse: (value) => (value === true || value === "true" ? true : value === false || value === "false" ? false : undefined),
};

/** A flag that is set unless it is switched off: with `--no-relayer`, or with `false` in a file or the environment. */
const flagOn: Kind<boolean> = { ...flag, canBeOff: true };

/** Where API keys are needed. As a flag without a value it means `data`. */
const keyScope: Kind<Scope> = {
  expects: "true, data, all or false",
  schema: { enum: [true, false, "data", "all", "none"] },
  placeholder: "interfaces",
  isOptional: true,
  parse(value) {
    if (value === true || value === "true" || value === "data") return "data";
    if (value === false || value === "false" || value === "none") return "none";
    return value === "all" ? "all" : undefined;
  },
};

/** Node's timers take 31 bits of milliseconds; a longer one would fire at once. */
const MAX_DURATION_MS = 500 * DURATION_MS.h;

/** Milliseconds, in the reference node's notation: 30s, 500ms, 2m. */
const duration: Kind<number> = {
  placeholder: "duration",
  expects: "a duration such as 30s, 500ms or 2m, of up to 500h",
  schema: { type: "string", pattern: "^\\d+(\\.\\d+)?(ms|s|m|h)$" },
  write: (ms) => (ms % DURATION_MS.s === 0 ? `${ms / DURATION_MS.s}s` : `${ms}ms`),
  parse(value) {
    const match = typeof value === "string" ? /^(\d+(?:\.\d+)?)(ms|s|m|h)$/.exec(value) : null;
    const ms = match === null ? 0 : Number(match[1]) * DURATION_MS[match[2] as keyof typeof DURATION_MS];
    return ms > 0 && ms <= MAX_DURATION_MS ? ms : undefined;
  },
};

const unixSeconds: Kind<bigint> = {
  placeholder: "seconds",
  expects: "Unix seconds, e.g. 1764000000",
  schema: { type: "integer", minimum: 0, maximum: 253_402_300_799 },
  // up to the year 9999
  parse: (value) => (/^\d{1,12}$/.test(String(value)) && Number(value) < 253_402_300_800 ? BigInt(String(value)) : undefined),
};

/** Unix seconds, from the notations that people use for times. */
const moment: Kind<bigint> = {
  placeholder: "time",
  expects: TIME_EXPECTED,
  schema: { type: ["string", "integer"] },
  parse(value) {
    try {
      return parseMoment(String(value));
    } catch (error) {
      if (error instanceof FirnError) return undefined;
      throw error;
    }
  },
};

/** The URL of a server, without a path. */
const url: Kind<string> = {
  placeholder: "url",
  expects: "a URL such as http://127.0.0.1:9650",
  schema: { type: "string", pattern: "^https?://" },
  parse: (value) => (typeof value === "string" && /^https?:/.test(value) && URL.canParse(value) ? new URL(value).origin : undefined),
};

/** `P=120,X=45`, or `{"P": 120}` in a file. */
const heights: Kind<ReadonlyMap<string, bigint>> = {
  placeholder: "heights",
  expects: "heights such as P=120,X=45,C=30",
  schema: { type: ["object", "string"], additionalProperties: { type: "integer", minimum: 0 } },
  write: (heights) => Object.fromEntries([...heights].map(([chain, height]) => [chain, Number(height)])),
  parse(value) {
    const pairs = typeof value === "string" ? value.split(",").map((part) => part.split("=")) : Object.entries((value as object) ?? {});
    const isValid = pairs.every((pair) => pair.length === 2 && pair[0] !== "" && /^\d+$/.test(String(pair[1])));
    return isValid ? new Map(pairs.map(([chain, height]) => [String(chain), BigInt(String(height))])) : undefined;
  },
};

const rateLimits: Kind<RateLimits> = {
  placeholder: "limits",
  expects: RATE_LIMITS_EXPECTED,
  schema: rateLimitsSchema,
  parse: parseRateLimits,
  write: (limits) => (limits === NO_LIMITS ? "off" : limits),
};

const limits: Kind<Limits> = {
  placeholder: "limits",
  expects: LIMITS_EXPECTED,
  schema: limitsSchema,
  parse: parseLimits,
  // each has its default in the schema
  write: (limits) => (limits === DEFAULT_LIMITS ? undefined : limits),
};

/** Proxies by address or network. */
const networks: Kind<readonly string[]> = {
  placeholder: "networks",
  expects: "addresses or networks separated by commas, e.g. 127.0.0.1,10.0.0.0/8",
  schema: LIST,
  parse(value) {
    const items = list("networks").parse(value, "");
    return items?.every(isNetwork) ? items : undefined;
  },
};

function isNetwork(text: string): boolean {
  const [address = "", length, ...rest] = text.split("/");
  const family = isIP(address);
  return (
    family !== 0 && rest.length === 0 && (length === undefined || (/^\d+$/.test(length) && Number(length) <= (family === 4 ? 32 : 128)))
  );
}

/** A list of objects in a file; elsewhere the same as JSON text. */
const chains: Kind<readonly EvmChainEntry[]> = {
  placeholder: "json",
  expects: 'JSON such as [{"rpc": "http://127.0.0.1:9650/ext/bc/C/rpc"}]',
  schema: chainEntriesSchema,
  parse(value, origin, directory) {
    if (typeof value !== "string") return parseChainEntries(value, origin, directory);
    try {
      return parseChainEntries(JSON.parse(value), origin, directory);
    } catch (error) {
      if (error instanceof SyntaxError) return undefined;
      throw error;
    }
  },
};

/** URLs, with their paths, of the nodes of one chain. */
const rpcUrls: Kind<readonly string[]> = {
  placeholder: "urls",
  expects: "URLs such as http://127.0.0.1:9650/ext/bc/C/rpc, separated by commas",
  schema: LIST,
  parse(value, origin) {
    const urls = list("urls").parse(value, origin);
    const isUsable = urls !== undefined && urls.length > 0 && urls.every((each) => /^(https?|wss?):\/\//.test(each) && URL.canParse(each));
    return isUsable ? urls : undefined;
  },
};

/** URLs of nodes, to which paths such as `/ext/bc/P` are appended. */
const nodeUrls: Kind<readonly string[]> = {
  placeholder: "urls",
  expects: "URLs of nodes without /ext, such as http://127.0.0.1:9650, separated by commas",
  schema: LIST,
  parse(value, origin) {
    const urls = list("urls")
      .parse(value, origin)
      ?.map((each) => each.replace(/\/+$/, ""));
    const isUsable = urls?.every((each) => /^https?:\/\//.test(each) && URL.canParse(each) && !/\/ext(\/|$)/.test(new URL(each).pathname));
    return isUsable && urls!.length > 0 ? urls : undefined;
  },
};

/** Where a store is in PostgreSQL. */
const postgresUrl: Kind<string> = {
  placeholder: "url",
  expects: "the URL of a database, such as postgres://firn@127.0.0.1:5432/firn",
  schema: { type: "string", pattern: "^postgres(ql)?://" },
  parse(value) {
    if (typeof value !== "string" || !/^postgres(ql)?:\/\//.test(value) || !URL.canParse(value)) return undefined;
    const { hostname, pathname } = new URL(value);
    return hostname !== "" && pathname.length > 1 ? value : undefined;
  },
};

/** Where its standbys are. */
const postgresUrls: Kind<readonly string[]> = {
  placeholder: "urls",
  expects: "URLs of databases, such as postgres://firn@127.0.0.1:5432/firn, separated by commas",
  schema: LIST,
  parse(value, origin) {
    const urls = list("urls").parse(value, origin);
    return urls?.every((each) => postgresUrl.parse(each, origin) !== undefined) ? urls : undefined;
  },
};

export const kinds = {
  chains,
  postgresUrl,
  postgresUrls,
  nodeUrls,
  rpcUrls,
  text,
  path,
  oneOf,
  list,
  optional,
  orOff,
  flag,
  flagOn,
  keyScope,
  duration,
  unixSeconds,
  moment,
  url,
  heights,
  rateLimits,
  limits,
  networks,
  count: (placeholder: string, most = Number.MAX_SAFE_INTEGER) => integer(placeholder, 1, most),
  port: integer("port", 0, 65_535),
  threads: integer("n", 0, 64),
};

export function kebab(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
}
