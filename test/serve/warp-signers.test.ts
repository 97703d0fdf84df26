/** An aggregator as the reference implementation has it, and ones that fail in every way. */
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, test } from "vitest";
import type { SigningRequest } from "../../src/api/data/signatures/warp-signer.ts";
import { encodeWarpMessage, unsignedWarpBytes } from "../../src/chains/platform/warp/message.ts";
import { close, listen } from "../../src/http/listen.ts";
import { AggregatorSigner } from "../../src/serve/warp-signers.ts";
import { afterEveryTest } from "../after-every-test.ts";

const ending: (() => unknown)[] = [];
afterEveryTest(async () => {
  for (const end of ending.splice(0)) await end();
});

async function signerOf(answer: (body: string, response: ServerResponse, request: IncomingMessage) => void): Promise<AggregatorSigner> {
  const server = createServer((request, response) => {
    let body = "";
    request.on("data", (part) => (body += String(part)));
    request.on("end", () => answer(body, response, request));
  });
  ending.push(() => {
    server.closeAllConnections();
    return close(server);
  });
  const { port }: AddressInfo = await listen(server, "127.0.0.1", 0);
  return new AggregatorSigner(`http://127.0.0.1:${port}/`);
}

const UNSIGNED = { networkId: 1, sourceChainId: "11".repeat(32), payload: Buffer.from("01") };
const SIGNATURE = { kind: "BitSetSignature", signers: Buffer.from([1]), signature: Buffer.alloc(96, 1) } as const;
const MESSAGE = unsignedWarpBytes(UNSIGNED);
const SIGNED = encodeWarpMessage({ ...UNSIGNED, signature: SIGNATURE });
const ANSWER = JSON.stringify({ "signed-message": SIGNED.toString("hex") });
const OTHER = encodeWarpMessage({ ...UNSIGNED, networkId: 2, signature: SIGNATURE });
const REQUEST: SigningRequest = { message: MESSAGE, quorum: 67, quorumBuffer: 0, height: 0n };

test("is asked as the reference implementation reads it", async () => {
  const seen: unknown[] = [];
  const signer = await signerOf((body, response, { url, method, headers }) => {
    seen.push(method, url, headers["content-type"], JSON.parse(body));
    response.end(ANSWER);
  });
  expect(await signer.sign(REQUEST)).toEqual(SIGNED);
  expect(seen).toEqual([
    "POST",
    "/aggregate-signatures",
    "application/json",
    { message: MESSAGE.toString("hex"), "quorum-percentage": 67 },
  ]);
  await signer.sign({ ...REQUEST, justification: Buffer.from([3]), subnetId: "00".repeat(32), quorumBuffer: 5, height: 9n });
  expect(seen.at(-1)).toEqual({
    message: MESSAGE.toString("hex"),
    justification: "03",
    "signing-subnet-id": "11111111111111111111111111111111LpoYY",
    "quorum-percentage": 67,
    "quorum-percentage-buffer": 5,
    "pchain-height": 9,
  });
});

test.each<[string, (response: ServerResponse) => void, number, RegExp]>([
  [
    "refuses",
    (response) => response.writeHead(400).end('{"error":"Could not unpack the message"}'),
    400,
    /refused the message: Could not unpack/,
  ],
  ["fails", (response) => response.writeHead(500).end('{"error":"no quorum"}'), 502, /status 500\): no quorum/],
  ["answers something else", (response) => response.end('{"signed-message":"0xzz"}'), 502, /status 200/],
  [
    "signs another message",
    (response) => response.end(JSON.stringify({ "signed-message": OTHER.toString("hex") })),
    502,
    /another message/,
  ],
  ["answers bytes that are no message", (response) => response.end('{"signed-message":"0a0b"}'), 502, /nothing that is one/],
  ["answers no JSON", (response) => response.end("<html>"), 502, /status 200/],
  ["answers without end", (response) => response.end("x".repeat(2 << 20)), 502, /too long/],
  ["resets", (response) => response.destroy(), 503, /does not answer/],
  ["sends elsewhere", (response) => response.writeHead(307, { location: "http://127.0.0.1:1/" }).end(), 503, /does not answer/],
])("one that %s is told of in a sentence", async (_, answer, status, message) => {
  const signer = await signerOf((_body, response) => answer(response));
  await expect(signer.sign(REQUEST)).rejects.toMatchObject({ status, message: expect.stringMatching(message) });
});

test("is asked few times at once", async () => {
  const waiting: ServerResponse[] = [];
  const signer = await signerOf((_, response) => waiting.push(response));
  const asked = Array.from({ length: 20 }, () =>
    signer.sign(REQUEST).then(
      () => "signed",
      ({ status }) => status as number,
    ),
  );
  expect(await Promise.all(asked.slice(16))).toEqual([503, 503, 503, 503]);
  while (waiting.length < 16) await new Promise(setImmediate);
  for (const response of waiting) response.end(ANSWER);
  expect(await Promise.all(asked.slice(0, 16))).toEqual(new Array(16).fill("signed"));
});
