/**
 * The total AVAX of an idle network in wei: what is on P and X, staked, between chains, in EVM accounts, and burned. No transaction changes
 * this sum. It is counted from rows and blocks with the simplest possible loops.
 */

import { parseId } from "../../src/base/bytes/cb58.ts";
import { type Id, nameId, PLATFORM_CHAIN_ID } from "../../src/base/bytes/id.ts";
import type { Row } from "../../src/base/table/table.ts";
import { assetCodec } from "../../src/chains/asset/codec.ts";
import { assetChains, assetTxs, assetUtxos } from "../../src/chains/asset/tables.ts";
import { atomicTxs } from "../../src/chains/atomic/tables.ts";
import { parseAtomicTx } from "../../src/chains/atomic/tx.ts";
import { platformStakers, platformTxs, platformUtxos } from "../../src/chains/platform/tables.ts";
import { parseTx } from "../../src/chains/platform/tx/registry.ts";
import { sharedElements } from "../../src/chains/shared-memory/tables.ts";
import { supplyTotals } from "../../src/index/primary/network/network-tables.ts";
import { NO_TOTALS } from "../../src/index/primary/network/network-totals.ts";
import { bytesOf } from "../../src/index/stored-txs.ts";
import { openStore } from "../../src/store/open.ts";
import { type StoreReader, scanAll } from "../../src/store/store.ts";
import { call } from "../devnet/json-rpc.ts";

export interface CountedNetwork {
  readonly dataDirectory: string;
  readonly url: string;
  /** cb58 */
  readonly avaxAssetId: string;
  /** every account of the EVM that may hold something, `0x…` */
  readonly evmAccounts: readonly string[];
}

export interface AvaxTotal {
  readonly total: bigint;
  /** the parts, for people */
  readonly parts: Readonly<Record<string, bigint>>;
}

const WEI_PER_NAVAX = 1_000_000_000n;
const X_FXS = ["secp256k1fx", "nftfx", "propertyfx"].map(nameId);
/** Transaction ID and output index stand before an output's asset. */
const ASSET_AT = 32 + 4;
const TRANSFER_OUTPUT = 7;
const LOCK_OUTPUT = 22;

export async function totalAvax({ dataDirectory, url, avaxAssetId, evmAccounts }: CountedNetwork): Promise<AvaxTotal> {
  const avax = parseId(avaxAssetId);
  const store = await openStore({ directory: dataDirectory, mode: "read" });
  try {
    return totalOf({ ...(await storedAvax(store, avax)), C: await evmBalances(url, evmAccounts), gas: await burnedGas(url) });
  } finally {
    await store.close();
  }
}

export function totalOf(parts: Readonly<Record<string, bigint>>): AvaxTotal {
  return { total: Object.values(parts).reduce((sum, part) => sum + part, 0n), parts };
}

/** Wei of everything but the EVM's accounts and gas. What rewards and L1 validators change is read from the totals of the index. */
export async function storedAvax(store: StoreReader, avax: Id): Promise<Record<string, bigint>> {
  const totals = (await store.get(supplyTotals, { slot: 0 })) ?? NO_TOTALS;
  const nAvax = {
    P: await sumOf(store, platformUtxos, ({ value }) => amountOf(value.bytes, avax)),
    stake: await sumOf(store, platformStakers, ({ value }) => total(holdingsOf(parseTx(value.tx).unsigned, "stake", avax))),
    X: await sumOf(store, assetUtxos, ({ key, value }) => (key.chain === 0 ? amountOf(value.bytes, avax) : 0n)),
    shared: await sumOf(store, sharedElements, ({ value }) => (value.isTombstone ? 0n : amountOf(value.bytes.subarray(2), avax))),
    burned: await burned(store, avax),
    l1: totals.l1Balances + totals.l1Fees,
    minted: -totals.rewards,
  };
  return Object.fromEntries(Object.entries(nAvax).map(([name, amount]) => [name, amount * WEI_PER_NAVAX]));
}

/** Of AVAX in a UTXO without codec version; what is not transferable holds none. */
function amountOf(utxo: Uint8Array, avax: Id): bigint {
  const bytes = Buffer.from(utxo.buffer, utxo.byteOffset, utxo.length);
  if (bytes.toString("hex", ASSET_AT, ASSET_AT + 32) !== avax) return 0n;
  const typeAt = ASSET_AT + 32;
  const typeId = bytes.readUInt32BE(typeAt);
  if (typeId === TRANSFER_OUTPUT) return bytes.readBigUInt64BE(typeAt + 4);
  // type, locktime, and the type of the output within
  return typeId === LOCK_OUTPUT ? bytes.readBigUInt64BE(typeAt + 4 + 8 + 4) : 0n;
}

