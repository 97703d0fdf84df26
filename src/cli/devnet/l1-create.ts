import { readWholeFile } from "../../base/files/read-file.ts";
import type { CommandDefinition } from "../command.ts";
import { askDevnet, CLIENT_KEYS, tell } from "./devnet-client.ts";
import { l1Group } from "./l1.ts";

/** The result of the method. */
interface L1Reply {
  readonly name: string;
  readonly evmChainID: number;
  readonly blockchainID: string;
  readonly subnetID: string;
  readonly rpcPath: string;
  readonly wsPath: string;
  readonly validators: readonly { readonly nodeID: string; readonly validationID: string }[];
}

/** The P-chain takes no larger one. */
const MOST_GENESIS_BYTES = 1 << 20;

export const l1CreateCommand: CommandDefinition = {
  group: l1Group,
  usage: "create",
  summary: "make an L1 in a devnet: a subnet, a chain of Subnet-EVM that runs at once, its conversion, and validators",
  keys: CLIENT_KEYS,
  options: [
    { flags: "--genesis <file>", help: "genesis JSON of the chain; default: one that funds the devnet's keys, with warp" },
    { flags: "--name <name>", help: "name of the chain: letters, digits and spaces; default: dev1, dev2 and so on" },
    { flags: "--chain-id <number>", help: "chain ID of the default genesis; default: the first that is free from 99001 on" },
    { flags: "--validators <number>", help: "number of validators, from 1 to 16", default: "1" },
  ],
  examples: ["l1 create", "l1 create --name dex --genesis genesis.json --validators 3"],
  async run({ config, options, signal }) {
    const { name, genesis, chainId: evmChainID, validators } = options;
    const text = genesis === undefined ? undefined : readWholeFile(genesis, MOST_GENESIS_BYTES).toString();
    const params = { name, evmChainID, validators, ...(text !== undefined && { genesis: text }) };
    const made = await askDevnet<L1Reply>(config, "createL1", params, signal);
    const urls = { rpcUrl: `${config.url}${made.rpcPath}`, wsUrl: `${config.url}${made.wsPath}`.replace(/^http/, "ws") };
    tell(config, { ...made, ...urls }, textOf);
  },
};

function textOf(made: L1Reply & { readonly rpcUrl: string; readonly wsUrl: string }): string {
  const { name, evmChainID, blockchainID, subnetID, rpcUrl, wsUrl, validators } = made;
  const lines = [
    `The L1 ${name} runs, with chain ID ${evmChainID}.`,
    "",
    `  RPC         ${rpcUrl}`,
    `              ${wsUrl}`,
    `  blockchain  ${blockchainID}`,
    `  subnet      ${subnetID}`,
    ...validators.map(({ nodeID, validationID }) => `  validator   ${nodeID}  (validation ${validationID})`),
    "",
    "to add it to a wallet",
    `  network name     ${name}`,
    `  RPC URL          ${rpcUrl}`,
    `  chain ID         ${evmChainID}`,
    "  currency symbol  NATIVE",
  ];
  return lines.join("\n");
}
