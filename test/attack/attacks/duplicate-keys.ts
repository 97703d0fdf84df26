import type { Attack } from "../attack.ts";

const COUNTS = [150_000, 5_000_000];

export const duplicateKeys: Attack = {
  name: "duplicate-keys",
  does: "posts objects with up to 5 million members of one name, and with as many names",
  targets: ["serve", "devnet"],
  async run(attacker) {
    const bodies = COUNTS.flatMap((count) => [
      `{"jsonrpc":"2.0","id":1,"method":"platform.getHeight","params":{${'"a":1,'.repeat(count)}"a":1}}`,
      `{${'"a":1,'.repeat(count)}"method":"platform.getHeight"}`,
      `{"jsonrpc":"2.0","id":1,"method":"platform.getHeight","params":{${Array.from({ length: count / 10 }, (_, i) => `"${i}":1`).join()}}}`,
    ]);
    await attacker.again(2, (turn) => attacker.post(turn % 4 === 0 ? "/ext/bc/C/rpc" : "/ext/bc/P", bodies[turn % bodies.length]!));
  },
};
