import { encodeBech32 } from "../../../src/base/bytes/address.ts";
import type { Attack } from "../attack.ts";
import { callOf, HRPS } from "../questions.ts";

const COUNTS = [20_000, 100_000, 300_000];
const METHODS = [
  ["/ext/bc/P", "platform.getBalance", "P"],
  ["/ext/bc/P", "platform.getUTXOs", "P"],
  ["/ext/bc/P", "platform.getStake", "P"],
  ["/ext/bc/X", "avm.getUTXOs", "X"],
] as const;

export const manyAddresses: Attack = {
  name: "many-addresses",
  does: "asks for balances and UTXOs of 20,000 to 300,000 addresses at once",
  targets: ["serve", "devnet"],
  async run(attacker) {
    const address = (index: number) => {
      const bytes = Buffer.alloc(20, 1);
      bytes.writeUInt32BE(index);
      return encodeBech32(HRPS[attacker.target], bytes.toString("hex"));
    };
    const bodies = COUNTS.flatMap((count) => {
      const list = Array.from({ length: count }, (_, index) => address(index));
      return METHODS.map(([path, method, chain]) => ({
        path,
        body: callOf(method, { addresses: list.map((text) => `${chain}-${text}`) }),
      }));
    });
    await attacker.again(2, (turn) => attacker.post(bodies[turn % bodies.length]!.path, bodies[turn % bodies.length]!.body));
  },
};
