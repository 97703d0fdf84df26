/** What a transaction changed from the point of view of one address: amounts of coins, assets and tokens that came and went. */
import type { components } from "../../api/data-api.d.ts";
import { to } from "../../router.ts";
import type { AnyTransaction, AnyUtxo } from "./primary.ts";

type Schemas = components["schemas"];

export interface Change {
  /** what it is of; equal for the same asset, coin or token */
  readonly key: string;
  /** above zero: the address has more of it afterwards */
  readonly amount: bigint;
  readonly decimals: number;
  readonly symbol: string;
  readonly href?: string;
}

/** A transaction of any chain. */
export interface HistoryItem {
  /** `P`, `X`, `C` for imports and exports, or an EVM chain ID */
  readonly chain: string;
  readonly id: string;
  readonly href: string;
  readonly type: string;
  /** Unix seconds */
  readonly timestamp: number;
  readonly isFailed: boolean;
  readonly changes: readonly Change[];
  /** changes of UTXOs that need more signatures than this address's */
  readonly jointChanges: readonly Change[];
  /** the others that it names */
  readonly others: readonly string[];
}

class Sums {
  readonly #changes = new Map<string, Change>();

  add(change: Change): void {
    const { amount = 0n } = this.#changes.get(change.key) ?? {};
    this.#changes.set(change.key, { ...change, amount: amount + change.amount });
  }

  /** without what came and went alike */
  get nonZero(): Change[] {
    return [...this.#changes.values()].filter(({ amount }) => amount !== 0n);
  }
}

function assetChange({ assetId, symbol, denomination, type }: Schemas["AssetAmount"], amount: bigint): Change {
  const [decimals, of] = type === "nft" ? [0, " NFT"] : [denomination, ""];
  return { key: `${assetId}${of}`, amount, decimals, symbol: `${symbol || "units of an unknown asset"}${of}`, href: to.asset(assetId) };
}

/** A transaction of P or X, or an import or export of C. The address is in bech32, or an account of the C-chain. */
export function primaryItem(chain: "P" | "X" | "C", tx: AnyTransaction, address: string): HistoryItem {
  const consumed: readonly AnyUtxo[] = "consumedUtxos" in tx ? tx.consumedUtxos : [];
  const emitted: readonly AnyUtxo[] = ("emittedUtxos" in tx ? tx.emittedUtxos : []).filter((utxo) => !isLaterReward(tx, utxo));
  const [own, joint] = [new Sums(), new Sums()];
  const count = (utxos: readonly AnyUtxo[], sign: bigint) => {
    for (const { addresses, threshold, asset } of utxos) {
      if (addresses.includes(address)) (threshold > 1 ? joint : own).add(assetChange(asset, sign * BigInt(asset.amount)));
    }
  };
  count(consumed, -1n);
  count(emitted, 1n);
  const accounts = [
    ...("evmInputs" in tx ? tx.evmInputs.map(({ fromAddress, asset }) => ({ account: fromAddress, asset, sign: -1n })) : []),
    ...("evmOutputs" in tx ? tx.evmOutputs.map(({ toAddress, asset }) => ({ account: toAddress, asset, sign: 1n })) : []),
  ];
  for (const { account, asset, sign } of accounts) {
    if (isSameAccount(account, address)) own.add(assetChange(asset, sign * BigInt(asset.amount)));
  }
  const named = [...[...consumed, ...emitted].flatMap(({ addresses }) => addresses), ...accounts.map(({ account }) => account)];
  return {
    chain,
    id: tx.txHash,
    href: to.transaction(chain, tx.txHash),
    type: tx.txType,
    timestamp: "blockTimestamp" in tx ? tx.blockTimestamp : tx.timestamp,
    isFailed: false,
    changes: own.nonZero,
    jointChanges: joint.nonZero,
    others: others(named, address),
  };
}

/** A staking transaction lists the reward that a later transaction paid. */
function isLaterReward(tx: AnyTransaction, utxo: AnyUtxo): boolean {
  return "rewardType" in utxo && utxo.rewardType !== undefined && !("stakingTxHash" in tx && tx.stakingTxHash);
}

function others(named: readonly string[], address: string): string[] {
  return [...new Set(named)].filter((other) => !isSameAccount(other, address));
}

function isSameAccount(a: string, b: string): boolean {
  return a === b || (a.startsWith("0x") && a.toLowerCase() === b.toLowerCase());
}

export interface Coin {
  readonly evmChainId: string;
  readonly symbol: string;
  readonly decimals: number;
}

type EvmTransaction = Schemas["TransactionDetails"] | Schemas["RatedTransactionDetails"];

/** A transaction of an EVM chain, with its fee if the address paid it. */
export function evmItem({ evmChainId, symbol, decimals }: Coin, tx: EvmTransaction, address: string): HistoryItem {
  const { nativeTransaction: native, erc20Transfers = [], erc721Transfers = [], erc1155Transfers = [], internalTransactions = [] } = tx;
  const is = (other: Schemas["RichAddress"]) => isSameAccount(other.address, address);
  const sums = new Sums();
  const named: string[] = [];
  const move = (from: Schemas["RichAddress"], receiver: Schemas["RichAddress"], change: Change) => {
    named.push(from.address, receiver.address);
    if (is(from)) sums.add({ ...change, amount: -change.amount });
    if (is(receiver)) sums.add(change);
  };
  const coin = (amount: bigint): Change => ({ key: "coin", amount, decimals, symbol });
  const isFailed = native.txStatus === "0";
  move(native.from, native.to, coin(isFailed ? 0n : BigInt(native.value)));
  if (is(native.from)) sums.add(coin(-BigInt(native.gasUsed) * BigInt(native.gasPrice)));
  for (const { from, to: receiver, value, isReverted, internalTxType } of internalTransactions) {
    // CALLCODE runs another's code on one's own balance
    if (!isReverted && internalTxType !== "CALLCODE") move(from, receiver, coin(BigInt(value)));
  }
  for (const { from, to: receiver, value, erc20Token: token } of erc20Transfers) {
    const href = to.token(evmChainId, token.address);
    move(from, receiver, { key: token.address, amount: BigInt(value), decimals: token.decimals, symbol: token.symbol || "tokens", href });
  }
  for (const { from, to: receiver, erc721Token: token } of erc721Transfers) {
    move(from, receiver, { ...nftChange(evmChainId, token, 1n), symbol: `${token.symbol || token.name || "NFT"} #${token.tokenId}` });
  }
  for (const { from, to: receiver, value, erc1155Token: token } of erc1155Transfers) {
    move(from, receiver, {
      ...nftChange(evmChainId, token, BigInt(value)),
      symbol: `${token.metadata.name ?? "tokens"} #${token.tokenId}`,
    });
  }
  return {
    chain: evmChainId,
    id: native.txHash,
    href: to.evmTransaction(evmChainId, native.txHash),
    type: native.method?.methodName ?? (native.method?.methodHash || callTypes[native.method?.callType ?? ""]) ?? "transfer",
    timestamp: native.blockTimestamp,
    isFailed,
    changes: sums.nonZero,
    jointChanges: [],
    others: others(named, address),
  };
}

const callTypes: Readonly<Record<string, string>> = {
  NATIVE_TRANSFER: "transfer",
  CONTRACT_CALL: "call",
  CONTRACT_CREATION: "creation of a contract",
};

function nftChange(evmChainId: string, { address, tokenId }: { readonly address: string; readonly tokenId: string }, amount: bigint) {
  return { key: `${address} ${tokenId}`, amount, decimals: 0, href: to.nft(evmChainId, address, tokenId) };
}
