/** Transactions, recomputed (reference 5.6–5.8, 6.4, 8.2). */

import { formatId, formatNodeId } from "../../../../src/base/bytes/cb58.ts";
import { EMPTY_ID, type Id, PRIMARY_NETWORK_ID, type ShortId } from "../../../../src/base/bytes/id.ts";
import type { SignedTx as AssetTx } from "../../../../src/chains/asset/tx/registry.ts";
import type { AtomicTx } from "../../../../src/chains/atomic/tx.ts";
import type { SignedTx as PlatformTx, UnsignedTx } from "../../../../src/chains/platform/tx/registry.ts";
import { toNodeId } from "../../../../src/chains/platform/warp/l1-messages.ts";
import type { Chain, HappenedTx, History, L1Change, Utxo } from "./history.ts";
import { addressesOf, assetAmount, chainIdOf, checksummed, contractText, credentialsOf, present, sumByAsset, utxoJson } from "./json.ts";
import { isThere } from "./stakers.ts";
import { ordered } from "./utxos.ts";

export interface TxQuery {
  readonly chain: Chain;
  /** 20 bytes: an owner of an input or output, or on C with `isEvm` an account */
  readonly addresses?: readonly { readonly address: ShortId; readonly isEvm: boolean }[] | undefined;
  readonly assetId?: Id | undefined;
  readonly l1ValidationId?: Id | undefined;
  /** the staker that it made is pending or active */
  readonly isStaking?: boolean | undefined;
  readonly txTypes?: readonly string[] | undefined;
  readonly startTimestamp?: number | undefined;
  readonly endTimestamp?: number | undefined;
  readonly sortOrder?: "asc" | "desc" | undefined;
}

/** Newer than the clients' enumerations. */
const UNKNOWN_TYPES = ["AddAutoRenewedValidatorTx", "SetAutoRenewedValidatorConfigTx", "RewardAutoRenewedValidatorTx"];

function typeOf({ type }: HappenedTx): string {
  return UNKNOWN_TYPES.includes(type) ? "UNKNOWN" : type;
}

export function listTxs(history: History, query: TxQuery): object[] {
  return findTxs(history, query).map((tx) => txJson(history, tx));
}

export function findTxs(history: History, query: TxQuery): HappenedTx[] {
  const { chain, addresses, assetId, l1ValidationId, isStaking, txTypes, startTimestamp = 0, endTimestamp, sortOrder } = query;
  const found = history.txs.filter((tx) => {
    if (tx.chain !== chain) return false;
    if (addresses !== undefined && !addresses.some((address) => namesAddress(history, tx, address))) return false;
    if (assetId !== undefined && ![...tx.consumed, ...tx.produced].some((utxo) => utxo.assetId === assetId)) return false;
    if (l1ValidationId !== undefined && !tx.l1.some(({ validator }) => validator.validationId === l1ValidationId)) return false;
    if (isStaking && (tx.staker?.tx !== tx || !isThere(tx.staker))) return false;
    if (txTypes !== undefined && !txTypes.includes(typeOf(tx))) return false;
    return tx.time >= startTimestamp && (endTimestamp === undefined || tx.time < endTimestamp);
  });
  // they stand in the order of their acceptance; times never go back
  const inOrder = new Map(found.map((tx, i) => [tx, i]));
  return ordered(found, (a, b) => Number(a.time - b.time) || inOrder.get(a)! - inOrder.get(b)!, sortOrder);
}

function namesAddress(history: History, tx: HappenedTx, { address, isEvm }: { address: ShortId; isEvm: boolean }): boolean {
  if (isEvm) return tx.chain === "C" && evmAccounts(tx).some((account) => account.address === address);
  return [...tx.consumed, ...emittedBy(history, tx)].some((utxo) => utxo.addresses.includes(address));
}

/** Own outputs, and rewards: with the transaction that paid them, and with that of which they are outputs. */
function emittedBy({ rewards }: History, { txId, produced, paid }: HappenedTx): Utxo[] {
  return [...new Set([...produced, ...paid, ...rewards.filter((utxo) => utxo.txId === txId)])];
}

