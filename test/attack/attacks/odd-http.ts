import type { Attack } from "../attack.ts";
import { callOf } from "../questions.ts";
import { headOf, postOf } from "../wire.ts";

const BODY = callOf("platform.getHeight", {});
const JSON_HEADER = "Content-Type: application/json";

export const oddHttp: Attack = {
  name: "odd-http",
  does: "HTTP/1.0, Expect: 100-continue, TRACE, CONNECT, Range, upgrades to nothing, lengths that contradict each other, requests inside of bodies, requests behind refused ones",
  targets: ["serve", "devnet", "follow"],
  async run(attacker) {
    const length = `Content-Length: ${BODY.length}`;
    const messages = [
      "GET /ext/health HTTP/1.0\r\n\r\n",
      "GET /ext/health\r\n\r\n",
      `POST /ext/bc/P HTTP/1.0\r\n${JSON_HEADER}\r\nConnection: keep-alive\r\n${length}\r\n\r\n${BODY}`,
      headOf("POST", "/ext/bc/P", [JSON_HEADER, length, "Expect: 100-continue"]),
      headOf("POST", "/ext/bc/P", [JSON_HEADER, "Content-Length: 900000000", "Expect: 100-continue"]),
      headOf("POST", "/ext/bc/C/rpc", [JSON_HEADER, "Content-Length: 900000000"]),
      headOf("POST", "/ext/bc/P", [JSON_HEADER, length, "Expect: 200-nonsense"]) + BODY,
      headOf("TRACE", "/ext/health"),
      headOf("CONNECT", "127.0.0.1:22"),
      headOf("CONNECT", "/ext/bc/P") + postOf("/ext/bc/P", BODY),
      headOf("GET", "/v1/openapi.json", ["Range: bytes=0-0,1-1,2-2,3-3"]),
      headOf("GET", "/ext/health", ["Connection: Upgrade", "Upgrade: h2c"]),
      headOf("GET", "/ext/bc/C/ws", ["Connection: Upgrade", "Upgrade: websocket", "Sec-WebSocket-Version: 99", "Sec-WebSocket-Key: x"]),
      headOf("GET", "/ext/bc/C/ws", ["Connection: Upgrade", "Upgrade: websocket"]),
      headOf("POST", "/ext/bc/P", [JSON_HEADER, length, "Content-Length: 1"]) + BODY,
      headOf("POST", "/ext/bc/P", [JSON_HEADER, length, "Transfer-Encoding: chunked"]) + BODY,
      `${headOf("POST", "/ext/bc/P", [JSON_HEADER, "Transfer-Encoding: gzip, chunked"])}0\r\n\r\n`,
      headOf("POST", "/ext/bc/P", [JSON_HEADER, "Content-Encoding: gzip", length]) + BODY,
      headOf("GET", "/v1/chains", [length]) + BODY + headOf("GET", "/v1/chains"),
      headOf("POST", "/ext/bc/P", [JSON_HEADER, "Content-Length: 900000000"]) + postOf("/ext/bc/P", BODY).repeat(100),
      headOf("HEAD", "/v1/openapi.json") + headOf("HEAD", "/ext/metrics"),
      "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
      "\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03",
    ];
    await attacker.again(16, (turn) => attacker.send(messages[turn % messages.length]!, 100));
  },
};
