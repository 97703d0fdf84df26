/** Random sequences of what tests of contracts do, held against a model that got the same. */
import { rm } from "node:fs/promises";
import { join } from "node:path";
import fc from "fast-check";
import { expect, test } from "vitest";
import { type LocalNetwork, startDevnet } from "../../src/serve/local-network/start.ts";
import { Random } from "../fuzz/mutate.ts";
import { scratchDirectory } from "../store/scratch.ts";
import { killChild } from "./anvil/evm-actions.ts";
import { EvmNetwork } from "./anvil/evm-network.ts";
import { CheatClient, type CheatState } from "./load/cheat-client.ts";

const STEPS = ["edit and send", "mine", "snapshot", "revert", "kill the child", "rebuild from genesis", "restart"] as const;

class Trial {
  #network: LocalNetwork;
  readonly client: CheatClient;
  readonly #snapshots: { readonly id: string; readonly state: CheatState; readonly answered: number }[] = [];

  constructor(network: LocalNetwork, seed: number) {
    this.#network = network;
    this.client = new CheatClient("somebody", { url: () => this.#network.url, random: new Random(seed) });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#network.stop();
  }

  async take(step: (typeof STEPS)[number]): Promise<void> {
    const { devnet, dataDirectory } = this.#network;
    const evm = EvmNetwork.of(devnet, dataDirectory);
    if (step === "edit and send") {
      const until = this.client.done + 3;
      await this.client.run(() => this.client.done < until);
    } else if (step === "mine") await devnet.mineEvm(1, 0n);
    else if (step === "snapshot") {
      const { state, answered } = this.client;
      this.#snapshots.push({ id: await devnet.snapshot({ isForOnce: true }), state, answered });
    } else if (step === "revert") {
      const snapshot = this.#snapshots.pop();
      if (snapshot === undefined) return;
      await devnet.revert(snapshot.id, { usesUp: true });
      expect(await this.client.goBackTo(snapshot.state, snapshot.answered)).toBe(true);
    } else if (step === "kill the child") await killChild(evm);
    else if (step === "rebuild from genesis") {
      await evm.evm.totalBalance();
      await rm(join(dataDirectory, "c-chain"), { recursive: true });
      await evm.evm.rebuild();
    } else {
      await this.#network.stop();
      this.#network = await startDevnet({ dataDirectory });
    }
  }
}

test("accounts are as a model has them, whatever was set, sent, reverted, killed and started again", async () => {
  await fc.assert(
    fc.asyncProperty(fc.nat(), fc.array(fc.constantFrom(...STEPS), { minLength: 4, maxLength: 14 }), async (seed, steps) => {
      await using trial = new Trial(await startDevnet({ dataDirectory: scratchDirectory() }), seed);
      await trial.client.prepare();
      for (const step of ["edit and send", ...steps] as const) {
        await trial.take(step);
        await trial.client.check();
      }
    }),
    { numRuns: Number(process.env.FIRN_EVM_RUNS ?? 3) },
  );
});
