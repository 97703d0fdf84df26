/** A recording folder, with the node's answers unchanged. */
import { readFileSync } from "node:fs";

export type Json = Record<string, unknown>;

export interface Transaction extends Json {
  hash: string;
  from: string;
  to: string | null;
  nonce: string;
  transactionIndex: string;
}

export interface Log extends Json {
  address: string;
  topics: string[];
  logIndex: string;
}

export interface Receipt extends Json {
  transactionHash: string;
  gasUsed: string;
  contractAddress: string | null;
  status: string;
  logs: Log[];
}

export interface Frame extends Json {
  type: string;
  from: string;
  to?: string;
  input: string;
  output?: string;
  error?: string;
  calls?: Frame[];
}

export interface Block extends Json {
  hash: string;
  parentHash: string;
  number: string;
  timestamp: string;
  transactions: Transaction[];
}

/** One line of C.jsonl. */
export interface RecordedBlock {
  readonly height: number;
  readonly block: Block;
  readonly receipts: Receipt[];
  /** null: the node refused to trace it */
  readonly traces: { txHash: string; result: Frame }[] | null;
}

export interface AccountsAt {
  readonly height: number;
  readonly accounts: Record<string, { balance: string; nonce: number; codeHash: string | null; codeSize: number }>;
  /** contract → holder → amount; zeroes left out */
  readonly erc20: Record<string, Record<string, string>>;
  /** contract → token → owner */
  readonly erc721: Record<
    string,
    Record<string, { owner: string | null; uri: string | null; ownerOf?: RecordedCall; tokenURI?: RecordedCall }>
  >;
  /** contract → token → holder → amount; zeroes left out */
  readonly erc1155: Record<string, Record<string, Record<string, string>>>;
  readonly uri1155: Record<string, Record<string, string | null>>;
}

/** What `eth_call` answered; of long answers length, hash and beginning. */
export type RecordedCall = string | { error: Json } | { bytes: number; keccak256: string; first128: string };

export interface Recording {
  readonly blocks: readonly RecordedBlock[];
  readonly accounts: readonly AccountsAt[];
  readonly metadata: {
    readonly selectors: Record<string, string>;
    readonly contracts: Record<string, { erc?: string; results: Record<string, RecordedCall> }>;
  };
  readonly network: {
    readonly head: number;
    readonly probes: Record<string, { params: unknown[]; response: { result?: unknown; error?: Json } }[]>;
  };
}

export function readRecording(folder: string): Recording {
  const json = (file: string) => JSON.parse(readFileSync(`${folder}/${file}`, "utf8"));
  const { final, earlier } = json("accounts.json") as { final: AccountsAt; earlier: AccountsAt[] };
  return {
    blocks: readFileSync(`${folder}/C.jsonl`, "utf8")
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line) as RecordedBlock),
    accounts: [...earlier, final],
    metadata: json("metadata.json"),
    network: json("network.json"),
  };
}
