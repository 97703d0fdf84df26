/**
 * Presents the genesis of a blockchain: as JSON for an EVM chain, otherwise as hex. Anyone can put anything into a genesis, and the
 * official SDKs refuse a whole answer if a member that they know has another type. So these members are converted if their meaning is
 * clear, and left out otherwise. Other members stay as they are. The result is always an object, since one SDK refuses strings.
 */
import Type from "typebox";
import { type Id, nameId } from "../../../base/bytes/id.ts";
import { isObject, jsonGenesis, toNumber } from "../../../index/primary/network/blockchain-genesis.ts";

/** The genesis of this VM is never JSON. */
const ASSET_VM_ID = nameId("avm");

export type GenesisData = Readonly<Record<string, unknown>>;

export const genesisDataSchema = Type.Record(Type.String(), Type.Unknown(), {
  description:
    "JSON genesis of an EVM chain; members whose types the official clients would refuse are converted or left out. " +
    'Any other genesis: `{"encoding": "hex", "data": "0x…"}`.',
});

export function genesisData(bytes: Uint8Array, vmId: Id): GenesisData {
  const json = vmId === ASSET_VM_ID ? undefined : jsonGenesis(bytes);
  if (json === undefined) return { encoding: "hex", data: `0x${Buffer.from(bytes).toString("hex")}` };
  return genesis(json) as GenesisData;
}

/** Converts a value for the SDKs; undefined leaves the member out. */
type Rule = (value: unknown) => unknown;

/** Quantities of a genesis are hex texts. */
function toText(value: unknown): unknown {
  if (typeof value === "string") return value;
  return Number.isSafeInteger(value) && (value as number) >= 0 ? `0x${(value as number).toString(16)}` : undefined;
}

const toBoolean: Rule = (value) => (typeof value === "boolean" ? value : undefined);
const toTexts: Rule = (value) => (Array.isArray(value) ? value.filter((item) => typeof item === "string") : undefined);

function orNull(rule: Rule): Rule {
  return (value) => (value === null ? null : rule(value));
}

/** An object whose known members each have a rule. */
function members(rules: Readonly<Record<string, Rule>>): Rule {
  return (value) => mapMembers(value, (member, name) => (Object.hasOwn(rules, name) ? rules[name]!(member) : member));
}

/** An object with one rule for all its members. */
function mapOf(rule: Rule): Rule {
  return (value) => mapMembers(value, rule);
}

function mapMembers(value: unknown, map: (member: unknown, name: string) => unknown): unknown {
  if (!isObject(value)) return undefined;
  const mapped = Object.entries(value).map(([name, member]): [string, unknown] => [name, map(member, name)]);
  // fromEntries defines own members, even one called __proto__
  return Object.fromEntries(mapped.filter(([, member]) => member !== undefined));
}

function each(names: string, rule: Rule): Record<string, Rule> {
  return Object.fromEntries(names.split(" ").map((name) => [name, rule]));
}

const allowList = members({ blockTimestamp: toNumber, ...each("adminAddresses managerAddresses enabledAddresses", toTexts) });
const feeConfig = members(
  each("baseFeeChangeDenominator blockGasCostStep gasLimit maxBlockGasCost minBaseFee minBlockGasCost targetBlockRate targetGas", toNumber),
);
const warpConfig = members({ ...each("blockTimestamp quorumNumerator", toNumber), requirePrimaryNetworkSigners: toBoolean });
const forks =
  "berlinBlock byzantiumBlock chainId constantinopleBlock eip150Block eip155Block eip158Block homesteadBlock istanbulBlock londonBlock " +
  "muirGlacierBlock petersburgBlock subnetEVMTimestamp";
const allowLists = "txAllowListConfig contractDeployerAllowListConfig contractNativeMinterConfig feeManagerConfig rewardManagerConfig";
const config = members({
  ...each(forks, toNumber),
  eip150Hash: toText,
  allowFeeRecipients: toBoolean,
  feeConfig,
  warpConfig,
  ...each(allowLists, allowList),
});
const account = members({ balance: toText, code: toText, storage: mapOf(toText) });
const genesis = members({
  ...each("airdropHash coinbase difficulty extraData gasLimit gasUsed mixHash nonce number parentHash timestamp", toText),
  ...each("airdropAmount baseFeePerGas", orNull(toNumber)),
  ...each("blobGasUsed excessBlobGas", orNull(toText)),
  alloc: mapOf(account),
  config,
});
