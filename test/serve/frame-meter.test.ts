import fc from "fast-check";
import { expect, test } from "vitest";
import { FrameMeter } from "../../src/serve/evm/sockets/frame-meter.ts";

const PIECE = 512;
const [CONTINUATION, TEXT, PING] = [0, 1, 9];

/** A frame as clients send it. */
function frame(opcode: number, bytes: number, isLast = true): Buffer {
  const length =
    bytes < 126
      ? [0x80 | bytes]
      : bytes < 65_536
        ? [0xfe, bytes >> 8, bytes & 255]
        : [0xff, 0, 0, 0, 0, 0, bytes >> 16, (bytes >> 8) & 255, bytes & 255];
  return Buffer.concat([Buffer.from([(isLast ? 0x80 : 0) | opcode, ...length, 1, 2, 3, 4]), Buffer.alloc(bytes, 0x81)]);
}

test("a ping takes nothing off an unfinished message, and holds nothing itself", () => {
  const meter = new FrameMeter();
  const first = frame(TEXT, 60_000, false);
  expect(meter.read(first)).toBe(first.length + PIECE);
  for (let i = 0; i < 5; i++) expect(meter.read(frame(PING, 125))).toBe(first.length + PIECE);
  const second = frame(CONTINUATION, 100_000, false);
  expect(meter.read(second)).toBe(first.length + second.length + 2 * PIECE);
  expect(meter.read(frame(CONTINUATION, 3))).toBe(0);
});

test("a fragment of one byte keeps its packet, and costs more than its byte", () => {
  const meter = new FrameMeter();
  const pings = Buffer.concat([frame(TEXT, 1, false), ...Array.from({ length: 400 }, () => frame(PING, 100))]);
  expect(meter.read(pings)).toBe(pings.length + PIECE);
  const fragments = Buffer.concat(Array.from({ length: 1000 }, () => frame(CONTINUATION, 1, false)));
  expect(meter.read(fragments)).toBe(pings.length + fragments.length + 1001 * PIECE);
});

test("a header that comes byte by byte counts with all its bytes", () => {
  const meter = new FrameMeter();
  const header = frame(TEXT, 70_000, false).subarray(0, 14);
  for (let i = 0; i < 13; i++) expect(meter.read(header.subarray(i, i + 1))).toBe(i + 1);
  expect(meter.read(header.subarray(13))).toBe(1 + PIECE);
});

test("it counts in packets of any size what the frames of an unfinished message say", () => {
  const frames = fc.array(fc.record({ isPing: fc.boolean(), bytes: fc.oneof(fc.nat(130), fc.nat(70_000)), isLast: fc.boolean() }), {
    maxLength: 12,
  });
  fc.assert(
    fc.property(frames, fc.array(fc.integer({ min: 1, max: 9000 }), { minLength: 1, maxLength: 5 }), (drawn, sizes) => {
      const all: { bytes: Buffer; isPing: boolean; isLast: boolean }[] = [];
      let isOpen = false;
      for (const { isPing, bytes, isLast } of drawn) {
        all.push({ bytes: isPing ? frame(PING, bytes % 126) : frame(isOpen ? CONTINUATION : TEXT, bytes, isLast), isPing, isLast });
        if (!isPing) isOpen = !isLast;
      }
      const stream = Buffer.concat(all.map(({ bytes }) => bytes));
      const meter = new FrameMeter();
      for (let at = 0, i = 0; at < stream.length; i++) {
        const end = Math.min(stream.length, at + sizes[i % sizes.length]!);
        const held = meter.read(stream.subarray(at, end));
        // every byte of frames of the unfinished message that have begun is counted, and what came before it in its packets
        let [start, unfinished] = [0, 0];
        for (const { bytes, isPing, isLast } of all) {
          if (!isPing && start < end) unfinished += Math.min(bytes.length, end - start);
          if (!isPing && isLast && start + bytes.length <= end) unfinished = 0;
          start += bytes.length;
        }
        if (held < unfinished) return false;
        if (end === stream.length && !isOpen && held !== 0) return false;
        at = end;
      }
      return true;
    }),
  );
});
