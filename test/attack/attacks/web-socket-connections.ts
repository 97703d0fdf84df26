import type { Attack } from "../attack.ts";
import { callOf } from "../questions.ts";

const CLIENTS = 1500;
const AT_ONCE = 50;

export const webSocketConnections: Attack = {
  name: "web-socket-connections",
  does: "opens 1,500 WebSockets with subscriptions each",
  targets: ["devnet"],
  async run(attacker) {
    let open = 0;
    await attacker.again(AT_ONCE, async () => {
      if (open >= CLIENTS) return attacker.wait(100);
      const client = await attacker.webSocket();
      if (client === undefined) return;
      open++;
      client.once("close", () => open--);
      for (const subscription of ["newHeads", "logs", "newPendingTransactions"]) client.send(callOf("eth_subscribe", [subscription]));
    });
  },
};