function evmAccounts({ tx }: HappenedTx) {
  const { unsigned } = tx as AtomicTx;
  return unsigned.kind === "ImportTx" ? unsigned.outputs : unsigned.inputs;
}

/** A history that is asked does not change any more. */
const knownTxs = new WeakMap<HappenedTx, object>();

export function txJson(history: History, tx: HappenedTx): object {
  const json = knownTxs.get(tx) ?? freshJson(history, tx);
  knownTxs.set(tx, json);
  return json;
}

function freshJson(history: History, tx: HappenedTx): object {
  if (tx.chain === "P") return platformJson(history, tx);
  return tx.chain === "X" ? assetJson(history, tx) : atomicJson(history, tx);
}

const hex = (bytes: Uint8Array) => `0x${Buffer.from(bytes).toString("hex")}`;

function platformJson(history: History, tx: HappenedTx) {
  const { unsigned } = tx.tx as PlatformTx;
  const form = (utxo: Utxo) => utxoJson(history, utxo, "P", { inTx: true });
  const own = [...tx.produced, ...tx.paid];
  const funded = tx.l1.reduce((sum, { change }) => sum + (change > 0n ? change : 0n), 0n);
  const refunded = tx.l1.reduce((sum, { change }) => sum + (change < 0n ? -change : 0n), 0n);
  const stake = "stake" in unsigned ? tx.produced.slice(unsigned.outputs.length) : [];
  const { avaxAssetId } = history.network;
  return present({
    txHash: formatId(tx.txId),
    txType: typeOf(tx),
    blockTimestamp: Number(tx.time),
    blockNumber: `${tx.height}`,
    blockHash: formatId(tx.blockId!),
    consumedUtxos: tx.consumed.map(form),
    emittedUtxos: emittedBy(history, tx).map(form),
    ...chainsOf(history, tx),
    value: sumByAsset(history, own),
    amountBurned: "inputs" in unsigned ? burned(history, tx, funded - refunded) : [],
    amountStaked: sumByAsset(history, stake),
    amountL1ValidatorBalanceBurned: funded > 0n ? [assetAmount(history, avaxAssetId, funded)] : [],
    l1ValidatorDetails: tx.l1.length > 0 ? tx.l1.map(l1Json) : undefined,
    memo: "memo" in unsigned ? hex(unsigned.memo) : "0x",
    ...detailsOf(history, tx, unsigned),
  });
}

/** What went in and did not come out, nor became a balance of an L1 validator. */
function burned(history: History, tx: HappenedTx, l1Balance: bigint) {
  const { avaxAssetId } = history.network;
  const lost = new Map<Id, bigint>();
  const add = (assetId: Id, amount: bigint) => lost.set(assetId, (lost.get(assetId) ?? 0n) + amount);
  for (const { assetId, amount } of tx.consumed) add(assetId, amount);
  for (const { assetId, amount } of tx.produced) add(assetId, -amount);
  add(avaxAssetId, -l1Balance);
  return [...lost].filter(([, amount]) => amount > 0n).map(([assetId, amount]) => assetAmount(history, assetId, amount));
}

function chainsOf(history: History, { chain, tx }: HappenedTx) {
  const unsigned = tx.unsigned as { readonly kind: string; readonly sourceChain?: Id; readonly destinationChain?: Id };
  const { sourceChain, destinationChain } = unsigned;
  if (sourceChain === undefined && destinationChain === undefined) return {};
  const own = chainIdOf(history, chain);
  return {
    sourceChain: sourceChain === undefined ? own : formatId(sourceChain),
    destinationChain: destinationChain === undefined ? own : formatId(destinationChain),
  };
}

