import { PassThrough } from "node:stream";
import { setImmediate as nextLoop } from "node:timers/promises";
import { expect, test } from "vitest";
import type { Connection } from "../../src/http/clients.ts";
import { RequestFeed } from "../../src/http/request-feed.ts";
import { newClientTurns, Turns } from "../../src/http/turns.ts";

const LIMITS = { turnMilliseconds: 2, requestSeconds: 30, longRequests: 1000, rowsBytes: 2 ** 20 };
const START = Buffer.from("GET / HTTP/1.1\r\nX: ");
const END = Buffer.from("\r\n\r\n");
const PIECE = Buffer.alloc(64 << 10, "x");
const PIECES = 12;

/** A connection of its own client, whose socket delivers what it is told to. */
function feedOf(turns: Turns) {
  const socket = new PassThrough();
  const parsed: Buffer[] = [];
  let held = 0;
  socket.on("data", (bytes: Buffer) => parsed.push(Buffer.from(bytes)));
  const connection = { client: newClientTurns(), used: 0, socket, current: undefined, response: undefined } as unknown as Connection;
  const onHeld = (bytes: number) => {
    held += bytes;
  };
  new RequestFeed(connection, turns, { onHeld });
  return {
    socket,
    deliver: (bytes: Buffer) => socket.emit("data", bytes),
    parsed: () => Buffer.concat(parsed),
    calls: () => parsed.length,
    held: () => held,
  };
}

test("long heads are read no faster than turns allow, in between the event loop goes on, and none of their bytes is lost", async () => {
  const turns = new Turns(LIMITS, { now: () => 0 });
  const feeds = Array.from({ length: 6 }, () => feedOf(turns));
  for (const { deliver } of feeds) deliver(START);
  const left = feeds.map(() => PIECES);
  let loops = 0;
  let most = 0;
  for (; left.some((pieces) => pieces > 0); loops++) {
    let read = 0;
    for (const [at, { socket, deliver }] of feeds.entries()) {
      while (!socket.isPaused() && left[at]! > 0) {
        deliver(PIECE);
        read += PIECE.length;
        left[at]!--;
      }
    }
    most = Math.max(most, read);
    await nextLoop();
  }
  // two milliseconds of reading, and one piece of each before it stops
  expect(most).toBeLessThanOrEqual((2 << 20) + 6 * PIECE.length);
  expect(loops).toBeGreaterThan(1);
  for (const { deliver } of feeds) deliver(END);
  while (feeds.some(({ calls }) => calls() < 2)) await nextLoop();
  const head = Buffer.concat([START, ...Array.from({ length: PIECES }, () => PIECE), END]);
  for (const { parsed, calls } of feeds) {
    expect(parsed().equals(head)).toBe(true);
    // its first byte, and the rest in one piece
    expect(calls()).toBe(2);
  }
});

test("bytes of a head that waited for their turn count once", async () => {
  const turns = new Turns(LIMITS, { now: () => 0 });
  const [busy, other] = [feedOf(turns), feedOf(turns)];
  for (const { deliver } of [busy, other]) deliver(START);
  for (let at = 0; at < PIECES; at++) busy.deliver(PIECE);
  for (let at = 0; at < PIECES; at++) busy.deliver(PIECE);
  while (!other.socket.isPaused()) other.deliver(PIECE);
  const held = other.held();
  while (other.socket.isPaused()) await nextLoop();
  expect(other.held()).toBe(held);
});
