import type { Attack } from "../attack.ts";
import { callOf } from "../questions.ts";

const CLIENTS = 30;
const AT_ONCE = 2000;

export const webSocketFlood: Attack = {
  name: "web-socket-flood",
  does: "30 WebSocket clients send thousands of small messages at once, empty ones, pings and fragments",
  targets: ["devnet"],
  async run(attacker) {
    const messages = [
      callOf("eth_chainId", []),
      "",
      "{}",
      "[]",
      callOf("eth_subscribe", ["newPendingTransactions"]),
      callOf("web3_sha3", ["0x00"]),
    ];
    await attacker.again(CLIENTS, async () => {
      const client = await attacker.webSocket();
      if (client === undefined) return;
      client.on("message", () => {});
      for (let turn = 0; turn < AT_ONCE && client.readyState === 1; turn++) {
        if (turn % 7 === 0) client.ping("x".repeat(125));
        else if (turn % 11 === 0) client.send("x", { fin: false });
        else client.send(messages[turn % messages.length]!);
      }
      await attacker.wait(200);
      client.terminate();
    });
  },
};
