import fc from "fast-check";
import { expect, test } from "vitest";
import { JsonReader } from "../../../src/base/json/json-reader.ts";
import { AnswerError } from "../../../src/sources/evm/parser/answer-object.ts";
import { type CallTree, CallTreeReader, MOST_CALLS, readCallTree, SHOWN_BYTES } from "../../../src/sources/evm/parser/call-tree-reader.ts";

interface Frame {
  readonly type: string;
  readonly from: string;
  readonly to?: string;
  readonly value?: string;
  readonly gas: string;
  readonly gasUsed: string;
  readonly input: string;
  readonly output?: string;
  readonly error?: string;
  readonly revertReason?: string;
  readonly logs?: readonly unknown[];
  readonly calls?: readonly Frame[];
}

/** As it arrives, in pieces. */
function readStream(trace: unknown, pieceBytes = 1000): CallTree {
  const reader = new CallTreeReader();
  const bytes = Buffer.from(JSON.stringify(trace));
  const json = new JsonReader(reader, { maxDepth: 2200, maxTextBytes: 1e8 });
  for (let at = 0; at < bytes.length; at += pieceBytes) json.write(bytes.subarray(at, at + pieceBytes));
  json.end();
  return readCallTree(reader.result());
}

const readParsed = (trace: unknown) => readCallTree(JSON.parse(JSON.stringify(trace)));

function flattened(frame: Frame, depth = 0): object[] {
  const bytes = (hex = "0x") => ({
    start: hex.slice(2, 2 + 2 * SHOWN_BYTES),
    length: (hex.length - 2) / 2,
  });
  const own = {
    depth,
    type: frame.type,
    from: frame.from.slice(2),
    to: frame.to?.slice(2),
    value: BigInt(frame.value ?? 0),
    gas: BigInt(frame.gas),
    gasUsed: BigInt(frame.gasUsed),
    input: bytes(frame.input),
    output: bytes(frame.output),
    error: frame.error,
  };
  return [own, ...(frame.calls ?? []).flatMap((call) => flattened(call, depth + 1))];
}

function plain({ calls }: CallTree): object[] {
  const hex = ({ start, length }: { start: Buffer; length: number }) => ({ start: start.toString("hex"), length });
  return calls.map((call) => ({ ...call, input: hex(call.input), output: hex(call.output) }));
}

const address = fc.constantFrom("a1", "b2").map((byte) => `0x${byte.repeat(20)}`);
const quantity = fc.nat().map((value) => `0x${value.toString(16)}`);
const someBytes = fc.constantFrom(0, 4, SHOWN_BYTES, SHOWN_BYTES + 1, 3000).map((length) => `0x${"7f".repeat(length)}`);
const frame = fc.letrec<{ frame: Frame }>((tie) => ({
  frame: fc.record(
    {
      // nodes differ in the order of members
      calls: fc.array(tie("frame"), { maxLength: 3 }),
      type: fc.constantFrom("CALL", "DELEGATECALL", "STATICCALL", "CREATE2", "SELFDESTRUCT"),
      from: address,
      to: address,
      value: quantity,
      gas: quantity,
      gasUsed: quantity,
      input: someBytes,
      output: someBytes,
      error: fc.constantFrom("execution reverted", "out of gas"),
      revertReason: fc.constant("said by the node"),
      logs: fc.constant([{ address: "0x", topics: [[]], data: { calls: [{}] } }]),
    },
    { requiredKeys: ["type", "from", "gas", "gasUsed", "input"] },
  ),
})).frame;

test("The calls of any trace are read in their order, be it parsed or while it arrives", () => {
  fc.assert(
    fc.property(frame, fc.integer({ min: 1, max: 300 }), (trace, pieceBytes) => {
      const wanted = flattened(trace);
      expect(wanted.length).toBeLessThanOrEqual(MOST_CALLS);
      for (const tree of [readParsed(trace), readStream(trace, pieceBytes)]) {
        expect(plain(tree)).toEqual(wanted);
        expect(tree.isComplete).toBe(true);
      }
    }),
    { numRuns: 60 },
  );
});

const call = (calls: readonly Frame[] = [], input = "0x"): Frame => ({
  type: "CALL",
  from: `0x${"a1".repeat(20)}`,
  gas: "0x1",
  gasUsed: "0x1",
  input,
  calls,
});

