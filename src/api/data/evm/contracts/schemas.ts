/** Contracts as the official SDKs read them (data-api 4.13), limited to what the chain and the operator's files say. */
import Type, { type Static } from "typebox";
import { namedObject } from "../../named-object.ts";

export const deploymentDetails = Type.Optional(
  namedObject(
    "ContractDeploymentDetails",
    {
      txHash: Type.String(),
      deployerAddress: Type.String({ description: "Sender of the transaction." }),
      deployerContractAddress: Type.Optional(
        Type.String({ description: "The contract that created it, unless the transaction itself did." }),
      ),
    },
    { description: "Absent if no indexed transaction created the contract." },
  ),
);

const common = {
  name: Type.Optional(Type.String()),
  address: Type.String(),
  deploymentDetails,
  logoAsset: Type.Optional(namedObject("ImageAsset", { imageUri: Type.String() })),
};
const symbol = Type.Optional(Type.String());
const erc20 = {
  ...common,
  symbol,
  ercType: Type.Literal("ERC-20"),
  decimals: Type.Integer({ description: "0 if the contract returns none, or an invalid number." }),
};

export const contractSchema = Type.Union(
  [
    namedObject("Erc721Contract", { ...common, symbol, ercType: Type.Literal("ERC-721") }),
    namedObject("Erc1155Contract", { ...common, symbol, ercType: Type.Literal("ERC-1155") }),
    namedObject("Erc20Contract", erc20),
    namedObject("UnknownContract", { ...common, ercType: Type.Literal("UNKNOWN") }),
  ],
  { $id: "Contract" },
);
export type Contract = Static<typeof contractSchema>;