function l1Json({ validator, weight, balance, change }: L1Change) {
  const { validationId, nodeId, subnetId, publicKey } = validator;
  return {
    validationId: formatId(validationId),
    validationIdHex: `0x${validationId}`,
    nodeId: formatNodeId(nodeId),
    subnetId: formatId(subnetId),
    weight: Number(weight),
    remainingBalance: Number(balance),
    ...(change !== 0n && { balanceChange: Number(change) }),
    blsCredentials: { publicKey: `0x${publicKey}` },
  };
}

/** Members that only some types have. */
function detailsOf(history: History, tx: HappenedTx, unsigned: UnsignedTx): object {
  const owner = ({ locktime, threshold, addresses }: { locktime: bigint; threshold: number; addresses: readonly ShortId[] }) => ({
    locktime: Number(locktime),
    ...{ threshold, addresses: addressesOf(history, addresses) },
  });
  switch (unsigned.kind) {
    case "AddValidatorTx":
    case "AddDelegatorTx":
    case "AddSubnetValidatorTx":
    case "AddPermissionlessValidatorTx":
    case "AddPermissionlessDelegatorTx":
    case "AddAutoRenewedValidatorTx":
      return stakingJson(history, tx, unsigned);
    case "RemoveSubnetValidatorTx":
      return { nodeId: formatNodeId(unsigned.nodeId), subnetId: formatId(unsigned.subnetId) };
    case "RewardValidatorTx":
      return { stakingTxHash: formatId(unsigned.txId), nodeId: formatNodeId(tx.staker!.nodeId) };
    case "RewardAutoRenewedValidatorTx":
      return { stakingTxHash: formatId(unsigned.txId), nodeId: formatNodeId(tx.staker!.nodeId) };
    case "CreateSubnetTx":
      return { subnetId: formatId(tx.txId), subnetOwnershipInfo: owner(unsigned.owner) };
    case "TransferSubnetOwnershipTx":
      return { subnetId: formatId(unsigned.subnetId), subnetOwnershipInfo: owner(unsigned.newOwner) };
    case "TransformSubnetTx":
      return { subnetId: formatId(unsigned.subnetId) };
    case "CreateChainTx":
      return {
        subnetId: formatId(unsigned.subnetId),
        blockchainInfo: { chainName: Buffer.from(unsigned.chainName, "latin1").toString("utf8"), vmId: formatId(unsigned.vmId) },
      };
    case "ConvertSubnetToL1Tx":
      return {
        subnetId: formatId(unsigned.subnetId),
        l1ValidatorManagerDetails: { blockchainId: formatId(unsigned.chainId), contractAddress: contractText(unsigned.address) },
      };
    default:
      return {};
  }
}

type Staking = Extract<UnsignedTx, { stake: unknown } | { kind: "AddSubnetValidatorTx" }>;

function stakingJson(history: History, tx: HappenedTx, unsigned: Staking) {
  const { staker } = tx;
  const period = unsigned.kind === "AddAutoRenewedValidatorTx" ? undefined : unsigned.validator;
  const shares = "shares" in unsigned ? unsigned.shares : "delegationShares" in unsigned ? unsigned.delegationShares : undefined;
  const rewardsOwner =
    "rewardsOwner" in unsigned ? unsigned.rewardsOwner : "validationRewardsOwner" in unsigned ? unsigned.validationRewardsOwner : undefined;
  const subnetId =
    unsigned.kind === "AddSubnetValidatorTx"
      ? unsigned.validator.subnetId
      : "subnetId" in unsigned
        ? unsigned.subnetId
        : PRIMARY_NETWORK_ID;
  const signer = "signer" in unsigned && unsigned.signer.kind === "ProofOfPossession" ? unsigned.signer : undefined;
  const nodeId = unsigned.kind === "AddAutoRenewedValidatorTx" ? toNodeId(unsigned.nodeId) : unsigned.validator.nodeId;
  const isRewarded = unsigned.kind !== "AddSubnetValidatorTx";
  return {
    startTimestamp: Number(staker?.start ?? period!.start),
    endTimestamp: Number(staker?.end ?? period!.end),
    nodeId: formatNodeId(nodeId),
    subnetId: formatId(subnetId),
    delegationFeePercent: shares === undefined ? undefined : `${(shares / 10_000).toFixed(4)}${"0".repeat(12)}`,
    rewardAddresses: rewardsOwner && addressesOf(history, rewardsOwner.addresses),
    estimatedReward: isRewarded && staker?.activeFrom !== undefined ? `${staker.potentialReward}` : undefined,
    rewardTxHash: isRewarded && staker?.leftBy ? formatId(staker.leftBy.txId) : undefined,
    blsCredentials: signer && { publicKey: `0x${signer.publicKey}`, proofOfPossession: hex(signer.proofOfPossession) },
  };
}

