import { setImmediate as turn } from "node:timers/promises";
import fc from "fast-check";
import { pino } from "pino";
import { describe, expect, test } from "vitest";
import { FirnError } from "../../../src/base/errors/errors.ts";
import type { TokenClass } from "../../../src/evm/facts.ts";
import { evmBlocks, evmChainStates, evmReorganisations } from "../../../src/evm/index/tables.ts";
import { type EvmCommitted, EvmIngester, type EvmIngesterOptions } from "../../../src/evm/ingest/evm-ingester.ts";
import type { EvmBatch, EvmSource } from "../../../src/sources/evm/evm-source.ts";
import type { Address, EvmBlock } from "../../../src/sources/evm/parser/block.ts";
import { classOf, type IntendedBlock, intendedChain, makeBlock, makeChain, PEOPLE, TOKENS } from "../decode/intents.ts";
import { CHAIN, IndexedRows } from "../index/indexed-rows.ts";
import { SlowStore } from "./slow-store.ts";

const DEPTH = 8;

/** Ingests into rows in memory what a test gives. */
class Ingesting {
  readonly indexed = new IndexedRows({ maxReorgDepth: DEPTH });
  readonly store = new SlowStore(this.indexed.rows);
  readonly committed: EvmCommitted[] = [];
  readonly problems: string[] = [];
  readonly asked: { address: Address; height: bigint }[] = [];
  /** of the attempts so far: where they began */
  readonly tips: (bigint | undefined)[] = [];
  readonly #given: Partial<EvmIngesterOptions>;

  constructor(given: Partial<EvmIngesterOptions> = {}) {
    this.#given = given;
  }

  options(source: EvmSource): EvmIngesterOptions {
    return {
      store: this.store,
      chain: { chain: CHAIN, evmChainId: 43112n, startHeight: 0n, maxReorgDepth: DEPTH },
      source,
      classifier: {
        classify: async (tokens) => {
          this.asked.push(...tokens);
          return new Map(tokens.map(({ address }): [Address, TokenClass] => [address, classOf(address)!]));
        },
      },
      upstream: { committed: () => this.problems.push("none"), tell: (problem) => this.problems.push(problem) },
      log: pino({ level: "silent" }),
      onCommit: (committed) => this.committed.push(committed),
      retryMs: 1,
      ...this.#given,
    };
  }

  /** Each attempt gets what `script` gives for it, and then waits for the end, which comes when the last one has nothing left. */
  async run(...script: (readonly (EvmBatch | Error)[])[]): Promise<void> {
    const stopping = new AbortController();
    const { tips } = this;
    const source: EvmSource = {
      async *batches(tip) {
        tips.push(tip?.height);
        for (const item of script.shift() ?? []) {
          if (item instanceof Error) throw item;
          yield item;
        }
        if (script.length === 0) stopping.abort();
      },
    };
    await new EvmIngester(this.options(source)).run(stopping.signal);
  }
}

function batch(blocks: readonly EvmBlock[], undoTo?: bigint): EvmBatch {
  const { height, timestamp } = blocks.at(-1)!;
  return { blocks, head: { height, timestamp }, ...(undoTo !== undefined && { undoTo }) };
}

function branchOf(parent: EvmBlock, blocks: readonly IntendedBlock[], branch: string): EvmBlock[] {
  const made = [parent];
  for (const block of blocks) made.push(makeBlock(made.at(-1)!.height + 1n, block, { branch, parentHash: made.at(-1)!.hash }));
  return made.slice(1);
}

/** How a chain that was reorganised so is told of. */
function counted(depths: readonly bigint[]): object | undefined {
  const [deepest = 0n] = depths.toSorted((a, b) => Number(b - a));
  const blocks = depths.reduce((sum, depth) => sum + depth, 0n);
  return depths.length === 0 ? undefined : { count: BigInt(depths.length), blocks, deepest };
}

/** Batches that bring a chain through several branches, and the chain that is left. */
const history = fc.record({
  chain: intendedChain,
  branches: fc.array(fc.record({ depth: fc.nat(DEPTH), blocks: intendedChain }), { maxLength: 3 }),
  size: fc.integer({ min: 1, max: 4 }),
  turns: fc.nat(4),
  maxHeldRows: fc.constantFrom(1, 50, 10_000),
});

