import type { Attack } from "../attack.ts";

const ADDRESSES = 40;

export const connectionChurn: Attack = {
  name: "connection-churn",
  does: "from 40 addresses, connects, sends a request or half of one, and resets the connection, as fast as it can",
  targets: ["serve", "devnet", "follow"],
  async run(attacker) {
    const beginnings = [
      "",
      "GET",
      "GET /ext/health HTTP/1.1\r\nHost: localhost\r\n\r\n",
      "POST /ext/bc/P HTTP/1.1\r\nHost: localhost\r\nContent-Length: 10\r\n\r\n{",
    ];
    await attacker.again(50, async (turn) => {
      const socket = await attacker.connect({ from: `127.0.1.${1 + (turn % ADDRESSES)}` });
      socket?.write(beginnings[turn % beginnings.length]!);
      if (turn % 2 === 0) await attacker.wait(5);
      socket?.resetAndDestroy();
    });
  },
};