function assetJson(history: History, tx: HappenedTx) {
  const { unsigned } = tx.tx as AssetTx;
  const form = (utxo: Utxo) => utxoJson(history, utxo, "X", { inTx: true });
  const asset = history.assets.find(({ assetId }) => assetId === tx.txId);
  return present({
    txHash: formatId(tx.txId),
    chainFormat: tx.blockId === undefined ? "non-linear" : "linear",
    timestamp: Number(tx.time),
    txType: tx.type,
    memo: hex(unsigned.memo),
    consumedUtxos: tx.consumed.map(form),
    emittedUtxos: tx.produced.map(form),
    amountUnlocked: sumByAsset(history, tx.consumed),
    amountCreated: sumByAsset(history, tx.produced),
    ...chainsOf(history, tx),
    assetCreated: asset && assetDetails(history, asset.assetId),
    ...(tx.blockId === undefined
      ? {
          vertices: tx.vertices.map(({ vertexId, height, time }) => ({
            hash: formatId(vertexId),
            height: Number(height),
            timestamp: Number(time),
          })),
        }
      : { blockHeight: Number(tx.height), blockHash: formatId(tx.blockId) }),
  });
}

/** undefined for what is no asset of the X-chain */
export function assetDetails(history: History, asked: Id) {
  const asset = history.assets.find(({ assetId }) => assetId === asked);
  if (asset === undefined) return undefined;
  const { assetId, name, symbol, denomination, isNft, cap, time } = asset;
  const type = isNft ? "nft" : "secp256k1";
  return { assetId: formatId(assetId), name, symbol, denomination, type, createdAtTimestamp: Number(time), cap };
}

function atomicJson(history: History, tx: HappenedTx) {
  const form = (utxo: Utxo) => utxoJson(history, utxo, "C", { inTx: true });
  const accounts = evmAccounts(tx).map(({ address, assetId, amount }) => ({
    address,
    asset: assetAmount(history, assetId, amount),
    assetId,
    amount,
  }));
  const totals = new Map<Id, bigint>();
  for (const { assetId, amount } of accounts) totals.set(assetId, (totals.get(assetId) ?? 0n) + amount);
  const ofAccounts = [...totals].map(([assetId, amount]) => assetAmount(history, assetId, amount));
  const common = {
    txHash: formatId(tx.txId),
    blockHeight: Number(tx.height),
    blockHash: `0x${tx.blockId ?? EMPTY_ID}`,
    timestamp: Number(tx.time),
    memo: "0x",
    ...chainsOf(history, tx),
    txType: tx.type,
  };
  if (tx.type === "ExportTx") {
    return {
      ...common,
      amountUnlocked: ofAccounts,
      amountCreated: sumByAsset(history, tx.produced),
      evmInputs: accounts.map(({ address, asset }, i) => ({ fromAddress: checksummed(address), asset, credentials: credentialsOf(tx, i) })),
      emittedUtxos: tx.produced.map(form),
    };
  }
  return {
    ...common,
    amountUnlocked: sumByAsset(history, tx.consumed),
    amountCreated: ofAccounts,
    evmOutputs: accounts.map(({ address, asset }) => ({ toAddress: checksummed(address), asset })),
    consumedUtxos: tx.consumed.map(form),
  };
}
