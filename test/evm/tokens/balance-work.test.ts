import { expect, test } from "vitest";
import { ERC20, ERC721, ERC1155, type Transfer, type TransferKind } from "../../../src/evm/facts.ts";
import { tokenIdKey } from "../../../src/evm/index/holding-rows.ts";
import { tokenList } from "../../../src/evm/index/list-rows.ts";
import { evmLists } from "../../../src/evm/index/log-tables.ts";
import { blockEntries, windowOf } from "../../../src/evm/index/postings.ts";
import { transferParts } from "../../../src/evm/index/read-parts.ts";
import {
  evmBlocks,
  evmChainStates,
  evmHoldings,
  evmNfts,
  evmTokens,
  evmTransactions,
  evmUpstreams,
} from "../../../src/evm/index/tables.ts";
import { evmTokenChecks } from "../../../src/evm/index/token-tables.ts";
import { collectSamples } from "../../../src/evm/tokens/balance-samples.ts";
import { BalanceWork } from "../../../src/evm/tokens/balance-work.ts";
import { ContractReader, NoStateError } from "../../../src/evm/tokens/contract-reader.ts";
import { CountingReader } from "../../index/counting-reader.ts";
import { asks, CHAIN, numberAnswer, SOMEBODY, type WorkBench, withWorkBench } from "./work-parts.ts";

const COIN = "c0".repeat(20);
const ZERO = "00".repeat(20);
const signal = new AbortController().signal;

async function head({ put }: WorkBench, height: bigint, hash = "b1".repeat(32), { commits = height } = {}): Promise<void> {
  await put(evmChainStates, { chain: CHAIN }, { height, hash, timestamp: 0n, transactions: 0n, commits, hasTraces: true });
  const amounts = { gasLimit: 0n, gasUsed: 0n, gasCost: 0n, feesSpent: 0n, cumulativeTransactions: 0n };
  const absent = { timestampMilliseconds: undefined, minDelayExcess: undefined, baseFee: undefined };
  const rest = { parentHash: hash, timestamp: 0n, txCount: 0, miner: ZERO, extraFields: "{}", extraData: Buffer.alloc(0) };
  await put(evmBlocks, { chain: CHAIN, height }, { hash, ...amounts, ...absent, ...rest });
}

async function token({ put }: WorkBench, kind: TransferKind, { hasDebts = false, address = COIN } = {}): Promise<void> {
  await put(evmTokens, { chain: CHAIN, token: address }, { kind, isWrapped: false, isClassed: false, hasDebts, height: 1n });
}

/** A transaction with one transfer. */
async function putTransfer({ store, put }: WorkBench, height: bigint, transfer: Omit<Transfer, "logIndex" | "batchIndex">): Promise<void> {
  const native = { from: SOMEBODY, to: transfer.token };
  const [transferPart] = transferParts([{ ...transfer, logIndex: 0, batchIndex: 0 }], native);
  const amounts = {
    nonce: 0n,
    value: 0n,
    gasLimit: 0n,
    gasUsed: 0n,
    gasPrice: 0n,
    maxFeePerGas: undefined,
    maxPriorityFeePerGas: undefined,
  };
  const parts = { transfers: 1, internals: 0, transferPart: transferPart!, internalPart: new Uint8Array() };
  const rest = { hash: "00".repeat(32), type: 0, isCreation: false, isSuccess: true, input: new Uint8Array(), inputLength: 0 };
  await put(evmTransactions, { chain: CHAIN, height, index: 0 }, { ...native, ...amounts, ...parts, ...rest });
  const key = { chain: CHAIN, list: tokenList(transfer.token), window: windowOf(height) };
  const known = await store.get(evmLists, key);
  await put(evmLists, key, { entries: Buffer.concat([known?.entries ?? new Uint8Array(), blockEntries(height, [{ index: 0, part: 0 }])]) });
}

