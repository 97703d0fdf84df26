/** Bodies that are not JSON, not HTTP, or endless; and unusual ones that are correct. */
import type { ServerResponse } from "node:http";
import { gzipSync } from "node:zlib";
import type { Exchange } from "../../evm/replay-rpc/spoiled-node.ts";
import { delay } from "../../patience.ts";
import type { Random } from "../mutate.ts";

const MIB = 2 ** 20;
const BOMB = gzipSync(Buffer.concat([Buffer.from('{"jsonrpc":"2.0","id":1,"result":"'), Buffer.alloc(64 * MIB, "0")]));
/** what an endless answer has sent when it gives up */
const ENDLESS_BYTES = 32 * MIB;
const DRIP_MS = 20;

type Send = (response: ServerResponse, text: string, random: Random) => void;

/** In the place of an answer; nothing of it is. */
const LOST: Readonly<Record<string, Send>> = {
  "connection ends": (response) => void response.destroy(),
  503: (response) => status(response, 503, "<html>Service Unavailable</html>"),
};

const SENDS: Readonly<Record<string, Send>> = {
  ...LOST,
  502: (response) => status(response, 502, "<html>Bad Gateway</html>"),
  429: (response) => response.setHeader("retry-after", "0") && status(response, 429, ""),
  500: (response, text) => status(response, 500, text.slice(1)),
  302: (response) => response.setHeader("location", "file:///etc/passwd") && status(response, 302, ""),
  "no content": (response) => status(response, 204, ""),
  "nothing, 200": (response) => status(response, 200, ""),
  "a page": (response) => status(response, 200, "<html><body>Welcome</body></html>"),
  "no HTTP": (response) => void response.socket?.end("220 ready\r\n\r\n"),
  "length below zero": (response) => void response.socket?.end("HTTP/1.1 200 OK\r\ncontent-length: -1\r\n\r\n{}"),
  "long headers": (response) => void response.socket?.end(`HTTP/1.1 200 OK\r\nx: ${"x".repeat(200_000)}\r\n\r\n`),
  truncated: (response, text, random) => status(response, 200, text.slice(0, random.below(text.length))),
  "cut off"(response, text, random) {
    response.writeHead(200, { "content-length": Buffer.byteLength(text) });
    response.write(text.slice(0, random.below(text.length)), () => response.destroy());
  },
  "too much": (response, text, random) => status(response, 200, text + random.of(["}", "]", "{}", ",", "\u0000", text])),
  "another bracket": (response, text) => status(response, 200, text.replace("{", "[")),
  "control character": (response, text) => status(response, 200, text.replace('"', '"\u0001')),
  "no number": (response, text) => status(response, 200, text.replace(/"result":/, '"result":NaN,"x":')),
  deep: (response, _, random) => status(response, 200, random.of(["[", '{"result":']).repeat(200_000)),
  "deep result"(response, text) {
    status(response, 200, text.replaceAll(/"result":/g, `"result":${"[".repeat(5000)}${"]".repeat(5000)},"x":`));
  },
  "many values": (response, text) => status(response, 200, text.replace(/"result":/, `"result":[${"{},".repeat(300_000)}{}],"x":`)),
  "long text": (response, text) => status(response, 200, text.replace(/"result":/, `"result":"${"0".repeat(9 * MIB)}","x":`)),
  "huge number": (response, text) => status(response, 200, text.replaceAll(/"result":/g, `"result":${"9".repeat(100_000)},"x":`)),
  "member twice, wrong at last"(response, text) {
    status(response, 200, text.replaceAll(/("(?:blockHash|hash|txHash|from)":"[^"]*")/g, '$1,"blockHash":7,"hash":7,"txHash":7,"from":7'));
  },
  "result twice, wrong at last": (response, text) =>
    status(response, 200, text.replaceAll(/("jsonrpc":"2.0","id":\d+,)("result":)/g, '$1"error":7,$2')),
  "member twice, right at last": (response, text) => status(response, 200, text.replaceAll(/"(blockHash|hash)":/g, '"$1":7,"$1":')),
  "a prototype": (response, text) =>
    status(response, 200, text.replaceAll("{", '{"__proto__":{"calls":7,"error":7},').replaceAll(",}", "}")),
  "gzip bomb"(response) {
    response.setHeader("content-encoding", "gzip");
    status(response, 200, BOMB);
  },
  "no gzip"(response, text) {
    response.setHeader("content-encoding", "gzip");
    status(response, 200, text);
  },
  silence: () => {},
  slow: (response, text) => void drip(response, text),
  endless: (response, text, random) =>
    void flood(response, random.of([" ", "[", '{"a":', `${text},`, '"0",', "0"]), random.of(["", "[", '{"result":"'])),
};

/** Returns what it sent. @param isLost only what nobody can take for an answer */
export function sendRaw({ replies, isBatch, response }: Exchange, random: Random, { isLost }: { isLost: boolean }): string {
  const sends = isLost ? LOST : SENDS;
  const kind = random.of(Object.keys(sends));
  sends[kind]!(response, JSON.stringify(isBatch ? replies : replies[0]), random);
  return kind;
}

function status(response: ServerResponse, code: number, body: string | Buffer): void {
  response.writeHead(code);
  response.end(body);
}

async function drip(response: ServerResponse, text: string): Promise<void> {
  for (let at = 0; at < text.length && !response.destroyed; at++) {
    response.write(text[at]!);
    await delay(DRIP_MS);
  }
}

async function flood(response: ServerResponse, piece: string, beginning: string): Promise<void> {
  response.write(beginning);
  const chunk = Buffer.from(piece.repeat(Math.ceil(65_536 / piece.length)));
  const closed = new Promise((resolve) => response.once("close", resolve));
  for (let sent = 0; sent < ENDLESS_BYTES && !response.destroyed; sent += chunk.length) {
    if (!response.write(chunk)) await Promise.race([new Promise((resolve) => response.once("drain", resolve)), closed]);
  }
}