describe("The ingester of an EVM chain", () => {
  test("leaves the rows of a fresh index of the final chain, however batches were cut and branches replaced, while commits are under way", async () => {
    await fc.assert(
      fc.asyncProperty(history, async ({ chain, branches, size, turns, maxHeldRows }) => {
        let final = makeChain(chain);
        const depths: bigint[] = [];
        const batches: EvmBatch[] = [];
        for (let at = 0; at < final.length; at += size) batches.push(batch(final.slice(at, at + size)));
        for (const [number, { depth, blocks }] of branches.entries()) {
          // at least as long as what it replaces, and the first block stays
          const replaced = Math.min(depth, blocks.length, final.length - 1);
          if (replaced > 0) depths.push(BigInt(replaced));
          const kept = final.slice(0, final.length - replaced);
          const branch = branchOf(kept.at(-1)!, blocks, `branch ${number}`);
          batches.push(batch(branch, replaced === 0 ? undefined : kept.at(-1)!.height));
          final = [...kept, ...branch];
        }
        const ingesting = new Ingesting({ maxHeldRows });
        ingesting.store.turns = turns;
        await ingesting.run(batches);
        const fresh = new IndexedRows({ maxReorgDepth: DEPTH });
        fresh.add(final);
        expect(ingesting.indexed.dump()).toEqual(fresh.dump());
        expect(await ingesting.store.get(evmReorganisations, { chain: CHAIN })).toEqual(counted(depths));
        expect(ingesting.store.commits).toHaveLength(batches.length);
        expect(new Set(ingesting.problems)).toEqual(new Set(["none"]));
      }),
      { numRuns: 60 },
    );
  });

  test("undoes a branch and applies the one in its place in one commit", async () => {
    const chain = makeChain([[], [], [], []]);
    const branch = branchOf(chain[1]!, [[], [], []], "other");
    const ingesting = new Ingesting();
    await ingesting.run([batch(chain), batch(branch, 1n)]);
    expect(ingesting.store.commits).toHaveLength(2);
    expect(ingesting.committed.map(({ blocks, undone, height }) => ({ blocks, undone, height }))).toEqual([
      { blocks: 4, undone: 0, height: 3n },
      { blocks: 3, undone: 2, height: 4n },
    ]);
    expect(ingesting.indexed.rows.get(evmBlocks, { chain: CHAIN, height: 3n })?.hash).toBe(branch[1]!.hash);
  });

  test("asks for each token that logs leave in doubt once, at the height at which it is met", async () => {
    const transfer = { kind: "amount", token: "noneIndexed", from: PEOPLE[0]!, to: PEOPLE[1]!, value: 1n } as const;
    const nft = { kind: "nft", token: "earlyNft", from: PEOPLE[0]!, to: PEOPLE[1]!, tokenId: 1n } as const;
    const call = { from: PEOPLE[0]!, to: PEOPLE[1]!, isSuccess: true, inputLength: 4 };
    const chain = makeChain([
      [],
      [{ ...call, intents: [transfer] }],
      [{ ...call, intents: [transfer, nft] }],
      [{ ...call, intents: [nft] }],
    ]);
    const ingesting = new Ingesting();
    await ingesting.run([batch(chain.slice(0, 3)), batch(chain.slice(3))]);
    expect(ingesting.asked).toEqual([
      { address: TOKENS.noneIndexed, height: 1n },
      { address: TOKENS.earlyNft, height: 2n },
    ]);
  });

  test("tells a problem, and goes on from the store when it is over", async () => {
    const chain = makeChain([[], [], [], []]);
    const ingesting = new Ingesting();
    ingesting.store.failures.push(undefined, new FirnError("store-full", "the disk is full"));
    const [first, second, third, fourth] = chain.map((block) => batch([block])) as [EvmBatch, EvmBatch, EvmBatch, EvmBatch];
    await ingesting.run([first, second, third], [new TypeError("a defect")], [second, third, fourth]);
    expect(ingesting.tips).toEqual([undefined, 0n, 0n]);
    expect(ingesting.problems).toEqual(["none", "the disk is full", "a defect", "none", "none", "none"]);
    expect(ingesting.indexed.rows.get(evmChainStates, { chain: CHAIN })).toMatchObject({ height: 3n, hash: chain[3]!.hash });
  });

  test("ends with the sentence of an error that only an operator can do something about, after what came before is committed", async () => {
    const ingesting = new Ingesting();
    const tooDeep = new FirnError("evm-reorg-too-deep", "the chain replaced too much");
    await expect(ingesting.run([batch(makeChain([[], []])), tooDeep], [])).rejects.toBe(tooDeep);
    expect(ingesting.problems.at(-1)).toBe("the chain replaced too much");
    expect(ingesting.indexed.rows.get(evmChainStates, { chain: CHAIN })?.height).toBe(1n);
  });

  test("tells a source which blocks are indexed, those included that are being written", async () => {
    const chain = makeChain([[], [], []]);
    const ingesting = new Ingesting();
    ingesting.store.turns = 10;
    const stopping = new AbortController();
    const known: (string | undefined)[] = [];
    const source: EvmSource = {
      async *batches(_, hashAt) {
        yield batch(chain);
        for (const height of [0n, 2n, 3n]) known.push(await hashAt(height));
        stopping.abort();
      },
    };
    await new EvmIngester(ingesting.options(source)).run(stopping.signal);
    expect(known).toEqual([chain[0]!.hash, chain[2]!.hash, undefined]);
  });

  test("prepares a batch while the one before is written", async () => {
    const chain = makeChain([[], []]);
    const ingesting = new Ingesting();
    ingesting.store.turns = 1000;
    const stopping = new AbortController();
    let commitsAtSecond: number | undefined;
    const source: EvmSource = {
      async *batches() {
        yield batch(chain.slice(0, 1));
        commitsAtSecond = ingesting.store.commits.length;
        yield batch(chain.slice(1));
        stopping.abort();
      },
    };
    await new EvmIngester(ingesting.options(source)).run(stopping.signal);
    await turn();
    expect(commitsAtSecond).toBe(0);
    expect(ingesting.store.commits).toHaveLength(2);
  });
});
