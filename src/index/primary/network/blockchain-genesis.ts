/** Reads the genesis of a blockchain with any VM. Anyone can choose these bytes, so they are not trusted. */

/** A genesis file nests about five levels. Serializing thousands of levels would exhaust the stack. */
const MAX_DEPTH = 32;

/** The genesis, if it is a JSON object. */
export function jsonGenesis(bytes: Uint8Array): Readonly<Record<string, unknown>> | undefined {
  let value: unknown;
  try {
    value = JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(bytes));
  } catch {
    return undefined; // not JSON, which is allowed
  }
  return isObject(value) && !isDeeperThan(value, MAX_DEPTH) ? value : undefined;
}

/** `config.chainId` of a JSON genesis; 0 if it is missing or cannot be represented exactly as a JSON number. */
export function evmChainIdOf(bytes: Uint8Array): bigint {
  const config = jsonGenesis(bytes)?.config;
  const chainId = isObject(config) ? config.chainId : undefined;
  return Number.isSafeInteger(chainId) && (chainId as number) > 0 ? BigInt(chainId as number) : 0n;
}

export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

const QUANTITY = /^(0x[0-9a-fA-F]+|[0-9]+)$/;

/** Returns a finite number, also from hexadecimal or decimal text; undefined for anything else. */
export function toNumber(value: unknown): number | undefined {
  if (typeof value === "string" && QUANTITY.test(value)) {
    const number = Number(value);
    return Number.isSafeInteger(number) ? number : undefined;
  }
  // 1e999 is valid JSON, but Infinity would be written as null.
  return typeof value === "number" && Number.isFinite(value) ? value : undefined;
}

/** Checks level by level, without recursion. */
function isDeeperThan(value: unknown, limit: number): boolean {
  let level = [value];
  for (let depth = 0; depth < limit; depth++) {
    level = level.flatMap((item) => (typeof item === "object" && item !== null ? Object.values(item) : []));
    if (level.length === 0) return false;
  }
  return true;
}
