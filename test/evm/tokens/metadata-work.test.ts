import { expect, test } from "vitest";
import { ERC20, ERC721 } from "../../../src/evm/facts.ts";
import { evmContracts, evmTokens } from "../../../src/evm/index/tables.ts";
import { evmContractMetadata, evmContractQueue, evmTokenRevisions } from "../../../src/evm/index/token-tables.ts";
import { ContractReader } from "../../../src/evm/tokens/contract-reader.ts";
import { MetadataWork } from "../../../src/evm/tokens/metadata-work.ts";
import { rowChange } from "../../../src/evm/tokens/token-commits.ts";
import { UpstreamError } from "../../../src/sources/upstream/upstream-error.ts";
import { asks, CHAIN, numberAnswer, textAnswer, type WorkBench, withWorkBench } from "./work-parts.ts";

const COIN = "c0".repeat(20);
const PLAIN = "1a".repeat(20);
const DAY = 86_400n;
const signal = new AbortController().signal;

const queued = (contract: string, dueAt = 0n) => ({ chain: CHAIN, dueAt, contract });
const row = ({ store }: WorkBench, contract: string) => store.get(evmContractMetadata, { chain: CHAIN, contract });

function coinAnswers({ answers }: WorkBench, name: string): void {
  answers.set(asks("name()", COIN), textAnswer(name));
  answers.set(asks("decimals()", COIN), numberAnswer(6n));
  answers.set(asks("balanceOf(address)", COIN), numberAnswer(0n));
}

test("Tokens are asked at once and every day, other contracts once", async () => {
  await withWorkBench(async (bench) => {
    coinAnswers(bench, "Coin");
    const work = new MetadataWork(bench.parts);
    for (const contract of [COIN, PLAIN]) await bench.put(evmContractQueue, queued(contract), {});
    expect(await work.step(signal)).toBe(true);
    expect(await row(bench, COIN)).toEqual({ kind: ERC20, name: "Coin", symbol: undefined, decimals: 6, checkedAt: bench.now });
    expect(await row(bench, PLAIN)).toEqual({ kind: 0, name: undefined, symbol: undefined, decimals: undefined, checkedAt: bench.now });
    expect(await bench.keys(evmContractQueue)).toEqual([queued(COIN, bench.now + DAY)]);
    expect(await work.step(signal)).toBe(false);

    coinAnswers(bench, "Renamed");
    bench.now += DAY - 1n;
    expect(await work.step(signal)).toBe(false);
    bench.now += 1n;
    expect(await work.step(signal)).toBe(true);
    expect((await row(bench, COIN))?.name).toBe("Renamed");
    expect(await bench.store.get(evmTokenRevisions, { chain: CHAIN })).toEqual({ revision: 2n });
  });
});

test("A contract that was asked meanwhile is not asked again for an old entry", async () => {
  await withWorkBench(async (bench) => {
    coinAnswers(bench, "Coin");
    const work = new MetadataWork(bench.parts);
    await bench.put(evmContractQueue, queued(COIN), {});
    await work.step(signal);
    const first = bench.now + DAY;
    // created a second time: asked at once
    bench.now += 100n;
    await bench.put(evmContractQueue, queued(COIN), {});
    await work.step(signal);
    expect(await bench.keys(evmContractQueue)).toEqual([queued(COIN, first), queued(COIN, bench.now + DAY)]);
    const { length } = bench.asked;
    bench.now = first;
    expect(await work.step(signal)).toBe(true);
    expect(bench.asked).toHaveLength(length);
    expect(await bench.keys(evmContractQueue)).toEqual([queued(COIN, first + 100n)]);
  });
});

test("A contract that breaks the node is asked again in an hour, and holds up no other", async () => {
  await withWorkBench(async (bench) => {
    coinAnswers(bench, "Coin");
    bench.broken.add(PLAIN);
    for (const contract of [PLAIN, COIN]) await bench.put(evmContractQueue, queued(contract), {});
    const work = new MetadataWork(bench.parts);
    expect(await work.step(signal)).toBe(true);
    expect((await row(bench, COIN))?.name).toBe("Coin");
    expect(await row(bench, PLAIN)).toBeUndefined();
    expect(await bench.keys(evmContractQueue)).toEqual([queued(PLAIN, bench.now + 3600n), queued(COIN, bench.now + DAY)]);
  });
});

