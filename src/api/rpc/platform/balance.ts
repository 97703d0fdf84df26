/**
 * Balances of addresses, by asset and by whether they can be spent or staked now (rpc-platform 3.1). Every UTXO that names one of the
 * addresses counts once and in full. Fields are read directly from the UTXOs' bytes, since an exchange's address may own very many.
 */

import { MAX_U64, smaller } from "../../../base/bytes/amount.ts";
import { formatId } from "../../../base/bytes/cb58.ts";
import type { Id } from "../../../base/bytes/id.ts";

// txId 32, outputIndex 4, assetId 32, then the output
const OUTPUT_INDEX_AT = 32;
const ASSET_AT = 36;
const OUTPUT_AT = 68;
const TRANSFER_OUTPUT = 7;
const LOCK_OUT = 22;

export const CLASSES = ["unlocked", "lockedStakeable", "lockedNotStakeable"] as const;
type Class = (typeof CLASSES)[number];

export interface Balance {
  readonly sums: Readonly<Record<Class, Map<Id, bigint>>>;
  readonly utxos: { readonly txId: Id; readonly outputIndex: number }[];
  /** The earliest end of a lock that applies now, Unix seconds: until then the sums stay the same. */
  changesAt: bigint;
}

export function emptyBalance(): Balance {
  return {
    sums: { unlocked: new Map(), lockedStakeable: new Map(), lockedNotStakeable: new Map() },
    utxos: [],
    changesAt: MAX_U64,
  };
}

/** Adds one UTXO, without codec version, as of `now`. Only transfer outputs count. */
export function addUtxo(balance: Balance, utxo: Uint8Array, now: bigint): void {
  const bytes = Buffer.from(utxo.buffer, utxo.byteOffset, utxo.byteLength);
  const output = readOutput(bytes);
  if (output === undefined) return;
  const { amount, locktime, stakeableUntil } = output;
  const isLocked = locktime > now;
  const isStakeLocked = stakeableUntil > now;
  const sums = balance.sums[isLocked ? "lockedNotStakeable" : isStakeLocked ? "lockedStakeable" : "unlocked"];
  const assetId = bytes.toString("hex", ASSET_AT, OUTPUT_AT);
  sums.set(assetId, saturatingAdd(sums.get(assetId) ?? 0n, amount));
  balance.utxos.push({ txId: bytes.toString("hex", 0, OUTPUT_INDEX_AT), outputIndex: bytes.readUInt32BE(OUTPUT_INDEX_AT) });
  if (isLocked) balance.changesAt = smaller(balance.changesAt, locktime);
  if (isStakeLocked) balance.changesAt = smaller(balance.changesAt, stakeableUntil);
}

export function saturatingAdd(a: bigint, b: bigint): bigint {
  return smaller(a + b, MAX_U64);
}

function readOutput(bytes: Buffer): { amount: bigint; locktime: bigint; stakeableUntil: bigint } | undefined {
  let at = OUTPUT_AT;
  let stakeableUntil = 0n;
  if (bytes.readUInt32BE(at) === LOCK_OUT) {
    stakeableUntil = bytes.readBigUInt64BE(at + 4);
    at += 4 + 8; // type, locktime
  }
  if (bytes.readUInt32BE(at) !== TRANSFER_OUTPUT) return undefined;
  return { amount: bytes.readBigUInt64BE(at + 4), locktime: bytes.readBigUInt64BE(at + 4 + 8), stakeableUntil };
}

/** Amounts by asset. Keys are sorted as text, as the node writes maps. */
export function assetAmounts(amounts: ReadonlyMap<Id, bigint>): Record<string, string> {
  const entries = [...amounts].map(([assetId, amount]) => [formatId(assetId), `${amount}`] as const);
  return Object.fromEntries(entries.sort(([a], [b]) => (a < b ? -1 : 1)));
}