/** A transfer, and what its receiver has afterwards. */
async function transfer(
  bench: WorkBench,
  height: bigint,
  kind: TransferKind,
  { tokenId = 0n, balance = 5n, address = COIN } = {},
): Promise<void> {
  const { put } = bench;
  await putTransfer(bench, height, { kind, token: address, from: ZERO, to: SOMEBODY, tokenId, value: 5n });
  await put(evmHoldings, { chain: CHAIN, holder: SOMEBODY, kind, token: address, tokenId: tokenIdKey(tokenId) }, { balance });
  if (kind === ERC721)
    await put(evmNfts, { chain: CHAIN, token: COIN, tokenId: tokenIdKey(tokenId) }, { kind, owner: SOMEBODY, supply: 1n });
}

const verdict = async ({ store }: WorkBench) => (await store.get(evmTokenChecks, { chain: CHAIN, token: COIN }))?.verdict;

/** Until nothing is due. */
async function runOut(work: BalanceWork): Promise<void> {
  while (await work.step(signal));
}

test.each([
  ["ERC-20 that agrees", ERC20, "balanceOf(address)", 5n, 0],
  ["ERC-20 that differs", ERC20, "balanceOf(address)", 6n, 1],
  ["ERC-20 that does not answer", ERC20, "balanceOf(address)", undefined, 2],
  ["ERC-721 that agrees", ERC721, "ownerOf(uint256)", BigInt(`0x${SOMEBODY}`), 0],
  ["ERC-721 with another owner", ERC721, "ownerOf(uint256)", 1n, 1],
  ["ERC-721 that does not answer", ERC721, "ownerOf(uint256)", undefined, 2],
  ["ERC-1155 that agrees", ERC1155, "balanceOf(address,uint256)", 5n, 0],
  ["ERC-1155 that differs", ERC1155, "balanceOf(address,uint256)", 0n, 1],
] as const)("the verdict on an %s is given at the block that is indexed", async (_, kind, question, said, expected) => {
  await withWorkBench(async (bench) => {
    await head(bench, 7n);
    await token(bench, kind);
    await transfer(bench, 3n, kind, { tokenId: kind === ERC20 ? 0n : 9n });
    if (said !== undefined) bench.answers.set(asks(question), numberAnswer(said));
    await runOut(new BalanceWork(bench.parts));
    expect(await bench.store.get(evmTokenChecks, { chain: CHAIN, token: COIN })).toEqual({
      verdict: expected,
      height: 7n,
      samples: 1,
      checkedAt: bench.now,
    });
    expect(bench.asked.map(({ params }) => params[1])).toEqual(["0x7"]);
  });
});

test("A contract is compared by what it moves now, whatever its first logs were of", async () => {
  await withWorkBench(async (bench) => {
    await head(bench, 7n);
    await token(bench, ERC1155);
    await transfer(bench, 3n, ERC721, { tokenId: 9n });
    await runOut(new BalanceWork(bench.parts));
    expect(await verdict(bench)).toBe(2);
  });
});

test.each([
  [1n, 0],
  [undefined, 2],
])("A collection of which nothing is left is one if it counts what somebody has (answer %s)", async (said, expected) => {
  await withWorkBench(async (bench) => {
    await head(bench, 7n);
    await token(bench, ERC721);
    await putTransfer(bench, 3n, { kind: ERC721, token: COIN, from: SOMEBODY, to: ZERO, tokenId: 9n, value: 1n });
    if (said !== undefined) bench.answers.set(asks("balanceOf(address)"), numberAnswer(said));
    await runOut(new BalanceWork(bench.parts));
    expect(await verdict(bench)).toBe(expected);
  });
});

