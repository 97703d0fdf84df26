import type { Attack } from "../attack.ts";

const MEGABYTES = [12, 31, 5];

export const evmLargeFrames: Attack = {
  name: "evm-large-frames",
  does: "sends WebSocket messages of 5 to 31 MB to the C-chain",
  targets: ["devnet"],
  async run(attacker) {
    await attacker.again(3, async (turn) => {
      const client = await attacker.webSocket();
      if (client === undefined) return;
      const closed = new Promise((resolve) => client.once("close", resolve));
      client.send(
        `{"jsonrpc":"2.0","id":1,"method":"eth_call","params":["${"0".repeat(MEGABYTES[turn % MEGABYTES.length]! * 1_000_000)}"]}`,
      );
      await Promise.race([closed, new Promise((resolve) => client.once("message", resolve)), attacker.wait(3000)]);
      client.terminate();
    });
  },
};
