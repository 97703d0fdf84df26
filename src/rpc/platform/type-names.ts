import type { TypeNames } from "../../primitives/codec/error-text.ts";

/** The node's Go types by type ID (chain-formats 6.1). */
const TYPES: Readonly<Record<number, string>> = {
  5: "secp256k1fx.TransferInput",
  7: "secp256k1fx.TransferOutput",
  9: "secp256k1fx.Credential",
  10: "secp256k1fx.Input",
  11: "secp256k1fx.OutputOwners",
  12: "txs.AddValidatorTx",
  13: "txs.AddSubnetValidatorTx",
  14: "txs.AddDelegatorTx",
  15: "txs.CreateChainTx",
  16: "txs.CreateSubnetTx",
  17: "txs.ImportTx",
  18: "txs.ExportTx",
  19: "txs.AdvanceTimeTx",
  20: "txs.RewardValidatorTx",
  21: "stakeable.LockIn",
  22: "stakeable.LockOut",
  23: "txs.RemoveSubnetValidatorTx",
  24: "txs.TransformSubnetTx",
  25: "txs.AddPermissionlessValidatorTx",
  26: "txs.AddPermissionlessDelegatorTx",
  27: "signer.Empty",
  28: "signer.ProofOfPossession",
  33: "txs.TransferSubnetOwnershipTx",
  34: "txs.BaseTx",
  35: "txs.ConvertSubnetToL1Tx",
  36: "txs.RegisterL1ValidatorTx",
  37: "txs.SetL1ValidatorWeightTx",
  38: "txs.IncreaseL1ValidatorBalanceTx",
  39: "txs.DisableL1ValidatorTx",
  40: "txs.AddAutoRenewedValidatorTx",
  41: "txs.SetAutoRenewedValidatorConfigTx",
  42: "txs.RewardAutoRenewedValidatorTx",
};

/** By the last step of the path; the owners of rewards, subnets and authorities are the rest. */
const INTERFACES: Readonly<Record<string, string>> = {
  "": "txs.UnsignedTx",
  output: "avax.TransferableOut",
  input: "avax.TransferableIn",
  signer: "signer.Signer",
  subnetAuthorization: "verify.Verifiable",
  disableAuthorization: "verify.Verifiable",
  auth: "verify.Verifiable",
};

export const platformTypeNames: TypeNames = {
  typeName: (typeId) => TYPES[typeId] ?? `type ${typeId}`,
  interfaceName(path) {
    if (/^credentials|^\[\d+\]$/.test(path)) return "verify.Verifiable";
    return INTERFACES[path.slice(path.lastIndexOf(".") + 1)] ?? "fx.Owner";
  },
};
