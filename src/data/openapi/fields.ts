/** Members of answers that mean the same wherever they are: described here, once. A schema's own description comes first. */
import type { JsonSchema } from "../json-schema.ts";

const FIELDS: Readonly<Record<string, string>> = {
  address: "In bech32, without a chain's letter.",
  amount: "In the asset's smallest unit (`denomination` digits behind the point): nAVAX for AVAX.",
  assetId: "cb58",
  benchedCChainRequestsPercent: "Percent",
  benchedPChainRequestsPercent: "Percent",
  benchedXChainRequestsPercent: "Percent",
  blockHash: "cb58; of the C-chain 0x and 64 hex digits.",
  blockHeight: "Height of the block.",
  blockNumber: "Height of the block.",
  blockTimestamp: "Unix seconds: the block's time.",
  blockchainId: "cb58",
  blockchainName: "As its creator called it.",
  chainName: "As its creator called it; of the primary network's chains their alias.",
  consumingBlockTimestamp: "Unix seconds: time of the block that consumed it. Only when it is spent.",
  consumingTxTimestamp: "Unix seconds: when it was spent.",
  createdAtTimestamp: "Unix seconds: when it was created.",
  creationTxHash: "The transaction that made it.",
  delegatorCount: "How many delegate.",
  fromAddress: "0x and 40 hex digits.",
  hash: "cb58",
  height: "Height in the DAG.",
  isL1: "Whether the subnet was converted to an L1.",
  name: "As its creator called it.",
  nodeId: "`NodeID-…`",
  outputIndex: "Index among the outputs of its transaction.",
  parentHash: "Of the block before.",
  proofOfPossession: "0x and 192 hex digits.",
  publicKey: "BLS: 0x and 96 hex digits; of credentials secp256k1, base64.",
  reachabilityPercent: "Percent",
  removeTxHash: "The transaction that removed it.",
  signature: "Base64 without padding.",
  subnetId: "cb58",
  symbol: "As its creator called it.",
  threshold: "How many of the owners it takes.",
  timestamp: "Unix seconds",
  toAddress: "0x and 40 hex digits.",
  txCount: "How many transactions.",
  txHash: "ID of the transaction, cb58.",
  txType: "The node's name of the type, or `UNKNOWN`.",
  utxoId: "cb58 of the hash of transaction and output index.",
  validationId: "ID of the L1 validator, cb58.",
  validatorCount: "How many validate.",
  version: "Of the node's software; `offline` where it is not known.",
  vertexHash: "ID of the vertex, cb58.",
  vertexHeight: "Height in the DAG.",
  vertexSizeBytes: "Of the vertex as it was sent.",
  vmId: "cb58",
};

/** The same schema with a description for each of its members that has none. */
export function withDescriptions(schema: JsonSchema, name?: string): JsonSchema {
  const { description = name === undefined ? undefined : FIELDS[name], properties, items, anyOf } = schema;
  return {
    ...schema,
    ...(description !== undefined && schema.type !== "object" && schema.type !== "array" && { description }),
    ...(properties && {
      properties: Object.fromEntries(Object.entries(properties).map(([member, of]) => [member, withDescriptions(of, member)])),
    }),
    ...(items && { items: withDescriptions(items) }),
    ...(anyOf && { anyOf: anyOf.map((choice) => withDescriptions(choice)) }),
  };
}
