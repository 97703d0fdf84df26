/**
 * Determines which form an answer has, among those that the clients' models distinguish; `data-coverage.ts` says which recording contains
 * which.
 */
import type { Page } from "./data-clients.ts";
import type { MethodName } from "./data-methods.ts";
import { PUBLIC_IDS } from "./data-requests.ts";
import { CHAINS } from "./data-world.ts";
import { EVM_METHODS } from "./evm-methods.ts";

type Json = Readonly<Record<string, unknown>>;

/** Each value is a variant. */
const KINDS = ["validationStatus", "delegationStatus", "rewardType", "stakingType", "chainFormat", "cap", "isL1", "isConsumed", "staked"];
/** Of EVM chains. */
const EVM_KINDS = ["callType", "txStatus", "txType", "ercType", "internalTxType", "isReverted", "indexStatus", "tokenReputation", "status"];
const EVM_OPTIONAL = [
  // chains, blocks
  ...["platformChainId", "subnetId", "vmId", "explorerUrl", "wsUrl", "utilityAddresses", "chainLogoUri", "private", "enabledFeatures"],
  ...["blockTimestampMilliseconds", "blockMinDelayExcess"],
  // transactions
  ...["erc20Transfers", "erc721Transfers", "erc1155Transfers", "internalTransactions", "methodName", "maxFeePerGas"],
  // tokens, contracts
  ...["name", "symbol", "decimals", "logoUri", "price", "currentPrice", "balanceValue", "ownerAddress", "metadataLastUpdatedTimestamp"],
  ...["imageUri", "description", "attributes", "properties", "deploymentDetails", "deployerContractAddress", "logoAsset"],
];
/** Each value is a variant of a chain. */
const KINDS_OF_CHAIN = ["txType", "utxoType"];
/** Present in some, absent in others. */
const OPTIONAL = [
  // transactions
  ...["sourceChain", "delegationFeePercent", "estimatedReward", "rewardTxHash", "rewardAddresses", "stakingTxHash", "blsCredentials"],
  ...["l1ValidatorManagerDetails", "l1ValidatorDetails", "balanceChange", "subnetOwnershipInfo", "blockchainInfo"],
  // UTXOs
  ...["consumingTxHash", "platformLocktime", "stakeableLocktime", "utxoEndTimestamp", "credentials", "groupId", "payload"],
  // validators, blocks
  ...["delegationFee", "amountDelegated", "delegationCapacity", "avalancheGoVersion", "geolocation"],
  ...["proposerDetails", "l1ValidatorsAccruedFees", "currentSupply"],
];

interface Place {
  /** kind of record, as members of one name are in several */
  readonly kind: string;
  readonly chain: string | undefined;
}

export function variantsOf(method: MethodName, pages: readonly Page[], list: string | undefined): Set<string> {
  const found = new Set<string>();
  const [first] = pages;
  const path = first!.url.pathname;
  const chain = CHAINS.find((name) => path.includes(`/${name}/`) || path.includes(`/${PUBLIC_IDS[name]}/`));
  if (pages.length > 1) found.add(`${method} of pages`);
  if (list !== undefined && ((first!.sent as Json)[list] as unknown[]).length === 0) found.add(`${method} of nothing`);
  for (const { sent } of pages) addVariants(sent, { kind: kindOf(method), chain }, found);
  return found;
}

function kindOf(method: MethodName): string {
  if (method in EVM_METHODS) return evmKindOf(method);
  if (/Transaction|Staking/.test(method)) return "transaction";
  const known =
    /Utxo|L1Validator|Validator|Delegator|Block(?!chain)|PendingReward|HistoricalReward|Subnet|Blockchain|Asset|Balance|LastActivity/;
  return known.exec(method)?.[0].toLowerCase() ?? method;
}

function evmKindOf(method: string): string {
  const [known] = /Chain|Block(?=s|$)|Nft|Contract|Deployments|Collectible|Balance/.exec(method.replace("TransactionsOfBlock", "")) ?? [];
  return `evm ${known?.toLowerCase() ?? "transaction"}`;
}

const isEvmKind = (kind: string) => kind.startsWith("evm ");

function addVariants(value: unknown, { kind, chain }: Place, found: Set<string>): void {
  if (Array.isArray(value)) for (const item of value) addVariants(item, { kind, chain }, found);
  if (value === null || typeof value !== "object" || Array.isArray(value)) return;
  const record = value as Json;
  const of = chain === undefined ? kind : `${chain} ${kind}`;
  for (const name of isEvmKind(kind) ? EVM_KINDS : KINDS) if (name in record) found.add(`${kind} ${name} ${record[name]}`);
  for (const name of isEvmKind(kind) ? [] : KINDS_OF_CHAIN) if (name in record) found.add(`${of} ${record[name]}`);
  for (const name of isEvmKind(kind) ? EVM_OPTIONAL : OPTIONAL)
    if (name in record) found.add(`${of} with ${name}${record[name] === null ? " null" : ""}`);
  if ("denomination" in record) found.add(`asset type ${record.type}`);
  if ("evmChainId" in record) found.add(record.evmChainId === 0 ? "blockchain without EVM" : "blockchain with EVM");
  for (const [name, member] of Object.entries(record)) {
    if (name === "genesisData") found.add(`${kind} genesis ${"encoding" in (member as Json) ? "encoded" : "of an EVM"}`);
    else if (name === "balances") addBuckets(member as Json, `${chain} ${kind}`, found);
    else addVariants(member, { kind: name.endsWith("Utxos") ? "utxo" : kind, chain }, found);
  }
}

function addBuckets(buckets: Json, of: string, found: Set<string>): void {
  for (const [name, entries] of Object.entries(buckets)) {
    const list = entries as readonly Json[];
    if (list.length === 0) found.add(`${of} ${name} of nothing`);
    for (const { status } of list) found.add(`${of} ${name}${status === undefined ? "" : ` ${status}`}`);
  }
}
