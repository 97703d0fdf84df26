/** Contracts that were deployed on a replaced branch. */
import { readFileSync } from "node:fs";
import { type Abi, encodeDeployData, getContractAddress, type Hex } from "viem";
import { expect, test } from "vitest";
import { ReadWriteLock } from "../../../src/base/work/read-write-lock.ts";
import { ERC20 } from "../../../src/evm/facts.ts";
import { startAnvil } from "../../evm/anvil.ts";
import { eventuallyHolds } from "../../patience.ts";
import { openLiveIndex } from "./live-index.ts";

const artifacts = JSON.parse(readFileSync(new URL("../../evm/workload/artifacts.json", import.meta.url), "utf8")) as Record<
  string,
  { readonly abi: Abi; readonly bytecode: Hex }
>;

test("a contract that the new branch does not deploy has neither name nor kind, one that it deploys in its place has its own", async () => {
  const anvil = await startAnvil();
  const index = await openLiveIndex({ url: anvil.url, maxReorgDepth: 16, lock: new ReadWriteLock() });
  try {
    const [from, other] = (await anvil.call("eth_accounts")) as [Hex, Hex];
    const deploy = (sender: Hex, name: string, ...args: unknown[]) =>
      anvil.call("eth_sendTransaction", { from: sender, data: encodeDeployData({ ...artifacts[name]!, args }), gas: "0x5b8d80" });
    const mine = async (blocks: number) => {
      for (let block = 0; block < blocks; block++) await anvil.call("evm_mine");
      await index.untilAt(((await anvil.call("eth_getBlockByNumber", "latest", false)) as { hash: string }).hash);
    };
    const [replaced, gone] = [from, other].map((sender) => getContractAddress({ from: sender, nonce: 0n })) as [Hex, Hex];
    const names = async () =>
      (await Promise.all([replaced, gone].map((contract) => index.metadata(contract)))).map((row) => row && [row.kind, row.name]);
    await mine(1);
    const snapshot = await anvil.call("evm_snapshot");
    await deploy(from, "Coin", "First", "F", 6, 1000n, from);
    await deploy(other, "Coin", "Gone", "G", 6, 1000n, other);
    await mine(2);
    await eventuallyHolds(async () =>
      expect(await names()).toEqual([
        [ERC20, "First"],
        [ERC20, "Gone"],
      ]),
    );
    await anvil.call("evm_revert", snapshot);
    await deploy(from, "Coin", "Second", "S", 6, 1000n, from);
    await mine(3);
    await eventuallyHolds(async () =>
      expect(await names()).toEqual([
        [ERC20, "Second"],
        [0, undefined],
      ]),
    );
  } finally {
    await index.close();
    await anvil.stop();
  }
});
