/** Multicall3 of a devnet's genesis, beside the one that viem deploys where a chain has none. */
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import fc from "fast-check";
import { type Abi, createPublicClient, decodeFunctionResult, encodeFunctionData, type Hex, http, multicall3Abi, parseAbi } from "viem";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { MULTICALL_FILE, multicallText } from "../../scripts/compile-contracts.ts";
import { type LocalNetwork, startDevnet } from "../../src/serve/local-network/start.ts";
import { call } from "./json-rpc.ts";

const OURS = "0xcA11bde05977b3631167028862bE2a173976CA11";
const THEIRS = `0x${"c0".repeat(20)}` as const;
/** answers its input, and keeps what it is paid */
const ECHO = `0x${"e0".repeat(20)}` as const;
/** reverts with its input */
const REVERTING = `0x${"e1".repeat(20)}` as const;
const CALLER = "0x8db97C7cEcE249c2b98bDC0226Cc4C2A57BF52FC";

const abi: Abi = [
  ...multicall3Abi,
  ...parseAbi([
    "struct Call { address target; bytes callData; }",
    "struct Call3Value { address target; bool allowFailure; uint256 value; bytes callData; }",
    "struct Result { bool success; bytes returnData; }",
    "function aggregate(Call[] calls) payable returns (uint256 blockNumber, bytes[] returnData)",
    "function tryAggregate(bool requireSuccess, Call[] calls) payable returns (Result[] returnData)",
    "function tryBlockAndAggregate(bool requireSuccess, Call[] calls) payable returns (uint256 blockNumber, bytes32 blockHash, Result[] returnData)",
    "function blockAndAggregate(Call[] calls) payable returns (uint256 blockNumber, bytes32 blockHash, Result[] returnData)",
    "function aggregate3Value(Call3Value[] calls) payable returns (Result[] returnData)",
    "function getBlockHash(uint256 blockNumber) view returns (bytes32 blockHash)",
    "function getLastBlockHash() view returns (bytes32 blockHash)",
    "function getBlockNumber() view returns (uint256 blockNumber)",
    "function getCurrentBlockCoinbase() view returns (address coinbase)",
    "function getCurrentBlockDifficulty() view returns (uint256 difficulty)",
    "function getCurrentBlockGasLimit() view returns (uint256 gaslimit)",
    "function getBasefee() view returns (uint256 basefee)",
    "function getChainId() view returns (uint256 chainid)",
  ]),
];

let network: LocalNetwork;
let overrides: Record<string, { code: Hex }>;
beforeAll(async () => {
  network = await startDevnet();
  await network.mine();
  const viem = dirname(createRequire(import.meta.url).resolve("viem/package.json"));
  const { multicall3Bytecode } = (await import(join(viem, "_esm/constants/contracts.js"))) as { multicall3Bytecode: Hex };
  const { result } = await ask("eth_call", { data: multicall3Bytecode }, "latest");
  overrides = {
    [THEIRS]: { code: result as Hex },
    [ECHO]: { code: "0x365f5f37365ff3" },
    [REVERTING]: { code: "0x365f5f37365ffd" },
  };
});
afterAll(() => network?.stop());

const ask = (method: string, ...params: unknown[]) => call(network.url, { path: "/ext/bc/C/rpc", method, params });
/** What a contract answers: the result, or the error with its data. The one that viem deploys has zeros after the data of some errors. */
async function said(to: Hex, data: Hex, value: bigint): Promise<unknown> {
  const reply = await ask("eth_call", { from: CALLER, to, data, value: `0x${value.toString(16)}` }, "latest", overrides);
  if (reply.error === undefined) return reply.result;
  const { data: reason = "", ...error } = reply.error as { data?: string };
  return { ...error, reason: reason.replace(/(?:00)+$/, "") };
}

test("the committed bytecode is what the compiler makes of the source", () => {
  expect(readFileSync(MULTICALL_FILE, "utf8")).toBe(multicallText());
});

describe("each function answers as the contract that viem deploys", () => {
  const targets = fc.constantFrom<Hex>(ECHO, REVERTING, `0x${"77".repeat(20)}`, OURS);
  const callData = fc.uint8Array({ maxLength: 100 }).map((bytes): Hex => `0x${Buffer.from(bytes).toString("hex")}`);
  const calls = fc.array(fc.record({ target: targets, callData, allowFailure: fc.boolean(), value: fc.bigInt(0n, 3n) }), { maxLength: 5 });

  test.each(["aggregate", "tryAggregate", "tryBlockAndAggregate", "blockAndAggregate", "aggregate3", "aggregate3Value"])(
    "%s",
    async (functionName) => {
      await fc.assert(
        fc.asyncProperty(calls, fc.boolean(), fc.bigInt(-1n, 1n), async (made, requireSuccess, more) => {
          const args = functionName.startsWith("try") ? [requireSuccess, made] : [made];
          const sum = functionName === "aggregate3Value" ? made.reduce((total, { value }) => total + value, 0n) : 0n;
          const data = encodeFunctionData({ abi, functionName, args });
          const value = sum + more < 0n ? 0n : sum + more;
          expect(await said(OURS, data, value)).toEqual(await said(THEIRS, data, value));
        }),
        { numRuns: 40 },
      );
    },
  );

  test.each([
    ["getBlockNumber"],
    ["getBlockHash", 0n],
    ["getBlockHash", 5n],
    ["getLastBlockHash"],
    ["getCurrentBlockCoinbase"],
    ["getCurrentBlockDifficulty"],
    ["getCurrentBlockGasLimit"],
    ["getCurrentBlockTimestamp"],
    ["getEthBalance", CALLER],
    ["getBasefee"],
    ["getChainId"],
  ])("%s %s", async (functionName, ...args) => {
    const data = encodeFunctionData({ abi, functionName, args });
    const answer = await said(OURS, data, 0n);
    expect(answer).toEqual(await said(THEIRS, data, 0n));
    expect(decodeFunctionResult({ abi, functionName, data: answer as Hex })).toBeDefined();
    // it takes no payment
    expect(await said(OURS, data, 1n)).toEqual(await said(THEIRS, data, 1n));
  });

  test("input of no function", async () => {
    for (const data of ["0x", "0x00", "0x12345678", "0x252dba42", `0x82ad56cb${"ff".repeat(32)}`] as const) {
      expect(await said(OURS, data, 0n)).toEqual(await said(THEIRS, data, 0n));
    }
  });
});

test("viem's multicall finds it", async () => {
  const client = createPublicClient({ transport: http(network.urls.C) });
  const contract = { address: OURS, abi: multicall3Abi, functionName: "getEthBalance" } as const;
  const results = await client.multicall({
    multicallAddress: OURS,
    contracts: [
      { ...contract, args: [CALLER] },
      { ...contract, args: [ECHO] },
    ],
  });
  expect(results).toEqual([
    { status: "success", result: 50_000_000n * 10n ** 18n },
    { status: "success", result: 0n },
  ]);
});
