import { expect, test } from "vitest";
import type { Change } from "../../src/base/table/table.ts";
import { verifyStore } from "../../src/cli/verify/verify-store.ts";
import { evmAddedGas, evmEdits, evmPriceExponents, evmSenders } from "../../src/devnet/anvil/tables.ts";
import { openStore } from "../../src/store/open.ts";
import { scratchDirectory } from "../store/scratch.ts";
import { actNamed } from "./anvil/evm-actions.ts";
import { EvmNetwork } from "./anvil/evm-network.ts";

test("firn verify finds a devnet sound after edits and unsigned transactions, and says which edit or block is missing", async () => {
  const network = await EvmNetwork.start({ directory: scratchDirectory() });
  await actNamed(network, "edits accounts", "sends for a contract without its signature", "pays", "edits accounts");
  const { directory } = network;
  const chainId = network.devnet.network.cChainId;
  const tip = BigInt((await network.ask("eth_blockNumber")) as string);
  await network.devnet.stop();
  const problems = async () => {
    const verdict = await verifyStore({
      directory,
      scratch: scratchDirectory(),
      replayMs: undefined,
      signal: new AbortController().signal,
    });
    return verdict.problems;
  };
  expect(await problems()).toEqual([]);
  const sender = { address: "11".repeat(20), kind: 7, slot: "00".repeat(32), data: Buffer.alloc(0) };
  const changes = [
    { table: evmEdits, key: { chainId, height: tip, index: 1 }, value: undefined },
    { table: evmEdits, key: { chainId, height: 99n, index: 0 }, value: sender },
    { table: evmSenders, key: { chainId, height: 98n, index: 3 }, value: { sender: "11".repeat(20) } },
    { table: evmAddedGas, key: { chainId, height: 97n, index: 2 }, value: { gas: 5n } },
    { table: evmPriceExponents, key: { chainId, height: 97n }, value: { exponent: 5n } },
  ] as Change[];
  const store = await openStore({ directory, mode: "write" });
  await store.commit(changes);
  await store.close();
  expect(await problems()).toEqual([
    `an edit before edit 2 after block ${tip} of chain ${chainId} is missing`,
    `edit 0 after block 99 of chain ${chainId} is of an unknown kind 7`,
    `an edit follows block 99 of chain ${chainId}, which is missing`,
    `the sender of transaction 3 is known of block 98 of chain ${chainId}, which is missing`,
    `gas was added to transaction 2 of block 97 of chain ${chainId}, which is missing`,
    `the minimum price is known of block 97 of chain ${chainId}, which is missing`,
  ]);
});
