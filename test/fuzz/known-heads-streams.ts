/** Streams of requests with heads that come again: split anywhere, pipelined, and with framing that is almost right. */
import { LONG_PATH } from "../serve/long-route.ts";
import { mutate, type Random } from "./mutate.ts";

const BODY = '{"jsonrpc":"2.0","id":7,"method":"platform.getHeight","params":{}}';
const OTHER = '{"jsonrpc":"2.0","method":"info.getNetworkID","id":"a"}';
/** A long ID makes the answer so long that it is sent in chunks. */
const LONG = `{"jsonrpc":"2.0","method":"info.upgrades","id":"${"a".repeat(1500)}"}`;
const BLOCKCHAINS = "/v1/networks/mainnet/blockchains";
/** Usual requests. */
export const USUAL = [
  post("/ext/bc/P", BODY),
  post("/ext/info", OTHER),
  post("/ext/bc/P", BODY.replace("7", "12"), "User-Agent: x\r\nAccept: */*\r\nConnection: keep-alive\r\n"),
  post("/ext/bc/X", BODY.replace("platform", "avm")),
  post("/ext/bc/P", BODY.replace("getHeight", "getBlockchains")),
  post("/ext/info", LONG),
  get(BLOCKCHAINS),
  // longer than what is written together
  get(LONG_PATH),
  get(`${BLOCKCHAINS}/p-chain/blocks?pageSize=10`, "Origin: http://localhost\r\nAccept: */*\r\n"),
];

export function post(path: string, body: string, headers = "", length = `${body.length}`): string {
  return `POST ${path} HTTP/1.1\r\nHost: localhost\r\n${headers}Content-Type: application/json\r\nContent-Length: ${length}\r\n\r\n${body}`;
}

function get(path: string, headers = ""): string {
  return `GET ${path} HTTP/1.1\r\nHost: localhost\r\n${headers}\r\n`;
}

const LINES = [
  "Transfer-Encoding: chunked\r\n",
  "Transfer-Encoding : chunked\r\n",
  "Transfer-Encoding: gzip, chunked\r\n",
  "Content-Length: 3\r\n",
  "Content-Length: +66\r\n",
  "content-length: 66\r\n",
  "Connection: close\r\n",
  "Connection: upgrade\r\nUpgrade: websocket\r\n",
  "Expect: 100-continue\r\n",
  "Origin: http://evil\r\n",
  "Host: other\r\n",
  " folded\r\n",
  "X: \0\r\n",
  "X: y\n",
  "\r\n",
  "Keep-Alive: timeout=1\r\n",
];
const IDS = ["0", "00", "007", "1", "42", "-7", "7.5", "7e1", "99999999999999999", '"7"', "null", "true", "[7]", '7,"id":8', "", " 7"];

type Change = (text: string, random: Random) => string;

const changes: readonly Change[] = [
  (text) => text,
  (text) => text + text,
  (text, random) => text + random.of(USUAL),
  (text, random) => withLine(text, random.of(LINES)),
  (text, random) => withLine(withLine(text, random.of(LINES)), random.of(LINES)),
  // with the length that the body then has, and without
  (text, random) => withBody(text, text.slice(headEnd(text)).replace(/7|12|"a"/, random.of(IDS))),
  (text, random) => text.replace(/"id":(7|12|"a")/, `"id":${random.of(IDS)}`),
  (text, random) => withLength(text, (length) => `${length + random.below(7) - 3}`),
  (text, random) =>
    withLength(text, (length) => random.of([`0${length}`, `${length} `, `0x${length.toString(16)}`, "", `${length},${length}`])),
  (text, random) => "\r\n".repeat(1 + random.below(2)) + text,
  (text, random) => text.slice(0, random.below(text.length)),
  (text, random) => text.slice(random.below(8)),
  (text, random) => text + random.of(["\r\n", "\n", " ", "{}", "POST", "G", "\0"]),
  (text) => text.replace("HTTP/1.1", "HTTP/1.0"),
  (text, random) => text.replace("POST", random.of(["post", "GET", "HEAD", "PUT", "OPTIONS", "FOO", "POSTT", "CONNECT"])),
  (text, random) => text.replace(/ \/ext\S*/, random.of([" *", " //ext/bc/P", " http://localhost/ext/bc/P", " /ext/bc/P?x", " /EXT/BC/P"])),
  (text) => text.replaceAll("\r\n", "\n"),
  (text) => text.replace("\r\n\r\n", "\n\n"),
  // a request of its own before the head's end
  (text, random) => `GET /ext/info HTTP/1.1\nHost: localhost\n\n${text}${random.of(USUAL)}`,
  (text, random) => mutate(Buffer.from(text, "latin1"), random).toString("latin1"),
  (text) => chunked(text),
  (text) => chunked(text) + text,
];

/** Two to five requests, most of them usual, in pieces. */
export function randomStream(random: Random): Buffer[] {
  let text = "";
  const cuts: number[] = [];
  for (let left = 2 + random.below(4); left > 0; left--) {
    // a connection's first request is parsed in any case
    const change = text === "" || random.below(2) === 0 ? changes[0]! : random.of(changes);
    text += change(random.of(USUAL), random);
    // usually a request comes alone
    if (random.below(4) > 0) cuts.push(text.length);
    else if (random.below(2) === 0) cuts.push(text.length - 1 - random.below(Math.min(text.length - 1, 250)));
  }
  return pieces(text, cuts);
}

/** One request after another of the same kind, the second of them split at this place. */
export function splitStream(usual: string, at: number): Buffer[] {
  return pieces(usual + usual + usual, [usual.length, usual.length + at, 2 * usual.length]);
}

function pieces(text: string, cuts: readonly number[]): Buffer[] {
  const bytes = Buffer.from(text, "latin1");
  const places = [...new Set([0, ...cuts, bytes.length])].sort((a, b) => a - b);
  return places.slice(1).map((end, i) => bytes.subarray(places[i], end));
}

function headEnd(text: string): number {
  return text.indexOf("\r\n\r\n") + 4;
}

function withLine(text: string, line: string): string {
  return text.replace("\r\n", `\r\n${line}`);
}

function withLength(text: string, change: (length: number) => string): string {
  return text.replace(/Content-Length: (\d+)/, (_, length: string) => `Content-Length: ${change(Number(length))}`);
}

function withBody(text: string, body: string): string {
  return withLength(text.slice(0, headEnd(text)), () => `${body.length}`) + body;
}

function chunked(text: string): string {
  const body = text.slice(headEnd(text));
  const head = text.slice(0, headEnd(text)).replace(/Content-Length: \d+/, "Transfer-Encoding: chunked");
  return `${head}${body.length.toString(16)}\r\n${body}\r\n0\r\n\r\n`;
}
