import fc from "fast-check";
import { expect, test } from "vitest";
import { decodeAll, encodeAll, str } from "../../src/base/codec/codec.ts";
import { nodesJson } from "../../src/store/live-rows.ts";

const node = fc.record({
  name: fc.webUrl(),
  state: fc.constantFrom("used", "refused"),
  reason: fc.option(fc.string({ unit: "binary" }), { nil: undefined }),
});

test("what nodes said is read from a row as it was, whatever letters they use", () => {
  fc.assert(
    fc.property(fc.array(node), (nodes) => {
      const stored = decodeAll(str, encodeAll(str, nodesJson(nodes)));
      const expected = nodes.map((each) => ({ ...each, reason: each.reason?.slice(0, 500) }));
      expect(JSON.parse(stored)).toEqual(JSON.parse(JSON.stringify(expected)));
    }),
  );
});

test("reasons of any length, and more nodes than fit, make a row that can be read", () => {
  const nodes = Array.from({ length: 100 }, (_, place) => ({ name: `${place}`, reason: "🧊".repeat(20_000) }));
  const json = nodesJson(nodes);
  expect(json.length).toBeLessThanOrEqual(0xffff);
  const kept = JSON.parse(decodeAll(str, encodeAll(str, json)));
  expect(kept.length).toBeGreaterThan(10);
  expect(kept[0]).toEqual({ name: "0", reason: "🧊".repeat(250) });
});
