/**
 * What the C-chain's pool demands of a transaction since Helicon, in its words (`txgossip` and geth's `txpool`). The child takes some that it
 * can never put into a block, and then forgets them without a word.
 */
import { CodecError } from "../../../base/codec/error.ts";
import { type RlpItem, readRlp, rlpBytes, rlpInteger, rlpItems } from "../../../base/codec/rlp.ts";
import { minGasForSize } from "../calls/gas-for-size.ts";
import { EvmRequestError } from "../evm-error.ts";

interface PoolRules {
  /** of a block */
  readonly gasLimit: bigint;
}

interface Fields {
  readonly nonce: bigint;
  readonly tip: bigint;
  readonly fee: bigint;
  readonly gas: bigint;
  readonly isCreation: boolean;
  readonly data: Buffer;
  /** of the access list */
  readonly addresses: number;
  readonly keys: number;
}

const METHOD = "eth_sendRawTransaction";
const SERVER_ERROR = -32_000;
/**
 * by transaction type: positions of the tip and of the fee. The nonce is before the tip; the gas limit, recipient, value, data, access list
 * follow the fee
 */
const POSITIONS: ReadonlyMap<number, readonly [tip: number, fee: number]> = new Map([
  [0, [1, 1]],
  [1, [2, 2]],
  [2, [2, 3]],
]);
const FIRST_TYPE_OF_LEGACY = 0x80;
const WEI_PER_AVAX = 10n ** 18n;
/** the node's default: most that a transaction may cost, besides what it pays, in AVAX */
const FEE_CAP = 100n;
/** EIP-3860 */
const MOST_INITCODE_BYTES = 49_152;

/** Bytes that are no transaction pass: the child says what is wrong with them. @param raw hex */
export function requirePoolRules(raw: string, rules: PoolRules): void {
  const bytes = Buffer.from(raw.slice("0x".length), "hex");
  const fields = fieldsOf(bytes);
  const problem = fields && problemOf(fields, bytes.length, rules);
  if (problem !== undefined) throw new EvmRequestError(METHOD, { code: SERVER_ERROR, message: problem });
}

/** Undefined for what is no transaction. @param raw hex */
export function nonceOf(raw: string): bigint | undefined {
  return fieldsOf(Buffer.from(raw.slice("0x".length), "hex"))?.nonce;
}

/** in percent of the waiting transaction's tip and fee, each */
const LEAST_PRICE = 110n;

/** Throws unless a transaction pays enough more than the one that it replaces. @param waiting hex @param raw hex */
export function requireHigherPrice(waiting: string, raw: string): void {
  const [before, after] = [waiting, raw].map((each) => fieldsOf(Buffer.from(each.slice("0x".length), "hex")));
  if (before === undefined || after === undefined) return;
  const isEnough = (old: bigint, fresh: bigint) => fresh > old && fresh >= (old * LEAST_PRICE) / 100n;
  if (isEnough(before.tip, after.tip) && isEnough(before.fee, after.fee)) return;
  throw new EvmRequestError(METHOD, { code: SERVER_ERROR, message: "replacement transaction underpriced" });
}

function problemOf({ tip, fee, gas, isCreation, data, ...list }: Fields, size: number, rules: PoolRules): string | undefined {
  const cost = gas * fee;
  if (cost > FEE_CAP * WEI_PER_AVAX) return `tx fee (${inAvax(cost)} ether) exceeds the configured cap (${FEE_CAP}.00 ether)`;
  const least = minGasForSize(size, rules);
  if (gas < least) {
    const text = `tx size ${size} bytes must specify gas limit at least ${least} when the block gas limit is ${rules.gasLimit}`;
    return `insufficient gas limit for tx size: ${text}`;
  }
  if (isCreation && data.length > MOST_INITCODE_BYTES) {
    return `max initcode size exceeded: code size ${data.length}, limit ${MOST_INITCODE_BYTES}`;
  }
  if (gas > rules.gasLimit) return "exceeds block gas limit";
  if (tip > fee) return "max priority fee per gas higher than max fee per gas";
  const needed = intrinsicGas(data, { isCreation, ...list });
  return gas < needed ? `intrinsic gas too low: gas ${gas}, minimum needed ${needed}` : undefined;
}

function intrinsicGas(data: Buffer, { isCreation, addresses, keys }: Pick<Fields, "isCreation" | "addresses" | "keys">): bigint {
  let gas = isCreation ? 53_000 + 2 * Math.ceil(data.length / 32) : 21_000;
  for (const byte of data) gas += byte === 0 ? 4 : 16;
  return BigInt(gas + 2_400 * addresses + 1_900 * keys);
}

function fieldsOf(bytes: Buffer): Fields | undefined {
  const first = bytes[0] ?? 0xff;
  const isLegacy = first >= FIRST_TYPE_OF_LEGACY;
  const positions = POSITIONS.get(isLegacy ? 0 : first);
  if (positions === undefined) return undefined;
  const [tip, fee] = positions;
  try {
    const items = rlpItems(readRlp(isLegacy ? bytes : bytes.subarray(1)));
    const [gas, to, , data, list] = items.slice(fee + 1);
    if (gas === undefined || to === undefined || data === undefined || (list === undefined && !isLegacy)) return undefined;
    const entries = isLegacy ? [] : rlpItems(list!).map(rlpItems);
    return {
      nonce: rlpInteger(items[tip - 1]!),
      tip: rlpInteger(items[tip]!, 32),
      fee: rlpInteger(items[fee]!, 32),
      gas: rlpInteger(gas),
      isCreation: rlpBytes(to).length === 0,
      data: rlpBytes(data),
      addresses: entries.length,
      keys: entries.reduce((sum, [, keys]) => sum + keysIn(keys), 0),
    };
  } catch (error) {
    if (error instanceof CodecError) return undefined;
    throw error;
  }
}

function keysIn(keys: RlpItem | undefined): number {
  return keys === undefined ? 0 : rlpItems(keys).length;
}

/** With two decimals. */
function inAvax(wei: bigint): string {
  const hundredths = (wei * 100n + WEI_PER_AVAX / 2n) / WEI_PER_AVAX;
  return `${hundredths / 100n}.${`${hundredths % 100n}`.padStart(2, "0")}`;
}
