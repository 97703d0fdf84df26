import type { Attack } from "../attack.ts";

const CONNECTIONS = 3000;
const AT_ONCE = 100;

export const connectionFlood: Attack = {
  name: "connection-flood",
  does: "opens 3,000 connections that say nothing and opens again what is closed",
  targets: ["serve", "devnet", "follow"],
  async run(attacker) {
    let open = 0;
    await attacker.again(AT_ONCE, async () => {
      if (open >= CONNECTIONS) return attacker.wait(100);
      const socket = await attacker.connect();
      if (socket === undefined || socket.destroyed) return;
      open++;
      socket.once("close", () => open--);
    });
  },
};
