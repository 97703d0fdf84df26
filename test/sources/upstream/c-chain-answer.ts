/** A C-chain block as `eth_getBlockByNumber` returns it: the inverse of what a follower makes of the answer. */

import { Transaction } from "ethers";
import { readRlp, rlpItems } from "../../../src/base/codec/rlp.ts";
import type { CChainBlock } from "../../../src/chains/atomic/block.ts";
import { C_CHAIN_FIELDS } from "../../../src/sources/evm/parser/rlp-forms.ts";

export type BlockAnswer = Readonly<Record<string, unknown>> & { readonly transactions: readonly unknown[] };

/** Total difficulty is 0, as nodes say since Helicon. */
export function cChainAnswer(block: CChainBlock): BlockAnswer {
  const [header] = rlpItems(readRlp(block.bytes));
  const values = rlpItems(header!).map(({ payload }) => payload.toString("hex"));
  const fields = C_CHAIN_FIELDS.slice(0, values.length).map(({ name, isNumber }, index) => {
    const digits = values[index]!;
    return [name, isNumber ? `0x${digits.replace(/^0/, "") || "0"}` : `0x${digits}`];
  });
  return {
    ...Object.fromEntries(fields),
    hash: `0x${block.id}`,
    size: quantity(block.bytes.length),
    totalDifficulty: "0x0",
    uncles: [],
    blockExtraData: hex(block.extraData),
    transactions: block.transactions.map((bytes, index) => transactionAnswer(bytes, index, block)),
  };
}

/** With hashes in place of transactions, as `eth_getBlockByNumber` answers with false. */
export function withHashes(answer: BlockAnswer): BlockAnswer {
  return { ...answer, transactions: answer.transactions.map((transaction) => (transaction as { hash: string }).hash) };
}

function transactionAnswer(bytes: Uint8Array, index: number, { id, height, baseFee = 0n }: CChainBlock): object {
  const tx = Transaction.from(hex(bytes));
  const { r, s, yParity, networkV, v } = tx.signature!;
  const isTyped = tx.type! > 0;
  return {
    ...{ blockHash: `0x${id}`, blockNumber: quantity(height), transactionIndex: quantity(index), hash: tx.hash, from: lower(tx.from) },
    ...{ type: quantity(tx.type!), nonce: quantity(tx.nonce), gas: quantity(tx.gasLimit), to: lower(tx.to), value: quantity(tx.value) },
    ...{ input: tx.data, r: quantity(BigInt(r)), s: quantity(BigInt(s)), v: quantity(isTyped ? yParity : (networkV ?? v)) },
    ...(tx.chainId > 0n && { chainId: quantity(tx.chainId) }),
    ...(isTyped && {
      yParity: quantity(yParity),
      accessList: tx.accessList!.map(({ address, storageKeys }) => ({ address: lower(address), storageKeys })),
    }),
    ...(tx.type! < 2
      ? { gasPrice: quantity(tx.gasPrice!) }
      : {
          maxFeePerGas: quantity(tx.maxFeePerGas!),
          maxPriorityFeePerGas: quantity(tx.maxPriorityFeePerGas!),
          gasPrice: quantity(least(tx.maxFeePerGas!, baseFee + tx.maxPriorityFeePerGas!)),
        }),
  };
}

function least(a: bigint, b: bigint): bigint {
  return a < b ? a : b;
}

function lower(address: string | null): string | null {
  return address?.toLowerCase() ?? null;
}

function quantity(value: bigint | number): string {
  return `0x${value.toString(16)}`;
}

function hex(bytes: Uint8Array): string {
  return `0x${Buffer.from(bytes).toString("hex")}`;
}
