/**
 * Every form of answer that the clients' models distinguish (reference: their types), and the recordings that contain it. Forms that no
 * recording can contain are listed under `NOWHERE`, with the reason.
 */
import type { EvmRecordingName, RecordingName } from "../conformance/recordings.ts";
import { EVM_NOWHERE, EVM_SHOWN } from "./evm-coverage.ts";

/** latest-1, eras-1, p-eras-old, x-dag, evm-1 */
const LETTERS: Readonly<Partial<Record<RecordingName | EvmRecordingName, string>>> = {
  "latest-1": "L",
  "eras-1": "E",
  "p-eras-old": "P",
  "x-dag": "X",
  "evm-1": "C",
};

const SHOWN: readonly (readonly [of: string, by: string, variants: readonly string[]])[] = [
  ["asset cap", "LEPX", ["fixed"]],
  ["asset cap", "LEX", ["variable"]],
  ["asset type", "LEPX", ["secp256k1"]],
  ["asset type", "LEX", ["nft"]],
  ["blockchain genesis", "LEPX", ["encoded", "of an EVM"]],
  ["blockchain", "LEPX", ["with EVM", "without EVM"]],
  ["c-chain balance", "LEPX", ["atomicMemoryLocked of nothing", "atomicMemoryUnlocked", "atomicMemoryUnlocked of nothing"]],
  ["c-chain balance", "P", ["atomicMemoryLocked"]],
  ["c-chain block", "LE", ["with proposerDetails"]],
  ["c-chain transaction", "LE", ["ExportTx", "ImportTx", "with credentials", "with sourceChain"]],
  ["c-chain utxo", "LEP", ["with consumingTxHash", "with credentials"]],
  ["c-chain utxo", "LEPX", ["transfer"]],
  ["delegator delegationStatus", "E", ["pending"]],
  ["delegator delegationStatus", "EP", ["active"]],
  ["delegator delegationStatus", "LEP", ["completed"]],
  ["delegator", "LEP", ["with amountDelegated", "with delegationFee", "with rewardAddresses"]],
  ["historicalreward rewardType", "LEP", ["DELEGATOR", "VALIDATOR", "VALIDATOR_FEE"]],
  ["historicalreward stakingType", "LE", ["autoRenewed"]],
  ["historicalreward stakingType", "LEP", ["fixed"]],
  ["historicalreward", "LEP", ["with rewardTxHash"]],
  ["l1validator", "LE", ["with blsCredentials"]],
  ["lastactivity isConsumed", "LEPX", ["false", "true"]],
  ["of nothing", "LEP", ["listVertices"]],
  [
    "of nothing",
    "LEPX",
    [
      "getValidator",
      "listBlocksOfNode",
      "listDelegators",
      "listHistoricalRewards",
      "listL1Validators",
      "listPendingRewards",
      "listStaking",
      "listTransactions",
      "listUtxos",
      "listValidators",
      "listVerticesByHeight",
    ],
  ],
  ["of nothing", "LP", ["listAssetTransactions"]],
  ["of nothing", "PX", ["listBlocks"]],
  ["of pages", "LE", ["listBlocksOfNode", "listL1Validators"]],
  ["of pages", "LEP", ["getValidator", "listBlockchains", "listDelegators", "listHistoricalRewards", "listSubnets"]],
  ["of pages", "LEPX", ["listBlocks", "listTransactions", "listUtxos", "listUtxosByPost", "listValidators"]],
  ["of pages", "LEX", ["listAssetTransactions", "listPendingRewards", "listStaking"]],
  ["of pages", "X", ["listVertices", "listVerticesByHeight"]],
  ["p-chain balance", "E", ["atomicMemoryLocked pendingImport"]],
  ["p-chain balance", "EP", ["pendingStaked"]],
  ["p-chain balance", "LEP", ["lockedPlatform"]],
  [
    "p-chain balance",
    "LEPX",
    [
      "atomicMemoryLocked of nothing",
      "atomicMemoryUnlocked of nothing",
      "atomicMemoryUnlocked pendingExport",
      "atomicMemoryUnlocked pendingImport",
      "lockedPlatform of nothing",
      "lockedStakeable",
      "lockedStakeable of nothing",
      "lockedStaked",
      "lockedStaked of nothing",
      "pendingStaked of nothing",
      "unlockedStaked",
      "unlockedStaked of nothing",
      "unlockedUnstaked",
      "unlockedUnstaked of nothing",
    ],
  ],
  ["p-chain balance", "P", ["atomicMemoryLocked pendingExport"]],
  ["p-chain block", "LE", ["with proposerDetails"]],
  ["p-chain block", "LEP", ["with l1ValidatorsAccruedFees"]],
  ["p-chain block", "LEPX", ["with currentSupply"]],
  ["p-chain transaction", "EP", ["AddDelegatorTx", "TransformSubnetTx"]],
  ["p-chain transaction", "EPX", ["AddValidatorTx"]],
  [
    "p-chain transaction",
    "LE",
    [
      "ConvertSubnetToL1Tx",
      "DisableL1ValidatorTx",
      "IncreaseL1ValidatorBalanceTx",
      "RegisterL1ValidatorTx",
      "SetL1ValidatorWeightTx",
      "UNKNOWN",
      "with balanceChange",
      "with l1ValidatorDetails",
      "with l1ValidatorManagerDetails",
    ],
  ],
  [
    "p-chain transaction",
    "LEP",
    [
      "AddPermissionlessDelegatorTx",
      "AddPermissionlessValidatorTx",
      "AddSubnetValidatorTx",
      "BaseTx",
      "CreateSubnetTx",
      "ExportTx",
      "ImportTx",
      "RemoveSubnetValidatorTx",
      "RewardValidatorTx",
      "TransferSubnetOwnershipTx",
      "with blsCredentials",
      "with rewardTxHash",
      "with sourceChain",
      "with stakingTxHash",
      "with subnetOwnershipInfo",
    ],
  ],
  [
    "p-chain transaction",
    "LEPX",
    ["CreateChainTx", "with blockchainInfo", "with delegationFeePercent", "with estimatedReward", "with rewardAddresses"],
  ],
  ["p-chain transaction", "P", ["AdvanceTimeTx"]],
  [
    "p-chain utxo",
    "LEPX",
    ["STAKE", "TRANSFER", "with consumingTxHash", "with platformLocktime", "with stakeableLocktime", "with utxoEndTimestamp"],
  ],
  ["pendingreward rewardType", "EP", ["DELEGATOR", "VALIDATOR_FEE"]],
  ["pendingreward rewardType", "LEPX", ["VALIDATOR"]],
  ["pendingreward stakingType", "L", ["autoRenewed"]],
  ["pendingreward stakingType", "LEPX", ["fixed"]],
  ["pendingreward", "LEPX", ["with estimatedReward"]],
  ["subnet isL1", "LE", ["true"]],
  ["subnet isL1", "LEPX", ["false"]],
  ["subnet", "LE", ["with l1ValidatorManagerDetails"]],
  ["subnet", "LEPX", ["with subnetOwnershipInfo"]],
  ["transaction cap", "LEPX", ["fixed"]],
  ["transaction cap", "LEX", ["variable"]],
  ["transaction chainFormat", "LEPX", ["linear"]],
  ["transaction chainFormat", "X", ["non-linear"]],
  ["transaction genesis", "LEPX", ["encoded", "of an EVM"]],
  ["utxo rewardType", "LEP", ["DELEGATOR", "VALIDATOR", "VALIDATOR_FEE"]],
  ["utxo staked", "LEPX", ["false", "true"]],
  ["validator stakingType", "LE", ["autoRenewed"]],
  ["validator stakingType", "LEPX", ["fixed"]],
  ["validator validationStatus", "E", ["pending"]],
  ["validator validationStatus", "LEP", ["completed", "removed"]],
  ["validator validationStatus", "LEPX", ["active"]],
  ["validator", "LEP", ["with blsCredentials", "with rewardTxHash"]],
  [
    "validator",
    "LEPX",
    ["with amountDelegated", "with delegationCapacity", "with delegationFee", "with geolocation null", "with rewardAddresses"],
  ],
  ["x-chain balance", "EP", ["atomicMemoryLocked"]],
  ["x-chain balance", "LE", ["locked"]],
  [
    "x-chain balance",
    "LEPX",
    [
      "atomicMemoryLocked of nothing",
      "atomicMemoryUnlocked",
      "atomicMemoryUnlocked of nothing",
      "locked of nothing",
      "unlocked",
      "unlocked of nothing",
    ],
  ],
  ["x-chain block", "LE", ["with proposerDetails"]],
  ["x-chain transaction", "LEPX", ["CreateAssetTx"]],
  ["x-chain transaction", "LEX", ["BaseTx", "ExportTx", "ImportTx", "OperationTx", "with sourceChain"]],
  ["x-chain utxo", "LEPX", ["transfer", "with consumingTxHash", "with credentials"]],
  ["x-chain utxo", "LEX", ["mint", "nft mint", "nft transfer", "property mint", "property owned", "with groupId", "with payload"]],
];

export const NOWHERE: readonly string[] = [
  // all types of the X-chain have names
  "x-chain transaction UNKNOWN",
  // Firn watches no network
  "validator with avalancheGoVersion",
  "validator with geolocation",
  ...Object.keys(EVM_NOWHERE),
];

const ALL = [...SHOWN, ...EVM_SHOWN].flatMap(([of, by, variants]) =>
  variants.map((variant) => ({ name: of.startsWith("of ") ? `${variant} ${of}` : `${of} ${variant}`, by })),
);

/** All that some recording shows. */
export const VARIANTS: readonly string[] = ALL.map(({ name }) => name);

export function variantsIn(recording: RecordingName | EvmRecordingName): string[] {
  return ALL.filter(({ by }) => by.includes(LETTERS[recording]!)).map(({ name }) => name);
}