test("Somebody who creates contracts without end holds up neither those of others nor what is asked every day", async () => {
  await withWorkBench(async (bench) => {
    const { store } = bench;
    let made = 0;
    /** whose addresses are the first of the queue, always */
    const flood = async (count: number) => {
      const contracts = Array.from({ length: count }, () => (made++).toString(16).padStart(40, "0"));
      const creation = { height: 1n, index: 0, deployer: "bad0".repeat(10), factory: undefined };
      await store.commit([
        ...contracts.map((contract) => rowChange(evmContracts, { chain: CHAIN, contract }, creation)),
        ...contracts.map((contract) => rowChange(evmContractQueue, queued(contract), {})),
      ]);
    };
    await flood(600);
    await bench.put(evmContractQueue, queued("aa".repeat(20), bench.now - 5n), {});
    const others = Array.from({ length: 12 }, (_, i) => `e${i.toString(16)}`.repeat(20));
    for (const contract of others) {
      const creation = { height: 1n, index: 0, deployer: contract, factory: undefined };
      await bench.put(evmContracts, { chain: CHAIN, contract }, creation);
      await bench.put(evmContractQueue, queued(contract), {});
    }
    const work = new MetadataWork(bench.parts);
    for (let step = 0; step < 5; step++) {
      await work.step(signal);
      await flood(64);
    }
    const waiting = new Set((await store.scan(evmContractQueue, { limit: 2000 })).map(({ key }) => key.contract));
    expect(["aa".repeat(20), ...others].filter((contract) => waiting.has(contract))).toEqual([]);
    // nor is anything of theirs forgotten
    while (await work.step(signal));
    expect(await bench.keys(evmContractQueue)).toEqual([]);
  });
});

test("Everything stays queued while no node answers", async () => {
  await withWorkBench(async (bench) => {
    bench.isDown = true;
    for (const contract of [PLAIN, COIN]) await bench.put(evmContractQueue, queued(contract), {});
    await expect(new MetadataWork(bench.parts).step(signal)).rejects.toThrow("no node answers");
    expect(await bench.keys(evmContractQueue)).toEqual([queued(PLAIN), queued(COIN)]);
  });
});

test("A contract whose first transfer is indexed while it is asked is asked again", async () => {
  await withWorkBench(async (bench) => {
    // neither interfaces nor decimals: only its transfers tell that it is a token
    bench.answers.set(asks("balanceOf(address)", COIN), numberAnswer(0n));
    await bench.put(evmContractQueue, queued(COIN), {});
    class MeetingReader extends ContractReader {
      override async ask(...args: Parameters<ContractReader["ask"]>) {
        const answers = await super.ask(...args);
        const token = { kind: ERC20, isWrapped: false, isClassed: false, hasDebts: false, height: 1n };
        await bench.put(evmTokens, { chain: CHAIN, token: COIN }, token);
        await bench.put(evmContractQueue, queued(COIN), {});
        return answers;
      }
    }
    const { parts } = bench;
    const meeting = { ...parts, reader: new MeetingReader(parts.rpc, undefined) };
    await new MetadataWork(meeting).step(signal);
    expect((await row(bench, COIN))?.kind).toBe(0);
    expect(await bench.keys(evmContractQueue)).toEqual([queued(COIN)]);
    await new MetadataWork(parts).step(signal);
    expect((await row(bench, COIN))?.kind).toBe(ERC20);
  });
});

const TOKEN = { kind: ERC20, isWrapped: false, isClassed: false, hasDebts: false, height: 1n };
const MADE = { height: 1n, index: 0, deployer: PLAIN, factory: undefined };

test.each([
  ["the height of its first transfer", { token: { ...TOKEN, height: 2n }, made: MADE }],
  ["the kind of its transfers", { token: { ...TOKEN, kind: ERC721 }, made: MADE }],
  ["its creation", { token: TOKEN, made: { ...MADE, index: 1 } }],
] as const)("A contract is asked again if a branch that comes while it is asked changes only %s", async (_, branch) => {
  await withWorkBench(async (bench) => {
    const put = async ({ token, made }: typeof branch) => {
      await bench.put(evmTokens, { chain: CHAIN, token: COIN }, token);
      await bench.put(evmContracts, { chain: CHAIN, contract: COIN }, made);
      await bench.put(evmContractQueue, queued(COIN), {});
    };
    coinAnswers(bench, "Coin");
    await put({ token: TOKEN, made: MADE } as typeof branch);
    class ReplacingReader extends ContractReader {
      override async ask(...args: Parameters<ContractReader["ask"]>) {
        const answers = await super.ask(...args);
        await put(branch);
        return answers;
      }
    }
    await new MetadataWork({ ...bench.parts, reader: new ReplacingReader(bench.parts.rpc, undefined) }).step(signal);
    expect(await bench.keys(evmContractQueue)).toContainEqual(queued(COIN));
  });
});

test("work that is broken off because the service stops stays queued, and is not put off", async () => {
  await withWorkBench(async (bench) => {
    for (const contract of [PLAIN, COIN]) await bench.put(evmContractQueue, queued(contract), {});
    const stopping = new AbortController();
    class StoppedReader extends ContractReader {
      override ask(): Promise<never> {
        stopping.abort();
        return Promise.reject(new UpstreamError("aborted", "the caller gave up"));
      }
    }
    const { parts } = bench;
    const work = new MetadataWork({ ...parts, reader: new StoppedReader(parts.rpc, undefined) });
    await expect(work.step(stopping.signal)).rejects.toThrow();
    expect(await bench.keys(evmContractQueue)).toEqual([queued(PLAIN), queued(COIN)]);
  });
});
