import * as zlib from "node:zlib";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { FrameReader, frameOf, MAX_FRAME_BYTES } from "../../../src/p2p/wire/frames.ts";
import { decodePeerMessage, encodePeerMessage, type SentMessage } from "../../../src/p2p/wire/message-codec.ts";
import { decompress, decompressInScript } from "../../../src/p2p/wire/zstd.ts";

const P_CHAIN = new Uint8Array(32);
const TEN_SECONDS = 10_000_000_000n;
const hex = (bytes: Uint8Array) => Buffer.from(bytes).toString("hex");
const zeros = "0".repeat(64);
const X_CHAIN = Buffer.from("ed5f38341e436e5d46e2bb00b45d62ae97d1b050c64bc634ae10626739e35c4b", "hex");
const STOP_VERTEX = Buffer.from("614b7db7eb04b0263b7434ed9c1db297196025631040409df717df7f26625e95", "hex");
const id = (byte: number) => new Uint8Array(32).fill(byte);

/** p2p.md 20.4 */
const VECTORS: readonly (readonly [string, SentMessage, string])[] = [
  ["a ping", { case: "ping", value: {} }, "000000025a00"],
  ["a ping with an uptime", { case: "ping", value: { uptime: 100 } }, "000000045a020864"],
  ["a pong", { case: "pong", value: {} }, "000000026200"],
  ["an empty list of peers", { case: "peerList", value: {} }, "000000027200"],
  [
    "a request for the frontier",
    { case: "getAcceptedFrontier", value: { chainId: P_CHAIN, requestId: 1, deadline: TEN_SECONDS } },
    `0000002d9a012a0a20${zeros}10011880c8afa025`,
  ],
  [
    "a request for vertices",
    { case: "getAncestors", value: { chainId: X_CHAIN, requestId: 7, deadline: TEN_SECONDS, containerId: STOP_VERTEX, engine: 1 } },
    `00000051ba014e0a20${hex(X_CHAIN)}10071880c8afa0252220${hex(STOP_VERTEX)}2801`,
  ],
  [
    "a query",
    { case: "pullQuery", value: { chainId: P_CHAIN, requestId: 2, deadline: TEN_SECONDS, containerId: id(0xaa), requestedHeight: 1001n } },
    `00000052e2014f0a20${zeros}10021880c8afa0252220${"aa".repeat(32)}30e907`,
  ],
  ["no ancestors", { case: "ancestors", value: { chainId: P_CHAIN, requestId: 9 } }, `00000027c201240a20${zeros}1009`],
  [
    "an error of an application",
    { case: "appError", value: { chainId: P_CHAIN, requestId: 5, errorCode: -2, errorMessage: "unregistered handler" } },
    `0000003f92023c0a20${zeros}100518032214756e726567697374657265642068616e646c6572`,
  ],
];

describe("a message", () => {
  test.each(VECTORS)("%s has the bytes of the reference node", (_, message, frame) => {
    expect(hex(frameOf(encodePeerMessage(message)))).toBe(frame);
    const [payload] = [...new FrameReader().take(Buffer.from(frame, "hex"))];
    const decoded = decodePeerMessage(payload!)!;
    expect(decoded.case).toBe(message.case);
    expect(hex(encodePeerMessage(decoded))).toBe(frame.slice(8));
  });

  test("with an unknown kind, or none, or of bytes that are no message, is not understood", () => {
    for (const text of ["", "0a00", "a20200", "ff", "5a05", "5a025a", "5a0008"])
      expect(decodePeerMessage(Buffer.from(text, "hex"))).toBeUndefined();
  });

  test("with more fields than any message has is refused before objects are made of them", () => {
    const few = encodePeerMessage({ case: "ancestors", value: { containers: new Array<Uint8Array>(4096).fill(new Uint8Array()) } });
    expect(decodePeerMessage(few)).toBeDefined();
    const many = encodePeerMessage({ case: "ancestors", value: { containers: new Array<Uint8Array>(4097).fill(new Uint8Array()) } });
    expect(decodePeerMessage(many)).toBeUndefined();
    const long = encodePeerMessage({ case: "handshake", value: { supportedAcps: new Array<number>(300_000).fill(1) } });
    expect(decodePeerMessage(long)).toBeUndefined();
  });

  test("of any bytes is decoded or not, and never throws", () => {
    fc.assert(fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => void decodePeerMessage(bytes)));
    const valid = VECTORS.map(([, message]) => encodePeerMessage(message));
    fc.assert(
      fc.property(fc.constantFrom(...valid), fc.nat(), fc.nat(255), (bytes, at, byte) => {
        const changed = Uint8Array.from(bytes);
        changed[at % changed.length] = byte;
        decodePeerMessage(changed);
      }),
    );
  });
});

