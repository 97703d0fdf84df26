import type { TypeNames } from "../../../base/codec/error-text.ts";
import { definitions } from "../../../chains/platform/tx/registry.ts";
import { partNames } from "../../../chains/platform/type-ids.ts";

/** The node's Go types by type ID. */
const TYPES = new Map([
  ...Object.entries(partNames).map(([typeId, name]) => [Number(typeId), name] as const),
  ...definitions.map(({ typeId, name }) => [typeId, `txs.${name}`] as const),
]);

/** Go interfaces by the last step of the path. All other paths are owners of rewards, subnets and authorities. */
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
  typeName: (typeId) => TYPES.get(typeId) ?? `type ${typeId}`,
  interfaceName(path) {
    if (/^credentials|^\[\d+\]$/.test(path)) return "verify.Verifiable";
    return INTERFACES[path.slice(path.lastIndexOf(".") + 1)] ?? "fx.Owner";
  },
};
