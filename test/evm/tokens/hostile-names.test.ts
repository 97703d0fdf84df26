import fc from "fast-check";
import { expect, test } from "vitest";
import { getContractMetadata } from "../../../src/api/data/evm/contracts/get-metadata.ts";
import { responseWriter } from "../../../src/api/data/response-writer.ts";
import { evmContractQueue } from "../../../src/evm/index/token-tables.ts";
import { MAX_NAME_BYTES } from "../../../src/evm/tokens/contract-metadata.ts";
import { MetadataWork } from "../../../src/evm/tokens/metadata-work.ts";
import { askedOf, evmChain } from "../../api/data/evm/evm-chain.ts";
import { ask } from "../../api/data/staking/request.ts";
import { asks, CHAIN, numberAnswer, textAnswer, type WorkBench, withWorkBench } from "./work-parts.ts";

const COIN = "c0".repeat(20);
const MAX_WORD = 2n ** 256n - 1n;
const signal = new AbortController().signal;

/** The contract as a client gets it, after it was asked. */
async function shown(bench: WorkBench): Promise<{ text: string; contract: Record<string, unknown> }> {
  await bench.put(evmContractQueue, { chain: CHAIN, dueAt: 0n, contract: COIN }, {});
  await new MetadataWork(bench.parts).step(signal);
  const chain = askedOf(evmChain({ chain: CHAIN }));
  const { body } = await ask(getContractMetadata, bench.store, chain, {}, { params: { address: `0x${COIN}` } });
  const text = responseWriter(getContractMetadata.response)(body);
  return { text, contract: JSON.parse(text) as Record<string, unknown> };
}

/** As much of it as is kept: whole characters. */
function kept(text: string): string {
  let end = "";
  for (const character of text) {
    if (Buffer.byteLength(end + character) > MAX_NAME_BYTES) break;
    end += character;
  }
  return end;
}

const hostile = fc.constantFrom(
  "\0",
  "\n",
  '"',
  "\\",
  "\u001b[2J",
  "\u202e",
  "\u2028",
  "\ufeff",
  "\ufffd",
  "</script>",
  "\u{1f525}",
  "\u007f",
);
const names = fc.array(fc.oneof(hostile, fc.string({ unit: "binary" })), { maxLength: 80 }).map((parts) => parts.join(""));

test("Whatever a contract calls itself is shown as it says, in JSON, to 256 bytes", async () => {
  await withWorkBench(async (bench) => {
    bench.answers.set(asks("decimals()"), numberAnswer(6n));
    bench.answers.set(asks("balanceOf(address)"), numberAnswer(0n));
    await fc.assert(
      fc.asyncProperty(names, names, async (name, symbol) => {
        bench.answers.set(asks("name()"), textAnswer(name));
        bench.answers.set(asks("symbol()"), textAnswer(symbol));
        const { text, contract } = await shown(bench);
        expect([contract.name ?? "", contract.symbol ?? ""]).toEqual([kept(name), kept(symbol)]);
        // six characters for each byte that JSON spells out
        expect(text.length).toBeLessThan(2 * 6 * MAX_NAME_BYTES + 300);
      }),
      { numRuns: 100 },
    );
  });
});

test.each([
  ["a gigantic text", textAnswer("x".repeat(500_000)), "x".repeat(MAX_NAME_BYTES)],
  ["no UTF-8", textAnswer("x").replace(/78$/, "ff"), undefined],
  ["half a surrogate", textAnswer("xxx").replace(/787878$/, "eda080"), undefined],
  ["a length beyond its answer", `0x${"20".padStart(64, "0")}${"f".repeat(64)}78`, undefined],
  ["a place beyond its answer", numberAnswer(MAX_WORD).padEnd(200, "0"), undefined],
  ["nothing", "0x", undefined],
])("A contract that answers %s to name(), and numbers that nothing has, is shown without nonsense", async (_, answer, name) => {
  await withWorkBench(async (bench) => {
    bench.answers.set(asks("name()"), answer);
    for (const question of ["decimals()", "totalSupply()", "balanceOf(address)"]) bench.answers.set(asks(question), numberAnswer(MAX_WORD));
    const { contract } = await shown(bench);
    expect([contract.name, contract.symbol, contract.decimals, contract.ercType]).toEqual([name, undefined, 0, "ERC-20"]);
  });
});