/** A frame of one raw block, as any decoder reads it (RFC 8878). */
function storedZstd(content: Uint8Array): Buffer {
  const header = Buffer.from([0x28, 0xb5, 0x2f, 0xfd, 0xa0, 0, 0, 0, 0]);
  header.writeUInt32LE(content.length, 5);
  const block = Buffer.alloc(3);
  block.writeUIntLE((content.length << 3) | 1, 0, 3);
  return Buffer.concat([header, block, content]);
}

/** Frames of blocks that each repeat one byte 128 KiB times. */
function bomb(blocks: number): Buffer {
  const header = Buffer.from([0x28, 0xb5, 0x2f, 0xfd, 0x00, 0x38]);
  const each = Array.from({ length: blocks }, (_, i) => {
    const block = Buffer.alloc(4);
    block.writeUIntLE((131_072 << 3) | 2 | (i === blocks - 1 ? 1 : 0), 0, 3);
    return block;
  });
  return Buffer.concat([header, ...each]);
}

describe("a compressed message", () => {
  const ping = encodePeerMessage({ case: "ping", value: { uptime: 7 } });
  const wrapped = (bytes: Uint8Array) => Buffer.concat([Buffer.from([0x12, bytes.length]), bytes]);

  test("is that in it; one that is compressed twice is none", () => {
    expect(decodePeerMessage(wrapped(storedZstd(ping)))).toMatchObject({ case: "ping", value: { uptime: 7 } });
    expect(decodePeerMessage(wrapped(storedZstd(wrapped(storedZstd(ping)))))).toBeUndefined();
    expect(decodePeerMessage(wrapped(Buffer.from("no frame")))).toBeUndefined();
  });

  test("is decompressed in script as by Node", () => {
    const { zstdCompressSync } = zlib as { readonly zstdCompressSync?: (bytes: Uint8Array) => Buffer };
    const contents = [
      Buffer.alloc(0),
      Buffer.from("a"),
      Buffer.from("abc".repeat(50_000)),
      Buffer.from(Array.from({ length: 3000 }, (_, i) => (i * i) & 255)),
    ];
    for (const content of contents) {
      const frames = [storedZstd(content.subarray(0, 60_000)), ...(zstdCompressSync === undefined ? [] : [zstdCompressSync(content)])];
      for (const frame of frames) expect(hex(decompressInScript(frame, MAX_FRAME_BYTES))).toBe(hex(decompress(frame, MAX_FRAME_BYTES)!));
    }
  });

  test("that would be longer than a message, or needs a larger window, is refused", () => {
    expect(decompress(bomb(16), MAX_FRAME_BYTES)).toHaveLength(MAX_FRAME_BYTES);
    expect(decompress(bomb(17), MAX_FRAME_BYTES)).toBeUndefined();
    expect(decompress(bomb(400_000), MAX_FRAME_BYTES)).toBeUndefined();
    expect(() => decompressInScript(bomb(17), MAX_FRAME_BYTES)).toThrow("longer than");
    const largeWindow = bomb(1);
    largeWindow[5] = 20 << 3;
    expect(decompress(largeWindow, MAX_FRAME_BYTES)).toBeUndefined();
    const largeSize = Buffer.concat([Buffer.from([0x28, 0xb5, 0x2f, 0xfd, 0xe0]), Buffer.alloc(8, 0xff), Buffer.alloc(4)]);
    expect(decompress(largeSize, MAX_FRAME_BYTES)).toBeUndefined();
  });
});

describe("frames", () => {
  test("are put together however they are cut", () => {
    fc.assert(
      fc.property(
        fc.array(fc.uint8Array({ maxLength: 40 }), { maxLength: 8 }),
        fc.array(fc.integer({ min: 1, max: 30 }), { minLength: 1 }),
        (payloads, cuts) => {
          const bytes = Buffer.concat(payloads.map(frameOf));
          const reader = new FrameReader();
          const read: string[] = [];
          for (let at = 0, i = 0; at < bytes.length; at += cuts[i++ % cuts.length]!) {
            for (const payload of reader.take(bytes.subarray(at, at + cuts[i % cuts.length]!))) read.push(hex(payload));
          }
          expect(read).toEqual(payloads.map(hex));
          expect(reader.heldBytes).toBe(0);
        },
      ),
    );
  });

  test("of more than 2 MiB are refused by their length", () => {
    const reader = new FrameReader();
    const length = Buffer.alloc(4);
    length.writeUInt32BE(MAX_FRAME_BYTES);
    expect([...reader.take(length)]).toEqual([]);
    length.writeUInt32BE(MAX_FRAME_BYTES + 1);
    expect(() => [...new FrameReader().take(length)]).toThrow("it announced a message of 2097153 bytes; at most 2097152 are taken");
    expect(() => frameOf(new Uint8Array(MAX_FRAME_BYTES + 1))).toThrow(RangeError);
  });
});
