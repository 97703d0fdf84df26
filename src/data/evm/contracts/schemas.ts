/** Contracts as the official SDKs read them (data-api 4.13). Of what a contract may have there, this says what chain and operator tell. */
import Type, { type Static } from "typebox";

const deploymentDetails = Type.Optional(
  Type.Object(
    {
      txHash: Type.String(),
      deployerAddress: Type.String({ description: "Sender of the transaction." }),
      deployerContractAddress: Type.Optional(
        Type.String({ description: "The contract that made it, where the transaction itself did not." }),
      ),
    },
    { description: "Absent for what no transaction of the index made." },
  ),
);

const common = {
  name: Type.Optional(Type.String()),
  address: Type.String(),
  deploymentDetails,
  logoAsset: Type.Optional(Type.Object({ imageUri: Type.String() })),
};
const symbol = Type.Optional(Type.String());
const erc20 = {
  ...common,
  symbol,
  ercType: Type.Literal("ERC-20"),
  decimals: Type.Integer({ description: "0 if the contract says none, or an absurd number." }),
};

export const contractSchema = Type.Union([
  Type.Object({ ...common, symbol, ercType: Type.Literal("ERC-721") }),
  Type.Object({ ...common, symbol, ercType: Type.Literal("ERC-1155") }),
  Type.Object(erc20),
  Type.Object({ ...common, ercType: Type.Literal("UNKNOWN") }),
]);
export type Contract = Static<typeof contractSchema>;
