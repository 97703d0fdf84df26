import { randomBytes } from "node:crypto";
import type { Attack } from "../attack.ts";
import { callOf } from "../questions.ts";

export const issueFlood: Attack = {
  name: "issue-flood",
  does: "issues transactions that cannot be: random bytes, lists as long as they may be, raw EVM transactions without a signature",
  targets: ["serve", "devnet"],
  async run(attacker) {
    const header = "0x00000000000000000001";
    const claimed = `${header}${"ffffffff".repeat(4)}`;
    await attacker.again(8, (turn) => {
      const random = randomBytes(1 + (turn % 60_000)).toString("hex");
      const requests = [
        () => attacker.post("/ext/bc/P", callOf("platform.issueTx", { tx: `${header}${random}`, encoding: "hexnc" })),
        () => attacker.post("/ext/bc/X", callOf("avm.issueTx", { tx: claimed, encoding: "hexnc" })),
        () => attacker.post("/ext/bc/C/avax", callOf("avax.issueTx", { tx: `${header}${random}`, encoding: "hexnc" })),
        () => attacker.post("/ext/bc/C/rpc", callOf("eth_sendRawTransaction", [`0x02${random}`])),
        () => attacker.post("/ext/bc/P", callOf("platform.issueTx", { tx: `0x${"0".repeat(1_000_001)}`, encoding: "hex" })),
      ];
      return requests[turn % requests.length]!();
    });
  },
};
