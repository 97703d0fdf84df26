import type { Attack } from "../attack.ts";
import { callOf } from "../questions.ts";

const SIZES = [900_000, 20_000_000];

export const hugeAddress: Attack = {
  name: "huge-address",
  does: "asks for the balance of one address of 0.9 and of 20 MB, and for other texts of that size, which errors quote",
  targets: ["serve", "devnet"],
  async run(attacker) {
    const bodies = SIZES.flatMap((size) => [
      callOf("platform.getBalance", { addresses: [`P-${"q".repeat(size)}`] }),
      callOf("platform.getBalance", { addresses: ["\\\u0001".repeat(size / 8)] }),
      callOf("platform.getTx", { txID: "1".repeat(size) }),
      callOf("platform.getBlockByHeight", { height: "9".repeat(size) }),
      callOf("platform.issueTx", { tx: `0x${"0".repeat(size)}`, encoding: "hex" }),
      callOf("x".repeat(size), {}),
      `{"jsonrpc":"2.0","id":"${"i".repeat(size)}","method":"platform.getHeight","params":{}}`,
    ]);
    await attacker.again(3, (turn) => attacker.post("/ext/bc/P", bodies[turn % bodies.length]!));
  },
};
