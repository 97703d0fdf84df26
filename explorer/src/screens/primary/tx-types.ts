/** What each type of transaction does, for people who have never seen one. */
import type { PrimaryAlias } from "../../router.ts";

export interface TxType {
  readonly name: string;
  /** one sentence */
  readonly text: string;
}

const ofPlatform: Readonly<Record<string, TxType>> = {
  BaseTx: { name: "Transfer", text: "Moves assets on the P-chain: it spends outputs of earlier transactions and creates new ones." },
  ImportTx: { name: "Import", text: "Takes what another chain exported to the P-chain." },
  ExportTx: { name: "Export", text: "Sends assets from the P-chain to another chain, where an import must take them." },
  AddValidatorTx: {
    name: "Add a validator",
    text: "Stakes AVAX so that a node validates the primary network for a time. This is the form before Durango.",
  },
  AddDelegatorTx: {
    name: "Delegate",
    text: "Stakes AVAX with a validator of the primary network, which earns a share of the reward. This is the form before Durango.",
  },
  AddSubnetValidatorTx: {
    name: "Add a subnet validator",
    text: "Makes a validator of the primary network validate a permissioned subnet too.",
  },
  AddPermissionlessValidatorTx: {
    name: "Add a validator",
    text: "Stakes an asset so that a node validates the primary network, or a subnet that is open to all, for a time.",
  },
  AddPermissionlessDelegatorTx: {
    name: "Delegate",
    text: "Stakes an asset with a validator for a time. The validator keeps a share of the reward.",
  },
  AddAutoRenewedValidatorTx: {
    name: "Add an auto-renewed validator",
    text: "Stakes AVAX so that a node validates the primary network in cycles that follow one another until its owner ends them.",
  },
  SetAutoRenewedValidatorConfigTx: {
    name: "Change an auto-renewed validator",
    text: "Sets how long the following cycles of a validator last, and how much of its rewards is staked again. A period of 0 ends it.",
  },
  RewardAutoRenewedValidatorTx: {
    name: "End a cycle of an auto-renewed validator",
    text: "Ends a cycle of a validator: what it earned is paid or staked again, and the next cycle begins or the stake is returned.",
  },
  RewardValidatorTx: {
    name: "End a staking period",
    text: "Ends the period of a validator or delegator. Its stake can be spent again; if the validator was online enough, the reward is paid.",
  },
  RemoveSubnetValidatorTx: { name: "Remove a subnet validator", text: "Ends the work of a validator of a permissioned subnet." },
  AdvanceTimeTx: { name: "Advance the time", text: "Moves the time of the P-chain forward. Since Banff, blocks have a time of their own." },
  CreateSubnetTx: {
    name: "Create a subnet",
    text: "Creates a subnet, which can get blockchains and validators of its own. Its ID is that of this transaction.",
  },
  TransferSubnetOwnershipTx: { name: "Give a subnet to new owners", text: "Changes who may add validators and blockchains to a subnet." },
  TransformSubnetTx: {
    name: "Open a subnet to stakers",
    text: "Makes a subnet permissionless: from now on whoever stakes its asset can validate it, under the rules that are set here for good.",
  },
  CreateChainTx: { name: "Create a blockchain", text: "Creates a blockchain in a subnet. Its ID is that of this transaction." },
  ConvertSubnetToL1Tx: {
    name: "Convert a subnet to an L1",
    text: "Makes a subnet an L1, whose validators are managed by a contract and pay a fee for as long as they are active.",
  },
  RegisterL1ValidatorTx: {
    name: "Register an L1 validator",
    text: "Adds a validator to an L1, as a message of the L1's own contract asks, and pays in its first balance.",
  },
  SetL1ValidatorWeightTx: {
    name: "Set an L1 validator's weight",
    text: "Changes the weight of an L1 validator, as a message of the L1's own contract asks. A weight of 0 removes it.",
  },
  IncreaseL1ValidatorBalanceTx: {
    name: "Pay in for an L1 validator",
    text: "Adds AVAX to the balance from which an L1 validator pays its fee. An inactive validator becomes active again.",
  },
  DisableL1ValidatorTx: {
    name: "Disable an L1 validator",
    text: "Makes an L1 validator inactive and pays back what is left of its balance.",
  },
};

const ofAssets: Readonly<Record<string, TxType>> = {
  BaseTx: { name: "Transfer", text: "Moves assets on the X-chain: it spends outputs of earlier transactions and creates new ones." },
  CreateAssetTx: { name: "Create an asset", text: "Creates an asset and its first outputs. The asset's ID is that of this transaction." },
  OperationTx: { name: "Mint or use rights", text: "Mints more of an asset, or moves NFTs and rights, besides moving other assets." },
  ImportTx: { name: "Import", text: "Takes what another chain exported to the X-chain." },
  ExportTx: { name: "Export", text: "Sends assets from the X-chain to another chain, where an import must take them." },
};

const ofAtomic: Readonly<Record<string, TxType>> = {
  ImportTx: { name: "Import", text: "Takes what another chain exported to the C-chain, and adds it to the balances of accounts." },
  ExportTx: { name: "Export", text: "Sends assets from accounts of the C-chain to another chain, where an import must take them." },
};

const types: Readonly<Record<PrimaryAlias, Readonly<Record<string, TxType>>>> = { P: ofPlatform, X: ofAssets, C: ofAtomic };

/** The API calls types so that its clients did not know when they were made. */
export const UNKNOWN = "UNKNOWN";

/** @param type the node's name of it */
export function txType(chain: PrimaryAlias, type: string): TxType {
  const known = types[chain];
  if (Object.hasOwn(known, type)) return known[type]!;
  return {
    name: type === UNKNOWN ? "Newer type" : type,
    text: "This explorer does not know the type; what the node says of it stands below.",
  };
}

/** Types of a chain, by the node's names. */
export function txTypesOf(chain: PrimaryAlias): readonly string[] {
  return Object.keys(types[chain]);
}

/** Members of the node's JSON that only these types have together. */
const newerTypes: readonly (readonly [type: string, members: readonly string[]])[] = [
  ["AddAutoRenewedValidatorTx", ["validatorAuthority", "stake", "period"]],
  ["SetAutoRenewedValidatorConfigTx", ["txID", "period", "auth"]],
  ["RewardAutoRenewedValidatorTx", ["txID", "timestamp"]],
];

/** The type of a P-chain transaction, also if the API calls it unknown. */
export function realType(type: string, unsigned: Readonly<Record<string, unknown>> | undefined): string {
  if (type !== UNKNOWN || unsigned === undefined) return type;
  return newerTypes.find(([, members]) => members.every((member) => Object.hasOwn(unsigned, member)))?.[0] ?? type;
}

/** The last three only before Banff. */
const PROPOSALS: ReadonlySet<string> = new Set([
  ...["AdvanceTimeTx", "RewardValidatorTx", "RewardAutoRenewedValidatorTx"],
  ...["AddValidatorTx", "AddDelegatorTx", "AddSubnetValidatorTx"],
]);

/** Whether the network may have voted on such a transaction: then the block after its own commits or aborts it. */
export function mayBeProposal(type: string): boolean {
  return PROPOSALS.has(type);
}
