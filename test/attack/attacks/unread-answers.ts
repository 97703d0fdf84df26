import type { Attack } from "../attack.ts";
import type { Attacker } from "../attacker.ts";
import { callOf } from "../questions.ts";
import { postOf } from "../wire.ts";

const CONNECTIONS = 300;
const PIPELINED = 50;

export const unreadAnswers: Attack = {
  name: "unread-answers",
  does: "300 connections send 50 requests at once for the largest answers there are, and never read",
  targets: ["serve", "devnet", "follow"],
  async run(attacker) {
    const request = largestOf(attacker).repeat(PIPELINED);
    await Promise.all(
      Array.from({ length: CONNECTIONS }, async () => {
        const socket = await attacker.connect({ isRead: false });
        socket?.write(request);
      }),
    );
    await attacker.wait();
  },
};

function largestOf({ target }: Attacker): string {
  if (target === "follow") return "GET /v1/openapi.json HTTP/1.1\r\nHost: localhost\r\n\r\n";
  return postOf("/ext/bc/P", callOf("platform.getCurrentValidators", {}));
}
