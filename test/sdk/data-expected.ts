/**
 * The expected result of a client: the answer itself, except for what its models lack. Anything else that is missing, added or changed in
 * the client's object is a fault, including an answer that is taken for another model of a union.
 */
import type { ClientName } from "./data-clients.ts";

type Json = Readonly<Record<string, unknown>>;

/** What chainkit knows of a genesis; of the members of `config` and `alloc` likewise. */
const GENESIS = [
  ...["airdropAmount", "airdropHash", "alloc", "baseFeePerGas", "blobGasUsed", "coinbase", "config", "difficulty", "excessBlobGas"],
  ...["extraData", "gasLimit", "gasUsed", "mixHash", "nonce", "number", "parentHash", "timestamp"],
];
const GENESIS_ACCOUNT = ["balance", "code", "storage"];
const GENESIS_CONFIG = [
  ...["berlinBlock", "byzantiumBlock", "chainId", "constantinopleBlock", "eip150Block", "eip150Hash", "eip155Block", "eip158Block"],
  ...["homesteadBlock", "istanbulBlock", "londonBlock", "muirGlacierBlock", "petersburgBlock", "subnetEVMTimestamp"],
  ...["allowFeeRecipients", "feeConfig", "warpConfig", "txAllowListConfig", "contractDeployerAllowListConfig"],
  ...["contractNativeMinterConfig", "feeManagerConfig", "rewardManagerConfig"],
];

/** Members that avacloud's models lack and chainkit's have. */
const UNKNOWN_TO_AVACLOUD = new Set(["utxoBytes", "blockTimestampMilliseconds", "blockMinDelayExcess"]);
/** What Firn tells beyond the models of both. */
const UNKNOWN_TO_ALL = new Set(["stakingType", "atomicTransactions"]);

export function expectedOf(client: ClientName, sent: unknown): unknown {
  return client === "glacier" ? sent : parsedBy(client, sent);
}

function parsedBy(client: "chainkit" | "avacloud", sent: unknown): unknown {
  if (Array.isArray(sent)) return sent.map((item) => parsedBy(client, item));
  if (sent === null || typeof sent !== "object") return sent;
  const parsed: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(sent)) {
    if (UNKNOWN_TO_ALL.has(name)) continue;
    if (client === "avacloud" && UNKNOWN_TO_AVACLOUD.has(name)) continue;
    parsed[name] = memberParsedBy(client, name, value, sent as Json);
  }
  return parsed;
}

function memberParsedBy(client: "chainkit" | "avacloud", name: string, value: unknown, holder: Json): unknown {
  if (name === "genesisData") return client === "avacloud" ? {} : genesisParsed(value as Json);
  // of L1 validators they are an object of unknown members
  if (name === "blsCredentials" && "validationId" in holder) return {};
  if (name === "lastUpdated") return new Date(value as string);
  return parsedBy(client, value);
}

function genesisParsed(genesis: Json): Json {
  const { alloc, config, ...known } = only(genesis, GENESIS);
  return {
    ...known,
    ...(alloc !== undefined && { alloc: mapped(alloc as Record<string, Json>, (account) => only(account, GENESIS_ACCOUNT)) }),
    ...(config !== undefined && { config: only(config as Json, GENESIS_CONFIG) }),
  };
}

function only(members: Json, names: readonly string[]): Json {
  return Object.fromEntries(Object.entries(members).filter(([name]) => names.includes(name)));
}

function mapped<T, R>(members: Record<string, T>, change: (member: T) => R): Record<string, R> {
  return Object.fromEntries(Object.entries(members).map(([name, member]) => [name, change(member)]));
}