test("the first calls of a wide or a deep tree are read, with a note that there are more", () => {
  const wide = call(Array.from({ length: MOST_CALLS }, (_, index) => call([], `0x${index.toString(16).padStart(4, "0")}`)));
  let deep = call();
  for (let depth = 0; depth < MOST_CALLS; depth++) deep = call([deep, deep].slice(0, depth === 0 ? 2 : 1));
  for (const trace of [wide, deep]) {
    for (const tree of [readParsed(trace), readStream(trace)]) {
      expect(tree.isComplete).toBe(false);
      expect(plain(tree)).toEqual(flattened(trace).slice(0, MOST_CALLS));
    }
  }
  const whole = { ...wide, calls: wide.calls!.slice(1) };
  expect(readParsed(whole)).toMatchObject({ isComplete: true });
  expect(readParsed(whole).calls).toHaveLength(MOST_CALLS);
});

test("No trace makes the reader hold more than the first calls and the beginnings of their bytes", () => {
  const reader = new CallTreeReader();
  const json = new JsonReader(reader, { maxDepth: 2200, maxTextBytes: 1e8 });
  const frameText = `${JSON.stringify(call([], `0x${"00".repeat(100_000)}`))},`;
  json.write(Buffer.from(`{"type":"CALL","calls":[`));
  for (let count = 0; count < 2000; count++) json.write(Buffer.from(frameText));
  expect(reader.heldBytes).toBeLessThan(MOST_CALLS * (600 + 2 * SHOWN_BYTES) + 1);
});

test("Bytes beyond half a MiB are told by their length alone", () => {
  const trace = call([], `0x${"00".repeat(600_000)}`);
  for (const tree of [readParsed(trace), readStream(trace)]) {
    expect(tree.calls[0]!.input).toEqual({ start: Buffer.alloc(0), length: 600_000 });
  }
});

test("an answer that is no trace is refused", () => {
  const own = call();
  const wrong = [
    null,
    7,
    [],
    [own],
    {},
    { calls: [own], isComplete: true },
    { ...own, type: "drop table" },
    { ...own, from: "0x12" },
    { ...own, gas: `0x${"f".repeat(17)}` },
    { ...own, input: "0x123" },
    { ...own, input: "12" },
    { ...own, output: "0xzz" },
    { ...own, output: 12 },
    { ...own, output: { calls: [own] } },
    { ...own, calls: [[own]] },
    { ...own, calls: [own, 7] },
    { ...own, calls: own },
    { failed: false, gas: 0, returnValue: "0x", structLogs: [] },
  ];
  for (const trace of wrong) {
    for (const read of [readParsed, readStream]) expect(() => read(trace), JSON.stringify(trace)?.slice(0, 200)).toThrow(AnswerError);
  }
});

test("Whatever a node puts in the place of any member is refused, or leads to calls of the right form", () => {
  const values = fc.oneof(fc.jsonValue(), fc.constantFrom("0x", `0x${"f".repeat(70)}`, "constructor", "__proto__"));
  const names = fc.constantFrom(
    "type",
    "from",
    "to",
    "value",
    "gas",
    "gasUsed",
    "input",
    "output",
    "error",
    "calls",
    "__proto__",
    "constructor",
  );
  fc.assert(
    fc.property(frame, fc.array(fc.tuple(names, values), { minLength: 1, maxLength: 3 }), (trace, changes) => {
      const changed = JSON.parse(JSON.stringify(call([trace])));
      for (const [name, value] of changes)
        Object.defineProperty(changed.calls[0] ?? changed, name, { value, enumerable: true, configurable: true, writable: true });
      const outcomes = [readParsed, readStream].map((read) => {
        try {
          return plain(read(changed));
        } catch (error) {
          expect(error).toBeInstanceOf(AnswerError);
          return "refused";
        }
      });
      expect(outcomes[0]).toEqual(outcomes[1]);
      if (outcomes[0] === "refused") return;
      for (const { type, from, value, gas, error } of outcomes[0] as unknown as CallTree["calls"]) {
        expect(type).toMatch(/^[A-Z0-9_]{1,32}$/);
        expect(from).toMatch(/^[0-9a-f]{40}$/);
        for (const amount of [value, gas]) expect(amount).toBeTypeOf("bigint");
        if (error !== undefined) expect(error.length).toBeLessThanOrEqual(200);
      }
    }),
    { numRuns: 400 },
  );
});
