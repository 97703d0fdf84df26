import { readFileSync } from "node:fs";
import { pino } from "pino";
import { type Abi, encodeDeployData, encodeFunctionData, getContractAddress, type Hex } from "viem";
import { expect, test } from "vitest";
import { openEvmRpc } from "../../../src/evm/rpc/open-evm-rpc.ts";
import { BlockFetcher } from "../../../src/source/evm/block-fetcher.ts";
import { recordingFolder } from "../../conformance/recordings.ts";
import { startAnvil } from "../../evm/anvil.ts";
import { startReplayRpc } from "../../evm/replay-rpc/replay-rpc.ts";

interface Artifact {
  readonly abi: Abi;
  readonly bytecode: Hex;
}

const artifacts = JSON.parse(readFileSync(new URL("../../evm/workload/artifacts.json", import.meta.url), "utf8")) as Record<
  string,
  Artifact
>;
const log = pino({ level: "silent" });
const GAS = "0x3d0900";

test("failed creations by a contract have the addresses that they would have had, by nonce and by salt", async () => {
  const anvil = await startAnvil();
  const rpc = openEvmRpc({ urls: [anvil.url], log });
  try {
    const [from] = (await anvil.call("eth_accounts")) as string[];
    const deployed = await anvil.call("eth_sendTransaction", {
      from,
      data: encodeDeployData({ ...artifacts.Factory!, args: [] }),
      gas: GAS,
    });
    await anvil.call("evm_mine");
    const { contractAddress: factory } = (await anvil.call("eth_getTransactionReceipt", deployed)) as { contractAddress: Hex };
    const make = (functionName: "make" | "make2", code: Hex, ...salt: Hex[]) =>
      anvil.call("eth_sendTransaction", {
        from,
        to: factory,
        data: encodeFunctionData({ abi: artifacts.Factory!.abi, functionName, args: [code, 0n, ...salt] }),
        gas: GAS,
      });
    const good = encodeDeployData({ ...artifacts.OldNft!, args: [] });
    const failing = artifacts.FailingCreation!.bytecode;
    const [one, two] = ["0x01", "0xff02"].map((salt) => `0x${salt.slice(2).padStart(64, "0")}` as Hex);
    await make("make", good);
    await anvil.call("evm_mine");
    // the second one meets the address of the first; a failed call of the factory takes its nonce back
    for (const salt of [one!, one!, two!]) await make("make2", salt === two ? failing : good, salt);
    await make("make", failing);
    await anvil.call("evm_mine");
    const [block] = await new BlockFetcher(rpc, log, { traces: true }).fetch(3n, 1, 3n, new AbortController().signal);
    const frames = block!.transactions.map(({ frames: [frame] }) => ({ to: `0x${frame!.to}`, isReverted: frame!.isReverted }));
    const bySalt = (salt: Hex, bytecode: Hex) => getContractAddress({ opcode: "CREATE2", from: factory, salt, bytecode }).toLowerCase();
    expect(frames).toEqual([
      { to: bySalt(one!, good), isReverted: false },
      { to: bySalt(one!, good), isReverted: true },
      { to: bySalt(two!, failing), isReverted: true },
      { to: getContractAddress({ from: factory, nonce: 3n }).toLowerCase(), isReverted: true },
    ]);
  } finally {
    await rpc.close();
    await anvil.stop();
  }
});

test("blocks are read also where no node tells the salt of a failed creation", async () => {
  const node = await startReplayRpc({ recording: recordingFolder("evm-anvil-1") });
  const rpc = openEvmRpc({ urls: [node.url], log });
  try {
    const blocks = await new BlockFetcher(rpc, log, { traces: true }).fetch(
      0n,
      node.head + 1,
      BigInt(node.head),
      new AbortController().signal,
    );
    expect(blocks.length).toBe(node.head + 1);
    const creations = blocks.flatMap(({ transactions }) =>
      transactions.flatMap(({ frames }) => frames.filter(({ type }) => type === "CREATE2")),
    );
    expect(creations.filter(({ to }) => to === "0".repeat(40)).map(({ isReverted }) => isReverted)).toEqual([true, true]);
    expect(creations.length).toBeGreaterThan(5);
  } finally {
    await rpc.close();
    await node.close();
  }
});
