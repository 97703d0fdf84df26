/** The dependencies of the token service's jobs, around a test's store and a node whose answers the test controls. */
import { pino } from "pino";
import type { Table, TableKey, TableValue } from "../../../src/base/table/table.ts";
import { selectorOf } from "../../../src/evm/abi.ts";
import { ContractReader } from "../../../src/evm/tokens/contract-reader.ts";
import { rowChange, TokenCommits } from "../../../src/evm/tokens/token-commits.ts";
import type { WorkParts } from "../../../src/evm/tokens/token-work.ts";
import { UpstreamError } from "../../../src/sources/upstream/upstream-error.ts";
import { LmdbStore } from "../../../src/store/lmdb/lmdb-store.ts";
import type { Store } from "../../../src/store/store.ts";
import { type EvmCall, modelRpc } from "../../api/data/evm/evm-chain.ts";
import { scratchDirectory } from "../../store/scratch.ts";

export const CHAIN = 5;
export const SOMEBODY = "5e".repeat(20);

export interface WorkBench {
  readonly parts: WorkParts;
  readonly store: Store;
  /** Unix seconds */
  now: bigint;
  /** Answers to calls of contracts by `name()`, or by the contract and `name()`; undefined or absent: it reverts */
  readonly answers: Map<string, string | undefined>;
  /** of which everything fails but questions to others */
  readonly broken: Set<string>;
  isDown: boolean;
  /** calls of contracts */
  readonly asked: EvmCall[];
  put<T extends Table>(table: T, key: TableKey<T>, value: TableValue<T> | undefined): Promise<void>;
  /** of all rows */
  keys<T extends Table>(table: T): Promise<TableKey<T>[]>;
}

export async function withWorkBench(check: (bench: WorkBench) => Promise<void>): Promise<void> {
  const store = new LmdbStore({ directory: scratchDirectory(), isReadOnly: false, isTemporary: true });
  const answers = new Map<string, string | undefined>();
  const broken = new Set<string>();
  const asked: EvmCall[] = [];
  const rpc = modelRpc((call) => {
    if (bench.isDown) throw new UpstreamError("unavailable", "no node answers");
    if (call.method === "eth_blockNumber") return "0x1";
    asked.push(call);
    const { to, data } = call.params[0] as { to: string; data: string };
    const contract = to.slice(2);
    if (broken.has(contract)) throw new UpstreamError("timeout", "the node is busy for ever");
    const answer = [...answers].find(([question]) => question.endsWith(data.slice(2, 10)) && contract.startsWith(question.slice(0, -8)));
    if (answer?.[1] === undefined) throw new UpstreamError("refused", "execution reverted");
    return answer[1];
  });
  const bench: WorkBench = {
    store,
    now: 1_000_000n,
    answers,
    broken,
    isDown: false,
    asked,
    put: (table, key, value) => store.commit([rowChange(table, key, value)]),
    async keys(table) {
      return (await store.scan(table, { limit: 1000 })).map(({ key }) => key);
    },
    parts: {
      store,
      chain: CHAIN,
      rpc,
      reader: new ContractReader(rpc, undefined),
      commits: new TokenCommits(store, CHAIN),
      log: pino({ level: "silent" }),
      clock: () => bench.now,
    },
  };
  try {
    await check(bench);
  } finally {
    await store.close();
  }
}

/** Key of `answers`. @param contract its first digits; absent: any */
export function asks(signature: string, contract = ""): string {
  return contract + selectorOf(signature);
}

export function numberAnswer(value: bigint): string {
  return `0x${value.toString(16).padStart(64, "0")}`;
}

export function textAnswer(text: string): string {
  const bytes = Buffer.from(text).toString("hex");
  return `0x${"20".padStart(64, "0")}${(bytes.length / 2).toString(16).padStart(64, "0")}${bytes}`;
}
