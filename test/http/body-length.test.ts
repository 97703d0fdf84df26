import fc from "fast-check";
import { expect, test } from "vitest";
import { ChunkedBody, MOST_OF_TRAILERS } from "../../src/http/body-length.ts";

/** Gives it the bytes in pieces of this length, until it takes no more; returns how many it took. */
function takenBy(body: ChunkedBody, bytes: Uint8Array, pieceLength: number): number {
  let taken = 0;
  while (taken < bytes.length) {
    const length = body.take(bytes.subarray(taken, taken + pieceLength));
    if (length === 0) break;
    taken += length;
  }
  return taken;
}

const size = (length: number, zeros: number, isUpper: boolean) => {
  const digits = length.toString(16);
  return "0".repeat(zeros) + (isUpper ? digits.toUpperCase() : digits);
};
const zeros = fc.nat(3);
const extension = fc.constantFrom("", ";a", ";a=b", ';a="0"', ";0;1=2");
const data = fc.string({ unit: fc.constantFrom("0", "\r", "\n", "a", ";", "HTTP/1.1"), minLength: 1, maxLength: 400 });
const chunk = fc.tuple(data, zeros, fc.boolean(), extension).map(([content, more, isUpper, extended]) => {
  return `${size(content.length, more, isUpper)}${extended}\r\n${content}\r\n`;
});
const trailer = fc.constantFrom("A: b\r\n", "Empty:\r\n", "Length: 0\r\n", "Folded: a\r\n 0\r\n");
const chunkedBody = fc
  .tuple(fc.array(chunk), zeros, extension, fc.array(trailer))
  .map(([chunks, more, extended, trailers]) => `${chunks.join("")}${size(0, more, false)}${extended}\r\n${trailers.join("")}\r\n`);

test("chunks end where they end, in whatever pieces they come and whatever follows them", () => {
  const next = fc.constantFrom("", "GET / HTTP/1.1\r\n\r\n", "0\r\n\r\n", "\r\n\r\n", "5\r\n");
  fc.assert(
    fc.property(chunkedBody, next, fc.integer({ min: 1, max: 60_000 }), (text, behind, pieceLength) => {
      expect(takenBy(new ChunkedBody(), Buffer.from(text + behind, "latin1"), pieceLength)).toBe(text.length);
    }),
  );
});

test("no more of a long body is parsed at a time than a millisecond takes", () => {
  const bytes = Buffer.from("1\r\nx\r\n".repeat(20_000));
  expect(new ChunkedBody().take(bytes)).toBeLessThanOrEqual(16 << 10);
  expect(takenBy(new ChunkedBody(), bytes, bytes.length)).toBe(bytes.length);
  const extended = Buffer.from(`1;${"x".repeat(20_000)}`);
  expect(new ChunkedBody().take(extended)).toBeLessThanOrEqual(16 << 10);
});

test("trailers are long beyond their limit, not at it, whether they are complete or not", () => {
  const withTrailers = (length: number) => `1\r\nx\r\n0\r\n${"T: 1\r\n".padEnd(length - 4, "x")}\r\n\r\n`;
  for (const pieceLength of [1, 100, 10_000]) {
    const isLong = (text: string) => {
      const body = new ChunkedBody();
      takenBy(body, Buffer.from(text), pieceLength);
      return body.hasLongTrailers;
    };
    expect(isLong(withTrailers(MOST_OF_TRAILERS))).toBe(false);
    expect(isLong(withTrailers(MOST_OF_TRAILERS + 1))).toBe(true);
    expect(isLong(`0\r\n${"T: 1\r\n".repeat(MOST_OF_TRAILERS)}`)).toBe(true);
    expect(isLong(`2000\r\n${"T: 1\r\n".repeat(1000)}`)).toBe(false);
  }
});
