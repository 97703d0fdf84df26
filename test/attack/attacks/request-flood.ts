import type { Attack } from "../attack.ts";
import { callOf } from "../questions.ts";
import { postOf } from "../wire.ts";

const CONNECTIONS = 64;
const PIPELINED = 100;

export const requestFlood: Attack = {
  name: "request-flood",
  does: "64 connections pipeline small requests without an end, and read all answers",
  targets: ["serve", "devnet", "follow"],
  async run(attacker) {
    const request =
      attacker.target === "follow"
        ? "GET /v1/chains HTTP/1.1\r\nHost: localhost\r\n\r\n"
        : postOf("/ext/bc/P", callOf("platform.getHeight", {}));
    const many = request.repeat(PIPELINED);
    await attacker.again(CONNECTIONS, async () => {
      const socket = await attacker.connect();
      while (socket !== undefined && !socket.destroyed && !attacker.isOver()) {
        if (!socket.write(many)) await new Promise((resolve) => socket.once("drain", resolve).once("close", resolve));
        await attacker.wait(20);
      }
    });
  },
};