test.each([
  ["ERC-20", ERC20, "balanceOf(address)", 0n, 0],
  ["ERC-20", ERC20, "balanceOf(address)", undefined, 2],
  ["ERC-721", ERC721, "balanceOf(address)", 0n, 0],
  ["ERC-721", ERC721, "balanceOf(address)", undefined, 2],
  ["ERC-1155", ERC1155, "balanceOf(address,uint256)", 0n, 0],
  ["ERC-1155", ERC1155, "balanceOf(address,uint256)", undefined, 2],
] as const)("An %s of which only nobody gave anything to nobody is a token if it counts what somebody has", async (...row) => {
  const [, kind, question, said, expected] = row;
  await withWorkBench(async (bench) => {
    await head(bench, 7n);
    await token(bench, kind);
    await putTransfer(bench, 3n, { kind, token: COIN, from: ZERO, to: ZERO, tokenId: 9n, value: 1n });
    if (said !== undefined) bench.answers.set(asks(question), numberAnswer(said));
    await runOut(new BalanceWork(bench.parts));
    expect(await verdict(bench)).toBe(expected);
  });
});

test("A token that blocks brought which replaced others is compared, though the chain was never seen shorter", async () => {
  await withWorkBench(async (bench) => {
    await head(bench, 7n);
    const work = new BalanceWork(bench.parts);
    await runOut(work);
    // two blocks undone, three indexed, at once
    await head(bench, 8n, "b2".repeat(32), { commits: 12n });
    await token(bench, ERC20);
    await transfer(bench, 6n, ERC20);
    await runOut(work);
    expect(await verdict(bench)).toBe(2);
  });
});

test("A token that somebody owes of lies, even if this balance agrees", async () => {
  await withWorkBench(async (bench) => {
    await head(bench, 7n);
    await token(bench, ERC20, { hasDebts: true });
    await transfer(bench, 3n, ERC20);
    bench.answers.set(asks("balanceOf(address)"), numberAnswer(5n));
    await runOut(new BalanceWork(bench.parts));
    expect(await verdict(bench)).toBe(1);
  });
});

test("A token is compared again after it has changed, not before a minute is over, and once it lied it is a liar", async () => {
  await withWorkBench(async (bench) => {
    await head(bench, 7n);
    await token(bench, ERC20);
    await transfer(bench, 3n, ERC20);
    bench.answers.set(asks("balanceOf(address)"), numberAnswer(5n));
    const work = new BalanceWork(bench.parts);
    await runOut(work);
    expect(await verdict(bench)).toBe(0);
    // nothing changed: nothing is asked
    bench.now += 100_000n;
    await runOut(work);
    expect(bench.asked).toHaveLength(1);

    await transfer(bench, 8n, ERC20, { balance: 6n });
    await head(bench, 8n);
    await runOut(work);
    expect([await verdict(bench), bench.asked.length]).toEqual([1, 2]);
    bench.answers.set(asks("balanceOf(address)"), numberAnswer(7n));
    await transfer(bench, 9n, ERC20, { balance: 7n });
    await head(bench, 9n);
    bench.now += 59n;
    await runOut(work);
    expect(bench.asked).toHaveLength(2);
    bench.now += 1n;
    await runOut(work);
    expect([await verdict(bench), bench.asked.length]).toEqual([1, 3]);
  });
});

test("Tokens that have changed since they were compared are compared after a start, others are not", async () => {
  await withWorkBench(async (bench) => {
    await head(bench, 7n);
    await token(bench, ERC20);
    await transfer(bench, 3n, ERC20);
    bench.answers.set(asks("balanceOf(address)"), numberAnswer(5n));
    await runOut(new BalanceWork(bench.parts));
    await runOut(new BalanceWork(bench.parts));
    expect(bench.asked).toHaveLength(1);
    await head(bench, 8n);
    await transfer(bench, 8n, ERC20);
    bench.now += 3600n;
    await runOut(new BalanceWork(bench.parts));
    expect(bench.asked).toHaveLength(2);
  });
});

