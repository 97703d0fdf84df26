/** What the node has of a transaction: bytes, JSON, and what became of it. */
import { rpc, rpcText } from "../../api/client.ts";
import type { PrimaryAlias } from "../../router.ts";
import { textIn } from "./raw.tsx";

export interface TxName {
  readonly chain: PrimaryAlias;
  readonly id: string;
}

const PATHS = { P: "bc/P", X: "bc/X", C: "bc/C/avax" } as const;
const GET_TX = { P: "platform.getTx", X: "avm.getTx", C: "avax.getAtomicTx" } as const;
const GET_STATUS = { P: "platform.getTxStatus", X: "avm.getTxStatus" } as const;

/** The method that has the transactions of a chain. */
export function txMethod(chain: PrimaryAlias): string {
  return GET_TX[chain];
}

/** The whole answer; the C-chain has none. */
export function readTxJson({ chain, id }: TxName): Promise<string> {
  return rpcText(PATHS[chain], GET_TX[chain], { txID: id, encoding: "json" });
}

export async function readTxBytes({ chain, id }: TxName): Promise<string> {
  return textIn(await rpc<Record<string, unknown>>(PATHS[chain], GET_TX[chain], { txID: id, encoding: "hex" }), "tx");
}

export interface TxStatus {
  readonly status: string;
  /** why it was dropped */
  readonly reason?: string;
}

export async function readTxStatus({ chain, id }: TxName): Promise<TxStatus> {
  if (chain !== "C") return rpc(PATHS[chain], GET_STATUS[chain], { txID: id });
  // nodes of the C-chain have no status since Helicon; before, they knew those that wait for a block, without a height
  const { blockHeight } = await rpc<{ readonly blockHeight?: string }>(PATHS.C, GET_TX.C, { txID: id, encoding: "hex" });
  return { status: blockHeight === undefined ? "Processing" : "Accepted" };
}
