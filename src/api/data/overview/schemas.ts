import Type, { type Static } from "typebox";
import { methodSchema } from "../evm/transaction-schemas.ts";
import { namedObject } from "../named-object.ts";

const height = Type.String({ description: "Height of the newest block." });
const blockNumber = Type.String({ description: "Height of the block." });
const blockTimestamp = Type.Integer({ description: "Unix seconds" });

const primaryBlockSchema = namedObject("OverviewBlock", {
  blockNumber,
  blockHash: Type.String({ description: "cb58; on the C-chain 0x and 64 hex digits" }),
  blockTimestamp,
  blockType: Type.String({ description: "The node's name of the type; `Standard` on the C-chain." }),
  txCount: Type.Integer({ description: "On the C-chain only imports and exports count." }),
});

const primaryTransactionSchema = namedObject("OverviewTransaction", {
  txHash: Type.String({ description: "cb58" }),
  txType: Type.String({ description: "The node's name of the type." }),
  blockNumber: Type.String({ description: "Height of the block; 0 for the genesis and for vertices of the X-chain." }),
  blockTimestamp,
});

const primaryChainSchema = namedObject("OverviewChain", {
  alias: Type.Union([Type.Literal("P"), Type.Literal("X"), Type.Literal("C")]),
  blockchainId: Type.String({ description: "cb58" }),
  height,
  timestamp: Type.Optional(
    Type.Integer({
      description: "Unix seconds of the newest block, or of the newest transaction while there is no block. Absent without either.",
    }),
  ),
  blocks: Type.Array(primaryBlockSchema, { description: "The newest ones, at most 5." }),
  transactions: Type.Array(primaryTransactionSchema, { description: "The newest ones, at most 5; on the C-chain imports and exports." }),
});
export type PrimaryChainOverview = Static<typeof primaryChainSchema>;

const evmBlockSchema = namedObject("OverviewEvmBlock", {
  blockNumber,
  blockHash: Type.String({ description: "0x and 64 hex digits." }),
  blockTimestamp,
  txCount: Type.Integer(),
  gasUsed: Type.String({ description: "Gas" }),
});

const evmTransactionSchema = namedObject("OverviewEvmTransaction", {
  txHash: Type.String({ description: "0x and 64 hex digits." }),
  txStatus: Type.Union([Type.Literal("1"), Type.Literal("0")], { description: "`1` success, `0` failed." }),
  blockNumber,
  blockTimestamp,
  from: Type.String({ description: "0x, with EIP-55's checksum." }),
  to: Type.String({ description: "Of a creation, the created contract." }),
  value: Type.String({ description: "wei" }),
  method: methodSchema,
});

const evmChainSchema = namedObject("OverviewEvmChain", {
  evmChainId: Type.String({ description: "EVM chain ID" }),
  blockchainId: Type.Optional(Type.String({ description: "cb58. Absent if the chain is not on a P-chain." })),
  name: Type.String(),
  symbol: Type.String({ description: "Of the chain's coin." }),
  decimals: Type.Integer({ description: "Of the chain's coin." }),
  nftPictures: Type.Boolean({ description: "Whether pictures of NFTs are fetched. Those that a contract contains are shown in any case." }),
  height: Type.Optional(height),
  timestamp: Type.Optional(Type.Integer({ description: "Unix seconds of the newest block." })),
  baseFee: Type.Optional(
    Type.String({ description: "Base fee of the newest block, wei per gas. Absent if the block names none, or only a bound of it." }),
  ),
  blocks: Type.Array(evmBlockSchema, { description: "The newest ones, at most 5." }),
  transactions: Type.Array(evmTransactionSchema, { description: "The newest ones, at most 5." }),
});
export type EvmChainOverview = Static<typeof evmChainSchema>;

export const overviewSchema = namedObject("Overview", {
  networkId: Type.Integer({ description: "1 is mainnet, 5 is Fuji." }),
  networkName: Type.String({ description: "`mainnet`, `fuji`, `local` …" }),
  hrp: Type.String({ description: "What addresses of the network begin with after the chain: `avax`." }),
  isDevnet: Type.Boolean({ description: "Whether this server makes the blocks itself." }),
  clockOffset: Type.Integer({
    description: "Seconds by which a devnet's clock is ahead of the machine's; below zero if it is behind. 0 elsewhere.",
  }),
  nftPictures: Type.Boolean({ description: "Whether pictures of NFTs are fetched for some chain." }),
  chains: Type.Array(primaryChainSchema, { description: "P, X and C, as far as they are indexed." }),
  evmChains: Type.Array(evmChainSchema, { description: "EVM chains in order of their IDs: at most 64." }),
  evmChainCount: Type.Integer({ description: "Number of EVM chains of this server." }),
});
