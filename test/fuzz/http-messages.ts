/** HTTP messages to both interfaces, valid ones and invalid ones: framing, chunks, headers and targets that are almost right. */
import { type RecordedRequest, randomBody } from "./json-mutation.ts";
import type { Random } from "./mutate.ts";

const METHODS = ["POST", "POST", "POST", "GET", "GET", "HEAD", "PUT", "OPTIONS", "CONNECT", "FOO", "post", "PRI", "G@T"];
const DATA_TARGETS = [
  "/v1/networks/mainnet/blockchains/p-chain/transactions?pageSize=2",
  "/v1/networks/fuji/blocks/latest%",
  "/v1/networks/mainnet/blockchains/p-chain/utxos",
  "/v1/openapi.json",
  "/v1/chains/43114/blocks?pageToken=%00&pageToken=x",
  "/v2/%2e%2e/ext/info",
  "/docs/../v1",
];
const TARGETS = [
  "*",
  "//",
  "?",
  "",
  "/\xff",
  "/%00",
  "/ext//info",
  "/ext/bc/%ff",
  "http://localhost/ext/info",
  "http://a b/",
  "/ext/metrics",
];
const VERSIONS = ["HTTP/1.1", "HTTP/1.1", "HTTP/1.1", "HTTP/1.1", "HTTP/1.0", "HTTP/1.9", "HTTP/2.0", "http/1.1", "HTTP/1.1 ", ""];
const HEADERS = [
  ...[
    "Host: localhost",
    "Host: 127.0.0.1:1",
    "Host: a b",
    "Host:",
    "Connection: close",
    "Connection: keep-alive",
    "Connection: upgrade, x",
  ],
  ...[
    "Upgrade: websocket",
    "Upgrade: h2c",
    "Expect: 100-continue",
    "Expect: x",
    "Content-Encoding: gzip",
    "Transfer-Encoding: gzip, chunked",
  ],
  ...[
    "Transfer-Encoding: chunked",
    "Transfer-Encoding : chunked",
    "Content-Length: 3",
    "Content-Length: +3",
    "Content-Length: 99999999999",
  ],
  ...[
    "Content-Length: 0x3",
    "Origin: http://evil",
    "Content-Type: text/plain",
    "X-Forwarded-For: 1, ::1, \xff",
    "X-Data-Api-Key: \t",
    ": x",
    "x",
  ],
  ...["Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==", "Sec-WebSocket-Version: 13", " folded", `Cookie: ${"HTTP/1.1".repeat(40)}`],
];

/** @param marker is echoed by the last message's answer, if the server gets there; the connection ends with it */
export function messages(random: Random, recorded: readonly RecordedRequest[], count: number, marker: string): Buffer {
  // what is wrong ends most connections: in some there is little of it, so that what comes later is reached
  const oneWrongOf = random.of([1, 4, 40]);
  const parts = Array.from({ length: count }, () =>
    random.below(oneWrongOf) === 0 ? mutated(message(random, recorded), random) : right(random, recorded),
  );
  const good = `{"jsonrpc":"2.0","id":"${marker}","method":"info.getNetworkID"}`;
  parts.push(framed("/ext/info", Buffer.from(good), ["Connection: close"]));
  return Buffer.concat(parts);
}

function right(random: Random, recorded: readonly RecordedRequest[]): Buffer {
  const chosen = random.of(recorded);
  return framed(random.below(6) === 0 ? random.of(DATA_TARGETS) : chosen.path, randomBody(chosen, random), []);
}

function message(random: Random, recorded: readonly RecordedRequest[]): Buffer {
  const chosen = random.of(recorded);
  const body = random.below(4) === 0 ? Buffer.alloc(0) : randomBody(chosen, random);
  const target = random.below(2) === 0 ? random.of(TARGETS) : random.below(2) === 0 ? random.of(DATA_TARGETS) : chosen.path;
  const lines = [`${random.of(METHODS)} ${target} ${random.of(VERSIONS)}`];
  for (let headers = random.below(5); headers > 0; headers--) lines.push(random.of(HEADERS));
  if (random.below(200) === 0) lines.push(`X-Long: ${"y".repeat(random.of([20_000, 1_200_000]))}`);
  const isChunked = random.below(2) === 0;
  lines.push(isChunked ? "Transfer-Encoding: chunked" : `Content-Length: ${body.length + random.of([0, 0, 0, 0, 1, -1, 50])}`);
  const head = Buffer.from(`${lines.join(random.below(20) === 0 ? "\n" : "\r\n")}\r\n\r\n`, "latin1");
  return Buffer.concat([head, isChunked ? chunked(body, random) : body]);
}

function framed(path: string, body: Buffer, more: readonly string[]): Buffer {
  const lines = [`POST ${path} HTTP/1.1`, "Host: localhost", "Content-Type: application/json", ...more, `Content-Length: ${body.length}`];
  return Buffer.concat([Buffer.from(`${lines.join("\r\n")}\r\n\r\n`, "latin1"), body]);
}

function chunked(body: Buffer, random: Random): Buffer {
  const parts: Buffer[] = [];
  for (let at = 0; at < body.length; ) {
    const length = 1 + random.below(Math.min(200, body.length - at));
    const size = random.of([
      length.toString(16),
      length.toString(16),
      length.toString(16),
      `${length.toString(16)};ext=1`,
      "zz",
      "-1",
      "FFFFFFFFFFFFFFFFFF",
    ]);
    parts.push(Buffer.from(`${size}\r\n`), body.subarray(at, at + length), Buffer.from(random.below(30) === 0 ? "\n" : "\r\n"));
    at += length;
  }
  parts.push(Buffer.from(random.of(["0\r\n\r\n", "0\r\n\r\n", "0\r\nTrailer: x\r\n\r\n", "0\r\n", "00000000000000000\r\n\r\n"])));
  return Buffer.concat(parts);
}

/** Half of them have some of their bytes changed, are cut off, or have something between. */
function mutated(bytes: Buffer, random: Random): Buffer {
  if (random.below(2) > 0) return bytes;
  const at = random.below(bytes.length);
  switch (random.below(4)) {
    case 0:
      return bytes.subarray(0, at);
    case 1:
      return Buffer.concat([
        bytes.subarray(0, at),
        Buffer.from(random.of(["\r\n", "\0", "\r\n\r\n", "HTTP/1.1", "\xff"]), "latin1"),
        bytes.subarray(at),
      ]);
    case 2:
      return Buffer.concat([bytes.subarray(0, at), bytes.subarray(random.below(bytes.length))]);
    default: {
      const changed = Buffer.from(bytes);
      changed[at] = random.below(256);
      return changed;
    }
  }
}
