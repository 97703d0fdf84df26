/** What kinds of values configuration has: how each is written on a command line, in the environment and in a JSON file. */
import { isIP } from "node:net";
import { parseRateLimits, RATE_LIMITS_EXPECTED, type RateLimits } from "../data/access/tiers.ts";
import { parseMoment, TIME_EXPECTED } from "../devnet/period.ts";
import { type EvmChainEntry, parseChainEntries } from "../evm/chain-entry.ts";
import { FirnError } from "../primitives/errors.ts";

export interface Kind<T> {
  /** undefined if the value cannot be used; a FirnError tells what of it cannot. `origin` is how it is called in errors */
  parse(value: unknown, origin: string): T | undefined;
  /** completes "use …" */
  readonly expects: string;
  /** what stands behind the flag in help; absent for a flag without value */
  readonly placeholder?: string;
}

const DURATION_MS = { ms: 1, s: 1000, m: 60_000, h: 3_600_000 } as const;

function text(placeholder: string): Kind<string> {
  return { placeholder, expects: `a ${placeholder}`, parse: (value) => (typeof value === "string" && value !== "" ? value : undefined) };
}

function integer(placeholder: string, least: number, most: number): Kind<number> {
  return {
    placeholder,
    expects: most === Number.MAX_SAFE_INTEGER ? `a whole number from ${least} on` : `a whole number from ${least} to ${most}`,
    parse(value) {
      const number = typeof value === "string" && /^\d+$/.test(value) ? Number(value) : value;
      return typeof number === "number" && Number.isInteger(number) && number >= least && number <= most ? number : undefined;
    },
  };
}

function oneOf<const V extends string>(...values: V[]): Kind<V> {
  return { placeholder: values.join("|"), expects: values.join(" or "), parse: (value) => values.find((candidate) => candidate === value) };
}

function list(placeholder: string): Kind<readonly string[]> {
  return {
    placeholder,
    expects: `${placeholder}, separated by commas`,
    parse(value) {
      if (Array.isArray(value)) return value.every((item) => typeof item === "string") ? value : undefined;
      return typeof value === "string" ? value.split(",").filter((item) => item !== "") : undefined;
    },
  };
}

function optional<T>(kind: Kind<T>): Kind<T | undefined> {
  return kind;
}

const flag: Kind<boolean> = {
  expects: "true or false",
  parse: (value) => (value === true || value === "true" ? true : value === false || value === "false" ? false : undefined),
};

/** Milliseconds; written as the reference node does: 30s, 500ms, 2m. */
const duration: Kind<number> = {
  placeholder: "duration",
  expects: "a duration such as 30s, 500ms or 2m",
  parse(value) {
    const match = typeof value === "string" ? /^(\d+(?:\.\d+)?)(ms|s|m|h)$/.exec(value) : null;
    const ms = match === null ? 0 : Number(match[1]) * DURATION_MS[match[2] as keyof typeof DURATION_MS];
    return ms > 0 ? ms : undefined;
  },
};

const unixSeconds: Kind<bigint> = {
  placeholder: "seconds",
  expects: "Unix seconds, e.g. 1764000000",
  parse: (value) => (/^\d+$/.test(String(value)) ? BigInt(String(value)) : undefined),
};

/** Unix seconds, as people write times. */
const moment: Kind<bigint> = {
  placeholder: "time",
  expects: TIME_EXPECTED,
  parse(value) {
    try {
      return parseMoment(String(value));
    } catch (error) {
      if (error instanceof FirnError) return undefined;
      throw error;
    }
  },
};

/** Of a server, without a path. */
const url: Kind<string> = {
  placeholder: "url",
  expects: "a URL such as http://127.0.0.1:9650",
  parse: (value) => (typeof value === "string" && /^https?:/.test(value) && URL.canParse(value) ? new URL(value).origin : undefined),
};

/** `P=120,X=45`, or `{"P": 120}` in a file. */
const heights: Kind<ReadonlyMap<string, bigint>> = {
  placeholder: "heights",
  expects: "heights such as P=120,X=45,C=30",
  parse(value) {
    const pairs = typeof value === "string" ? value.split(",").map((part) => part.split("=")) : Object.entries((value as object) ?? {});
    const isValid = pairs.every((pair) => pair.length === 2 && pair[0] !== "" && /^\d+$/.test(String(pair[1])));
    return isValid ? new Map(pairs.map(([chain, height]) => [String(chain), BigInt(String(height))])) : undefined;
  },
};

const rateLimits: Kind<RateLimits> = { placeholder: "limits", expects: RATE_LIMITS_EXPECTED, parse: parseRateLimits };

/** What tells a proxy from a client: its address, or the network that it is in. */
const networks: Kind<readonly string[]> = {
  placeholder: "networks",
  expects: "addresses or networks separated by commas, e.g. 127.0.0.1,10.0.0.0/8",
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

/** A list of objects: in a file as it is, elsewhere its JSON. */
const chains: Kind<readonly EvmChainEntry[]> = {
  placeholder: "json",
  expects: 'JSON such as [{"rpc": "http://127.0.0.1:9650/ext/bc/C/rpc"}]',
  parse(value, origin) {
    if (typeof value !== "string") return parseChainEntries(value, origin);
    try {
      return parseChainEntries(JSON.parse(value), origin);
    } catch (error) {
      if (error instanceof SyntaxError) return undefined;
      throw error;
    }
  },
};

/** Of nodes of one chain, with their paths. */
const rpcUrls: Kind<readonly string[]> = {
  placeholder: "urls",
  expects: "URLs such as http://127.0.0.1:9650/ext/bc/C/rpc, separated by commas",
  parse(value, origin) {
    const urls = list("urls").parse(value, origin);
    const isUsable = urls !== undefined && urls.length > 0 && urls.every((each) => /^(https?|wss?):\/\//.test(each) && URL.canParse(each));
    return isUsable ? urls : undefined;
  },
};

export const kinds = {
  chains,
  rpcUrls,
  text,
  oneOf,
  list,
  optional,
  flag,
  duration,
  unixSeconds,
  moment,
  url,
  heights,
  rateLimits,
  networks,
  count: (placeholder: string) => integer(placeholder, 1, Number.MAX_SAFE_INTEGER),
  port: integer("port", 0, 65_535),
};

export function kebab(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
}
