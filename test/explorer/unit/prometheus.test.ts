/** The explorer's parser of metrics, on what Firn writes and on what anybody could. */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { bytesText } from "../../../explorer/src/screens/operator/bytes.ts";
import { type Metrics, ratesBy, readMetrics, sampleOf, sumsBy } from "../../../explorer/src/screens/operator/prometheus.ts";
import { expositionText, type Gauge, NO_COUNTS, RpcMetrics } from "../../../src/serve/metrics/metrics.ts";

const plain = (metrics: Metrics) => [...metrics].map(([name, samples]) => [name, samples.map(({ labels, value }) => [labels, value])]);

describe("Metrics", () => {
  test("are read as Firn writes them, whatever the labels hold", () => {
    const label = fc.tuple(fc.constantFrom("chain", "process", "upstream"), fc.string({ unit: "grapheme" }));
    const gauge = fc.record({
      labels: fc.array(label, { maxLength: 3 }).map((pairs) => Object.fromEntries(pairs)),
      value: fc.oneof(fc.integer(), fc.double({ noNaN: true, noDefaultInfinity: true })),
    });
    fc.assert(
      fc.property(fc.array(gauge, { minLength: 1, maxLength: 5 }), (values) => {
        const gauges: Gauge[] = [{ name: "firn_test", help: "A test.", values }];
        const read = readMetrics(expositionText(NO_COUNTS, gauges));
        // JSON tells no difference between 0 and -0, nor does the text
        expect(JSON.stringify(plain(read))).toBe(JSON.stringify([["firn_test", values.map(({ labels, value }) => [labels, value])]]));
      }),
    );
  });

  test("of requests, answers and refusals are those that were counted", () => {
    const counted = new RpcMetrics();
    for (const status of [200, 200, 503]) counted.countResponse("bc/P", status);
    counted.countResponse("info", 200);
    counted.record("platform.getTx", false, 0.002);
    counted.record("platform.getTx", true, 0.5);
    const metrics = readMetrics(expositionText(counted.counts, []));
    expect(sumsBy(metrics, "firn_http_responses_total", "endpoint")).toEqual(
      new Map([
        ["bc/P", 3],
        ["info", 1],
      ]),
    );
    expect(sampleOf(metrics, "firn_http_responses_total", { endpoint: "bc/P", status: "503" })).toBe(1);
    expect(sumsBy(metrics, "firn_rpc_requests_total", "method")).toEqual(new Map([["platform.getTx", 2]]));
    expect(sampleOf(metrics, "firn_rpc_duration_seconds_bucket", { method: "platform.getTx", le: "+Inf" })).toBe(2);
  });

  test.each([
    ['a{b="c"} 1', [["a", [[{ b: "c" }, 1]]]]],
    ['a{b="c",} 1 1700000000000', [["a", [[{ b: "c" }, 1]]]]],
    ["a +Inf\na -Inf\na 1e3\na .5", [["a", [Infinity, -Infinity, 1000, 0.5].map((value) => [{}, value])]]],
    ['a{b="\\\\n\\n\\""} 0', [["a", [[{ b: '\\n\n"' }, 0]]]]],
    ["# HELP a 1\n# TYPE a counter\n\na", []],
    ['a{b=c} 1\na{b="c} 1\na 0x10\na 1 2 3\n{} 1\n<html> 1', []],
  ] as const)("%j is read as that, and what is no sample is passed over", (text, read) => {
    expect(plain(readMetrics(text))).toEqual(read);
  });

  test("of a hostile server are bounded", () => {
    expect(readMetrics("a 1\n".repeat(60_000)).get("a")?.length).toBe(50_000);
    expect(readMetrics(`a{${'b="c",'.repeat(100_000)}!} 1`).size).toBe(0);
  });

  test("are texts of any kind without an exception", () => {
    fc.assert(fc.property(fc.string({ unit: "binary", maxLength: 300 }), (text) => readMetrics(text) instanceof Map));
  });
});

describe("Rates", () => {
  test("are what a counter grew by a second, and count from 0 after a restart", () => {
    const before = readMetrics('n{m="a"} 10\nn{m="b"} 100');
    const after = readMetrics('n{m="a"} 25\nn{m="b"} 10\nn{m="c"} 5');
    expect(ratesBy(before, after, { name: "n", label: "m", seconds: 5 })).toEqual(
      new Map([
        ["a", 3],
        ["b", 2],
        ["c", 1],
      ]),
    );
  });

  test("are 0 between readings of the same moment", () => {
    expect(ratesBy(new Map(), readMetrics('n{m="a"} 1'), { name: "n", label: "m", seconds: 0 })).toEqual(new Map([["a", 0]]));
  });
});

test.each([
  [0, "0 B"],
  [1023, "1023 B"],
  [1536, "1.5 KiB"],
  [3 * 2 ** 30, "3.0 GiB"],
])("%s bytes are %s", (bytes, text) => expect(bytesText(bytes)).toBe(text));
