import type { CommandDefinition } from "../command.ts";
import { askDevnet, CLIENT_KEYS, tell } from "./devnet-client.ts";
import { l1Group } from "./l1.ts";

interface L1sReply {
  readonly l1s: readonly {
    readonly name: string;
    readonly blockchainID: string;
    /** undefined if the chain does not run */
    readonly evmChainID?: number;
    readonly rpcPath?: string;
    readonly problem?: string;
  }[];
}

export const l1ListCommand: CommandDefinition = {
  group: l1Group,
  usage: "list",
  summary: "list the L1s of a devnet, and why a chain does not run",
  keys: CLIENT_KEYS,
  examples: ["l1 list"],
  async run({ config, signal }) {
    const reply = await askDevnet<L1sReply>(config, "listL1s", {}, signal);
    tell(config, reply, ({ l1s }) => (l1s.length === 0 ? "there are no L1s; make one with: firn l1 create" : l1s.map(line).join("\n")));

    function line({ name, blockchainID, evmChainID, rpcPath, problem }: L1sReply["l1s"][number]): string {
      const where = evmChainID === undefined ? blockchainID : `chain ID ${evmChainID}  ${config.url}${rpcPath}`;
      return `${name}  ${where}${problem === undefined ? "" : `  (${problem})`}`;
    }
  },
};
