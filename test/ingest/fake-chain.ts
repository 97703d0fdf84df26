/** A chain that only counts, to test the ingester without real rules. */

import { fixedHex, u64 } from "../../src/base/codec/codec.ts";
import { table } from "../../src/base/table/table.ts";
import { rowKey, View } from "../../src/base/table/view.ts";
import type { Ranges } from "../../src/index/packed-list.ts";
import type { Fetch } from "../../src/index/primary/projection.ts";
import type { Chains, Step } from "../../src/ingest/steps.ts";
import { NotExportedError, RuleError } from "../../src/network/execution.ts";
import type { BlockItem, SourceItem } from "../../src/sources/source.ts";
import { type Store, type StoreReader, scanAll } from "../../src/store/store.ts";
import { testNetwork } from "../chains/platform/state/fixture.ts";

export const CHAIN_ID = "c0".repeat(32);
export const LATER_CHAIN_ID = "c1".repeat(32);

/** Resident. */
export const counters = table({ id: 61_001, name: "counters", key: { chainId: fixedHex(32) }, value: { height: u64 } });
/** Fetched: each block adds its amount to an account. */
export const accounts = table({ id: 61_002, name: "accounts", key: { account: u64 }, value: { sum: u64 } });

/** Blocks of the later chain that import need what this account has. */
const EXPORTED = { account: 100n };

/** A block adds 1 to account `height % 3`, or does what `command` says. */
export type Command =
  | "export"
  | "import"
  | "add"
  | "refuse"
  | "refuse-after-writing"
  | "read-unnamed"
  | "name-late"
  | "create-later-chain"
  | "defect";

export function block(height: number, command: Command = "add", chainId = CHAIN_ID): BlockItem {
  return { kind: "block", chainId, height: BigInt(height), container: Buffer.from(command), acceptedAt: 0n };
}

export class FakeChains implements Chains {
  readonly network = testNetwork();
  readonly view = new View();
  #isNamed = false;

  static async open(reader: StoreReader): Promise<FakeChains> {
    const chains = new FakeChains();
    for await (const { key, value } of scanAll(reader, counters)) chains.view.load(counters, key, value);
    chains.view.setResident(counters);
    return chains;
  }

  get progress() {
    const heights = new Map([...this.view.rows(counters)].map(({ key, value }) => [key.chainId, value.height]));
    return { heights, vertices: new Map(), sharedMemoryOperations: 0n };
  }

  decode(item: SourceItem): Step | "not-yet" {
    if (item.kind !== "block") throw new TypeError("only blocks");
    const { chainId, height } = item;
    if (chainId !== CHAIN_ID && this.view.get(counters, { chainId }) === undefined) return "not-yet";
    const command = Buffer.from(item.container).toString() as Command;
    return {
      chain: "F",
      height,
      id: height.toString(16).padStart(64, "0"),
      byteLength: item.container.length,
      keysRead: () => {
        const isHidden = command === "read-unnamed" || (command === "name-late" && !this.#isNamed);
        if (command === "name-late") this.#isNamed = true;
        return isHidden ? [] : [rowKey(accounts, { account: height % 3n }), rowKey(accounts, EXPORTED)];
      },
      run: () => this.#run(chainId, height, command),
    };
  }

  async flush(fetch: Fetch, ranges: Ranges): Promise<void> {
    await this.onFlush(fetch, ranges);
  }

  /** a test's own rows */
  onFlush: (fetch: Fetch, ranges: Ranges) => Promise<void> = async () => {};

  #run(chainId: string, height: bigint, command: Command): number {
    const expected = (this.view.get(counters, { chainId })?.height ?? 0n) + 1n;
    if (height !== expected) throw new RuleError("wrong-height", `height is ${height}; it needs ${expected}`);
    if (command === "refuse") throw new RuleError("refused", "the block is refused");
    if (command === "export") this.view.put(accounts, EXPORTED, { sum: 1n });
    if (command === "import" && this.view.get(accounts, EXPORTED) === undefined) {
      throw new NotExportedError("not-found", "not found", { sourceChain: CHAIN_ID, utxoId: "ee".repeat(32) });
    }
    const key = { account: height % 3n };
    const sum = this.view.get(accounts, key)?.sum ?? 0n;
    this.view.put(accounts, key, { sum: sum + 1n });
    this.view.put(counters, { chainId }, { height });
    if (command === "refuse-after-writing") throw new RuleError("refused", "the block is refused");
    if (command === "defect") throw new TypeError("a defect");
    if (command === "create-later-chain") this.view.put(counters, { chainId: LATER_CHAIN_ID }, { height: 0n });
    return 1;
  }
}

/** Height and sums as the store has them. */
export async function stateOf(store: Store): Promise<{ height: bigint; sums: bigint[] }> {
  const counter = await store.get(counters, { chainId: CHAIN_ID });
  const rows = await store.scan(accounts, { limit: 10 });
  return { height: counter?.height ?? 0n, sums: rows.map(({ value }) => value.sum) };
}
