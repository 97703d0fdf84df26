/** Real rows of a P-chain, and what a server that reads them must answer: all UTXOs of an address are of the block whose height the answer names. */

import { createHash } from "node:crypto";
import { formatId } from "../../../src/base/bytes/cb58.ts";
import { EMPTY_ID, type Id } from "../../../src/base/bytes/id.ts";
import { Writer } from "../../../src/base/codec/reader.ts";
import type { Change } from "../../../src/base/table/table.ts";
import { platformChain, platformUtxos } from "../../../src/chains/platform/tables.ts";
import { PLATFORM_UTXOS, utxosByAddress } from "../../../src/index/tables.ts";
import { standaloneNetwork } from "../../../src/network/standalone.ts";
import { ingestProgress } from "../../../src/store/tables.ts";

export const network = standaloneNetwork({ isTestnet: true });
/** more than a request reads in one piece */
const UTXOS = 150;
const OWNER = "ee".repeat(20);
const SECP_OUTPUT = 7;

/** The block spends all UTXOs of the one before it, and makes as many. */
export function servedChanges(height: bigint): Change[] {
  const scalars = { feeCapacity: 0n, feeExcess: 0n, l1Excess: 0n, accruedFees: 0n };
  const changes: object[] = [
    { table: platformChain, key: { slot: 0 }, value: { height, lastAccepted: txIdOf(height), timestamp: 0n, ...scalars } },
    { table: ingestProgress, key: { slot: 0 }, value: { nextSequence: height, sharedMemoryOperations: 0n } },
  ];
  for (let index = 0; index < UTXOS; index++) {
    changes.push(...utxo(height - 1n, index, undefined), ...utxo(height, index, { rank: height, bytes: utxoBytes(height, index) }));
  }
  return changes as Change[];
}

/** @param value undefined: it is spent */
function utxo(height: bigint, index: number, value: { rank: bigint; bytes: Uint8Array } | undefined): object[] {
  const utxoId = createHash("sha256").update(`utxo ${height} ${index}`).digest("hex");
  return [
    { table: platformUtxos, key: { utxoId }, value },
    { table: utxosByAddress, key: { chain: PLATFORM_UTXOS, address: OWNER, rank: height, utxoId }, value: value && {} },
  ];
}

function utxoBytes(height: bigint, index: number): Uint8Array {
  const writer = new Writer();
  writer.hex(txIdOf(height));
  writer.u32(index);
  writer.hex(network.avaxAssetId);
  writer.u32(SECP_OUTPUT);
  writer.u64(height + BigInt(index));
  writer.u64(0n);
  writer.u32(1);
  writer.u32(1);
  writer.hex(OWNER);
  return writer.finish();
}

function txIdOf(height: bigint): Id {
  return height === 0n ? EMPTY_ID : createHash("sha256").update(`tx ${height}`).digest("hex");
}

export const BALANCE = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "platform.getBalance", params: { addresses: [formatId(OWNER)] } });

/** What contradicts what in an answer to BALANCE; undefined: nothing. @param height that its header names */
export function contradictionIn(body: string, height: bigint): string | undefined {
  if (height === 0n) return undefined;
  const { result } = JSON.parse(body);
  const sum = BigInt(UTXOS) * height + BigInt((UTXOS * (UTXOS - 1)) / 2);
  if (result?.balance !== `${sum}`) return `height ${height} has balance ${sum}, and the answer is ${body.slice(0, 300)}`;
  const txId = formatId(txIdOf(height));
  const indexes = new Set<number>();
  for (const each of result.utxoIDs) {
    if (each.txID !== txId) return `at height ${height} is a UTXO of ${each.txID} beside those of ${txId}`;
    indexes.add(each.outputIndex);
  }
  return indexes.size === UTXOS ? undefined : `at height ${height} are ${indexes.size} UTXOs`;
}