test("Nothing is compared while the index is far behind", async () => {
  await withWorkBench(async (bench) => {
    const upstream = { headTimestamp: 0n, seenAt: 0n, problem: "" };
    await head(bench, 7n);
    await token(bench, ERC20);
    await transfer(bench, 3n, ERC20);
    bench.answers.set(asks("balanceOf(address)"), numberAnswer(5n));
    const work = new BalanceWork(bench.parts);
    await bench.put(evmUpstreams, { chain: CHAIN }, { ...upstream, headHeight: 24n });
    await runOut(work);
    expect(bench.asked).toEqual([]);
    await bench.put(evmUpstreams, { chain: CHAIN }, { ...upstream, headHeight: 23n });
    await runOut(work);
    expect(await verdict(bench)).toBe(0);
  });
});

test("A block that was replaced meanwhile proves nothing: the token is compared again", async () => {
  await withWorkBench(async (bench) => {
    await head(bench, 7n);
    await token(bench, ERC20);
    await transfer(bench, 3n, ERC20);
    bench.answers.set(asks("balanceOf(address)"), numberAnswer(6n));
    class ReplacingReader extends ContractReader {
      override async askEach(...args: Parameters<ContractReader["askEach"]>) {
        const answers = await super.askEach(...args);
        await head(bench, 7n, "b2".repeat(32));
        return answers;
      }
    }
    const work = new BalanceWork({ ...bench.parts, reader: new ReplacingReader(bench.parts.rpc, undefined) });
    await runOut(work);
    expect(await verdict(bench)).toBeUndefined();
    bench.now += 60n;
    await runOut(work);
    // the second time the hash is the same before and after
    expect(await verdict(bench)).toBe(1);
  });
});

test("A node without the block's state proves nothing either", async () => {
  await withWorkBench(async (bench) => {
    await head(bench, 7n);
    await token(bench, ERC20);
    await transfer(bench, 3n, ERC20);
    bench.answers.set(asks("balanceOf(address)"), numberAnswer(5n));
    class ForgetfulReader extends ContractReader {
      hasState = false;
      override askEach(...args: Parameters<ContractReader["askEach"]>) {
        return this.hasState ? super.askEach(...args) : Promise.reject(new NoStateError(7n, new Error("pruned")));
      }
    }
    const reader = new ForgetfulReader(bench.parts.rpc, undefined);
    const work = new BalanceWork({ ...bench.parts, reader });
    await runOut(work);
    expect(await verdict(bench)).toBeUndefined();
    reader.hasState = true;
    bench.now += 60n;
    await runOut(work);
    expect(await verdict(bench)).toBe(0);
  });
});

test("comparing a token reads no more rows when it has more transfers", async () => {
  await withWorkBench(async (bench) => {
    const readsAfter = async (from: bigint, to: bigint) => {
      for (let height = from; height <= to; height++) await transfer(bench, height, ERC20);
      await head(bench, to);
      const counting = new CountingReader(bench.store);
      const found = await collectSamples(counting, CHAIN, COIN);
      expect(found?.samples).toHaveLength(1);
      return counting.reads;
    };
    await token(bench, ERC20);
    // the newest 100 are at the same places of their windows
    const few = await readsAfter(1n, 128n);
    expect(await readsAfter(129n, 384n)).toBe(few);
    expect(few).toBeLessThanOrEqual(2 + 2 * 100 + 32 + 1);
  });
});

test("Many tokens are compared no faster than four a second after the first hundred or so", async () => {
  await withWorkBench(async (bench) => {
    bench.answers.set(asks("balanceOf(address)"), numberAnswer(5n));
    for (let i = 1n; i <= 150n; i++) {
      const address = i.toString(16).padStart(40, "0");
      await token(bench, ERC20, { address });
      await transfer(bench, i, ERC20, { address });
    }
    await head(bench, 150n);
    const work = new BalanceWork(bench.parts);
    await runOut(work);
    expect(bench.asked).toHaveLength(128);
    bench.now += 1n;
    await runOut(work);
    expect(bench.asked).toHaveLength(132);
    bench.now += 10n;
    await runOut(work);
    expect(bench.asked).toHaveLength(150);
  });
});
