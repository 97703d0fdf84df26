/** Transactions that the recorded node refused, with the heights of P, X and C at which it did. */
import { readLines } from "../../conformance/json-lines.ts";
import { call, type Reply } from "../json-rpc.ts";
import type { ChainName } from "./recorded-run.ts";

export interface RefusedTx {
  readonly chain: ChainName;
  /** undefined where the node was asked through the EVM's own interface */
  readonly accepted?: boolean;
  readonly heights: Readonly<Record<ChainName, number>>;
  /** as sent: deliberately not always hex */
  readonly hex: string;
  readonly label: string;
  readonly response: Reply;
}

const ISSUING = { P: ["/ext/bc/P", "platform.issueTx"], X: ["/ext/bc/X", "avm.issueTx"], C: ["/ext/bc/C/avax", "avax.issueTx"] } as const;

export function refusedAt(folder: string): Map<string, RefusedTx[]> {
  const byHeights = new Map<string, RefusedTx[]>();
  for (const tx of readLines<RefusedTx>(folder, "rejected.jsonl")) {
    const heights = heightsKey(tx.heights);
    byHeights.set(heights, [...(byHeights.get(heights) ?? []), tx]);
  }
  return byHeights;
}

export function heightsKey({ P, X, C }: Readonly<Record<ChainName, number>>): string {
  return `P ${P}, X ${X}, C ${C}`;
}

export function isEvmTx({ label }: RefusedTx): boolean {
  return label.startsWith("eth_sendRawTransaction");
}

/** The text of the refusal; undefined if the transaction was taken. */
export async function refusal(url: string, tx: RefusedTx): Promise<string | undefined> {
  if (isEvmTx(tx)) return (await call(url, { path: "/ext/bc/C/rpc", method: "eth_sendRawTransaction", params: [tx.hex] })).error?.message;
  const [path, method] = ISSUING[tx.chain];
  return (await call(url, { path, method, params: { tx: tx.hex, encoding: "hex" } })).error?.message;
}

/**
 * What of a text another node cannot say: before Durango one about time holds the process's clock, with fractions of seconds and a monotonic
 * reading; one about an account of the EVM holds its balance, and what was paid for gas depends on how the EVM counts it.
 */
export function reproducible(text: string | undefined): string | undefined {
  return text?.replace(/\.\d+( \+0000 UTC) m=\S+/, "$1").replace(/(has balance) \d+/, "$1 …");
}
