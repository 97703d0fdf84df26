import { describe, expect, test } from "vitest";
import { parseAtomicTx } from "../../../src/chains/atomic/tx.ts";
import { mainnetImport } from "../../chains/atomic/vectors.ts";
import { EvmNetwork } from "./evm-network.ts";

/** Resolves when everything that needs no further event has happened. */
const settled = () => new Promise<void>((resolve) => setImmediate(resolve));

describe("a request to the EVM", () => {
  test("waits from the sealing of a block to its commit, and does not see it if there is none", async () => {
    const network = await EvmNetwork.start();
    const vector = parseAtomicTx(mainnetImport.bytes);
    await network.evm.ready();
    const sealed = await network.evm.sealing.seal(network.devnet.clock.seconds(), [vector]);
    expect(sealed?.height).toBe(1n);
    let isAnswered = false;
    const height = network.ask("eth_blockNumber").finally(() => {
      isAnswered = true;
    });
    // the child itself would have answered by then
    await network.evm.sealing.accounts(["0".repeat(40)]);
    await settled();
    expect(isAnswered).toBe(false);
    await network.evm.rebuild();
    expect(await height).toBe("0x0");
  });

  test("finds no block sealed by the rules of another era before the last one is committed", async () => {
    const network = await EvmNetwork.start({ upgrades: "durango,etna=+10m" });
    const vector = parseAtomicTx(mainnetImport.bytes);
    await network.evm.ready();
    const now = network.devnet.clock.seconds();
    expect(await network.evm.sealing.seal(now, [vector])).toBeDefined();
    expect(await network.evm.sealing.seal(now + 600n, [vector])).toBeUndefined();
    await network.evm.rebuild();
    expect((await network.evm.sealing.seal(now + 600n, [vector]))?.height).toBe(1n);
    await network.evm.rebuild();
  });
});