/** Inputs that no output, stake or other chain got. */
async function burned(store: StoreReader, avax: Id): Promise<bigint> {
  const codec = assetCodec(X_FXS);
  const onP = await sumOf(store, platformTxs, async ({ value }) =>
    burnedBy(parseTx(await bytesOf(store, PLATFORM_CHAIN_ID, value)).unsigned, avax),
  );
  const { chainId } = (await store.get(assetChains, { chain: 0 }))!;
  const onX = await sumOf(store, assetTxs, async ({ key, value }) => {
    if (key.chain !== 0) return 0n;
    const bytes = await bytesOf(store, chainId, value);
    return burnedBy(codec.parseTx(bytes, { limit: bytes.length }).unsigned, avax);
  });
  const onC = await sumOf(store, atomicTxs, ({ value }) => burnedBy(parseAtomicTx(value.bytes).unsigned, avax));
  return onP + onX + onC;
}

interface Holding {
  readonly assetId: Id;
  readonly amount?: bigint;
  readonly input?: unknown;
  readonly output?: unknown;
}

function burnedBy(unsigned: object, avax: Id): bigint {
  const of = (name: string) => holdingsOf(unsigned, name, avax);
  const into = [...of("inputs"), ...of("importedInputs")];
  // what genesis created came from nowhere
  if (into.length === 0) return 0n;
  return total(into) - total([...of("outputs"), ...of("exportedOutputs"), ...of("stake")]) - l1Deposits(unsigned);
}

function holdingsOf(unsigned: object, name: string, avax: Id): Holding[] {
  const fields = unsigned as Readonly<Record<string, unknown>>;
  return ((fields[name] as readonly Holding[] | undefined) ?? []).filter(({ assetId }) => assetId === avax);
}

/** What goes onto balances of L1 validators, for their fees. */
function l1Deposits(unsigned: { balance?: bigint; kind?: string; validators?: readonly { balance: bigint }[] }): bigint {
  if (unsigned.kind === "ConvertSubnetToL1Tx") return unsigned.validators!.reduce((sum, { balance }) => sum + balance, 0n);
  return unsigned.balance ?? 0n;
}

function total(holdings: readonly Holding[]): bigint {
  return holdings.reduce((sum, holding) => sum + heldBy(holding), 0n);
}

/** An account's amount stands beside its asset, others inside, below a lock if there is one. */
function heldBy(holding: unknown): bigint {
  const { amount, input, output } = holding as Holding;
  return amount ?? (input === undefined && output === undefined ? 0n : heldBy(input ?? output));
}

async function sumOf<T extends Parameters<typeof scanAll>[1]>(
  store: StoreReader,
  table: T,
  amount: (row: Row<T>) => bigint | Promise<bigint>,
): Promise<bigint> {
  let sum = 0n;
  for await (const row of scanAll(store, table)) sum += await amount(row as Row<T>);
  return sum;
}

async function evmBalances(url: string, accounts: readonly string[]): Promise<bigint> {
  const balances = await Promise.all(accounts.map((account) => ask(url, "eth_getBalance", [account, "latest"])));
  return balances.reduce<bigint>((sum, balance) => sum + BigInt(balance as string), 0n);
}

/** The base fee of all gas goes nowhere; what is paid above it goes to the miner's account. */
async function burnedGas(url: string): Promise<bigint> {
  const tip = Number(await ask(url, "eth_blockNumber", []));
  let sum = 0n;
  for (let height = 1; height <= tip; height++) {
    const number = `0x${height.toString(16)}`;
    const { baseFeePerGas } = (await ask(url, "eth_getBlockByNumber", [number, false])) as { readonly baseFeePerGas: string };
    const receipts = (await ask(url, "eth_getBlockReceipts", [number])) as readonly { readonly gasUsed: string }[];
    for (const { gasUsed } of receipts) sum += BigInt(baseFeePerGas) * BigInt(gasUsed);
  }
  return sum;
}

async function ask(url: string, method: string, params: unknown): Promise<unknown> {
  const { result, error } = await call(url, { path: "/ext/bc/C/rpc", method, params });
  if (result === undefined || result === null) throw new Error(`${method}: ${error?.message ?? "no result"}`);
  return result;
}
