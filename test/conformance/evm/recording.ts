/**
 * A recording of an EVM chain: `C.jsonl` (the node's answers, one block per line), `expected.json` (what the workload's driver intended,
 * from a model that reads neither logs nor traces) and `accounts.json` (the node's state at six heights). Hashes and addresses are
 * lowercase with `0x`; amounts are decimal.
 */
import { hasFile } from "../asset/recording.ts";
import { readJson, readLines } from "../json-lines.ts";

export interface ExpectedTransaction {
  readonly label: string;
  readonly hash: string;
  readonly from: string;
  /** null: creates a contract */
  readonly to: string | null;
  /** also of a creation that fails */
  readonly created?: string;
  readonly nonce: number;
  readonly type: number;
  readonly value: string;
  readonly gasLimit: number;
  /** absent where it is long */
  readonly input?: `0x${string}`;
  /** absent where `input` is there, at times */
  readonly inputHash?: string;
  readonly status: 0 | 1;
  readonly method: { readonly callType: string; readonly methodHash: string };
  readonly erc20: readonly ExpectedTransfer[];
  readonly erc721: readonly ExpectedTransfer[];
  readonly erc1155: readonly ExpectedTransfer[];
  readonly internal: readonly ExpectedInternal[];
  readonly deployments: readonly ExpectedDeployment[];
}

export interface ExpectedTransfer {
  readonly contract: string;
  readonly from: string;
  readonly to: string;
  readonly id?: string;
  readonly value?: string;
  /** a well-formed log of a contract that is no such token */
  readonly fake?: boolean;
  readonly rebasing?: boolean;
}

export interface ExpectedInternal {
  readonly type: string;
  readonly from: string;
  /** null: a creation that was not executed */
  readonly to: string | null;
  readonly value: string;
  readonly reverted: boolean;
  /** too little balance or an address in use: a C-chain has no frame of it */
  readonly notExecuted?: boolean;
}

export interface ExpectedDeployment {
  readonly address: string;
  /** sender or contract */
  readonly creator: string;
  readonly type: "TX" | "CREATE" | "CREATE2";
}

export interface ExpectedContract {
  readonly name: string;
  readonly address: string;
  readonly erc: string;
  readonly deployTx: string;
  readonly deployer: string;
  readonly deployerContract?: string;
  readonly meta?: ExpectedMetadata;
  readonly metaAfter?: ExpectedMetadata & { readonly sinceTx: string };
}

/** null: no usable value. The gigantic text is told by its byte and length. */
export interface ExpectedMetadata {
  readonly name: string | { readonly byte: string; readonly length: number } | null;
  readonly symbol: string | { readonly byte: string; readonly length: number } | null;
  readonly decimals: number | string | null;
}

export interface RecordedState {
  readonly height: number;
  readonly accounts: Readonly<Record<string, { readonly balance: string; readonly nonce: number; readonly codeSize: number }>>;
  /** token → holder → balance, without zeroes */
  readonly erc20: Readonly<Record<string, Readonly<Record<string, string>>>>;
  /** token → ID → owner (null: none) and URI (null: no answer) */
  readonly erc721: Readonly<Record<string, Readonly<Record<string, { readonly owner: string | null; readonly uri: string | null }>>>>;
  /** token → ID → holder → balance, without zeroes */
  readonly erc1155: Readonly<Record<string, Readonly<Record<string, Readonly<Record<string, string>>>>>>;
  readonly uri1155: Readonly<Record<string, Readonly<Record<string, string | null>>>>;
}

interface ExpectedFile {
  readonly chainId: number;
  readonly client: string;
  readonly contracts: readonly ExpectedContract[];
  readonly txs: readonly ExpectedTransaction[];
  readonly atomic: readonly {
    readonly height: number;
    readonly txID: string;
    readonly inputs: readonly { readonly address: string; readonly nonce: number }[];
  }[];
}

/** A transaction with the place that the chain gave it, which the driver cannot know. */
export interface PlacedTransaction extends ExpectedTransaction {
  readonly height: number;
  readonly index: number;
}

export interface EvmRecording {
  readonly folder: string;
  readonly chainId: string;
  readonly isAnvil: boolean;
  readonly contracts: readonly ExpectedContract[];
  readonly exports: ExpectedFile["atomic"];
  /** hash of each block, by height */
  readonly blockHashes: readonly string[];
  /** in the chain's order */
  readonly transactions: readonly PlacedTransaction[];
  /** by height, the last one at the head */
  readonly states: readonly RecordedState[];
}

export function isEvmRecording(folder: string): boolean {
  return hasFile(folder, "C.jsonl") && hasFile(folder, "expected.json");
}

interface RecordedBlock {
  readonly height: number;
  readonly block: { readonly hash: string; readonly transactions: readonly { readonly hash: string }[] };
}

export function readEvmRecording(folder: string): EvmRecording {
  const expected = readJson<ExpectedFile>(folder, "expected.json");
  const accounts = readJson<{ final: RecordedState; earlier: readonly RecordedState[] }>(folder, "accounts.json");
  const intents = new Map(expected.txs.map((tx) => [tx.hash, tx]));
  const blockHashes: string[] = [];
  const transactions: PlacedTransaction[] = [];
  for (const { height, block } of readLines<RecordedBlock>(folder, "C.jsonl")) {
    blockHashes[height] = block.hash;
    for (const [index, { hash }] of block.transactions.entries()) {
      const intent = intents.get(hash);
      if (intent === undefined) throw new Error(`block ${height} of ${folder} has transaction ${hash}, which expected.json lacks`);
      transactions.push({ ...intent, height, index });
    }
  }
  if (transactions.length !== intents.size)
    throw new Error(`${folder} expects ${intents.size} transactions, its blocks have ${transactions.length}`);
  return {
    folder,
    chainId: `${expected.chainId}`,
    isAnvil: /anvil/i.test(expected.client),
    contracts: expected.contracts,
    exports: expected.atomic,
    blockHashes,
    transactions,
    states: [...accounts.earlier, accounts.final],
  };
}
