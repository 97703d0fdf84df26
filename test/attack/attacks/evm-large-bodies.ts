import type { Attack } from "../attack.ts";

const MEGABYTES = [12, 31, 5, 1];

export const evmLargeBodies: Attack = {
  name: "evm-large-bodies",
  does: "posts bodies of 1 to 31 MB to the C-chain's RPC as text/plain, as any web page may",
  targets: ["serve", "devnet"],
  async run(attacker) {
    const body = (megabytes: number) =>
      `{"jsonrpc":"2.0","id":1,"method":"eth_call","params":[{"data":"0x${"0".repeat(megabytes * 1_000_000)}"},"latest"]}`;
    const bodies = MEGABYTES.map(body);
    await attacker.again(3, (turn) => attacker.post("/ext/bc/C/rpc", bodies[turn % bodies.length]!, { "Content-Type": "text/plain" }));
  },
};
