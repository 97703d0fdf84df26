import type { Attack } from "../attack.ts";

const BYTES = 1_000_000;

export const hugeHeaders: Attack = {
  name: "huge-headers",
  does: "sends headers of up to 1 MB: one large, many small, many cookies, many addresses of proxies, most of one that never ends on 200 connections, and whole ones on 200 that stay open",
  targets: ["serve", "devnet", "follow"],
  async run(attacker) {
    const start = "GET /ext/health HTTP/1.1\r\nHost: localhost\r\n";
    const heads = [
      `${start}X: ${"x".repeat(BYTES)}\r\n\r\n`,
      `${start}${"X: 1\r\n".repeat(BYTES / 7)}\r\n`,
      `${start}${"Cookie: a=b\r\n".repeat(BYTES / 14)}\r\n`,
      `${start}X-Forwarded-For: ${"1.1.1.1,".repeat(BYTES / 9)}\r\n\r\n`,
      `${start}Access-Control-Request-Headers: ${"a,".repeat(BYTES / 3)}\r\nOrigin: http://localhost\r\n\r\n`,
      `${start}Authorization: Bearer ${"x".repeat(BYTES)}\r\n\r\n`,
    ];
    await Promise.all([
      ...Array.from({ length: 200 }, async () => (await attacker.connect())?.write(`${start}X: ${"x".repeat(BYTES - 1000)}`)),
      ...Array.from({ length: 200 }, async () => (await attacker.connect())?.write(heads[0]!)),
      attacker.again(4, (turn) => attacker.send(heads[turn % heads.length]!, 300)),
    ]);
  },
};
