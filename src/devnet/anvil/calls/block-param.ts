/** The parameter by which a call names a block: a number, a tag, a hash, or an object with one of them (EIP-1898). */

const FIRST = ["eth_getBlockByNumber", "eth_getBlockByHash", "eth_getBlockReceipts", "debug_traceBlockByNumber", "debug_traceBlockByHash"];
const SECOND = [
  ...["eth_getBalance", "eth_getCode", "eth_getTransactionCount", "eth_call", "eth_estimateGas", "eth_createAccessList"],
  ...["eth_feeHistory", "debug_traceCall"],
];
const THIRD = ["eth_getStorageAt", "eth_getProof"];
const POSITIONS: ReadonlyMap<string, number> = new Map(
  [FIRST, SECOND, THIRD].flatMap((methods, position) => methods.map((method): [string, number] => [method, position])),
);

const HASH = /^0x[0-9a-f]{64}$/i;
const NUMBER = /^0x[0-9a-f]{1,16}$/i;

/** Returns undefined if the call names none, or its method is not known here. */
export function blockParam(method: string | undefined, params: unknown): unknown {
  const position = POSITIONS.get(method ?? "");
  return position === undefined || !Array.isArray(params) ? undefined : (params[position] as unknown);
}

/** Returns undefined if the block is not named by its hash. */
export function hashOf(block: unknown): string | undefined {
  const hash = (block as { blockHash?: unknown } | null | undefined)?.blockHash ?? block;
  return typeof hash === "string" && HASH.test(hash) ? hash.toLowerCase() : undefined;
}

/** Returns undefined if the block is not named by its number. */
export function numberOf(block: unknown): bigint | undefined {
  const number = (block as { blockNumber?: unknown } | null | undefined)?.blockNumber ?? block;
  return typeof number === "string" && NUMBER.test(number) ? BigInt(number) : undefined;
}
