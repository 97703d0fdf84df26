import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { createServer, type ServerResponse } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { ChainProgress } from "../../src/api/state/chain-progress.ts";
import { close, listen } from "../../src/http/listen.ts";
import { mergeCounts, RpcMetrics } from "../../src/serve/metrics/metrics.ts";
import { exposition, processMetrics } from "../../src/serve/metrics/process-metrics.ts";
import { serverUrl } from "../../src/serve/serve-here.ts";
import { serveHere } from "./serve-here.ts";
import { openSmallStore } from "./small-store.ts";

let directory: string;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), "firn-serve-"));
});
afterEach(() => rmSync(directory, { recursive: true, force: true }));

describe("what cannot be served", () => {
  test("is a folder without a store: the error says how to make one", async () => {
    await expect(serveHere(directory)).rejects.toMatchObject({ code: "store-missing", message: expect.stringContaining("firn import") });
  });

  test("is a store that holds no network", async () => {
    const small = await openSmallStore();
    await expect(serveHere(small.directory)).rejects.toMatchObject({ code: "store-empty" });
    await small.remove();
  });
});

describe("listening", () => {
  test("on a taken port fails with one sentence that names it", async () => {
    const first = createServer();
    const { port } = await listen(first, "127.0.0.1", 0);
    await expect(listen(createServer(), "127.0.0.1", port)).rejects.toMatchObject({
      code: "port-taken",
      message: `port ${port} on 127.0.0.1 is in use; stop the program that listens there, or use another --http-port`,
    });
    await close(first);
  });

  test("on an address of another machine says so", async () => {
    await expect(listen(createServer(), "192.0.2.1", 0)).rejects.toMatchObject({ code: "host-unknown" });
  });

  test("is told by a URL that can be opened", () => {
    expect([serverUrl("0.0.0.0", 9650), serverUrl("::1", 1), serverUrl("localhost", 2)]).toEqual([
      "http://127.0.0.1:9650",
      "http://[::1]:1",
      "http://localhost:2",
    ]);
  });

  test("ends only when running requests are answered", async () => {
    const server = createServer();
    const { port } = await listen(server, "127.0.0.1", 0);
    const response = fetch(`http://127.0.0.1:${port}/`);
    const [, late] = (await once(server, "request")) as [unknown, ServerResponse];
    const closed = close(server);
    late.end("late");
    expect(await (await response).text()).toBe("late");
    await closed;
  });
});

describe("metrics", () => {
  const index = { chains: [], reports: { health: [], readiness: [] }, progress: [] };
  const NO_PROGRESS: ChainProgress = {
    name: "X",
    ...{ chainId: "00", subnet: "", lastContainerId: "00", isServed: true, isRequired: true },
    ...{ height: 5n, blocksBehind: 0n, secondsBehind: 0, secondsWithoutProgress: 0 },
  };

  test("of all processes are added up, and buckets are cumulative", () => {
    const [a, b] = [new RpcMetrics(), new RpcMetrics()];
    a.countResponse("P", 200);
    b.countResponse("P", 200);
    a.record("platform.getHeight", false, 0.0002);
    b.record("platform.getHeight", true, 20);
    const before = JSON.stringify(a.counts);
    const text = exposition([processMetrics("one", a.counts), processMetrics("two", b.counts)], index);
    expect(text).toContain('firn_http_responses_total{endpoint="P",status="200"} 2\n');
    expect(text).toContain('firn_rpc_requests_total{method="platform.getHeight",outcome="success"} 1\n');
    expect(text).toContain('firn_rpc_requests_total{method="platform.getHeight",outcome="error"} 1\n');
    expect(text).toContain('firn_rpc_duration_seconds_bucket{method="platform.getHeight",le="0.0001"} 0\n');
    expect(text).toContain('firn_rpc_duration_seconds_bucket{method="platform.getHeight",le="0.00025"} 1\n');
    expect(text).toContain('firn_rpc_duration_seconds_bucket{method="platform.getHeight",le="+Inf"} 2\n');
    expect(JSON.stringify(a.counts)).toBe(before);
    expect(mergeCounts([a.counts])).toEqual(a.counts);
  });

  test("have a help line and a type for each name, and names that end in a unit", () => {
    const text = exposition([processMetrics("one", new RpcMetrics().counts)], {
      ...index,
      chains: [{ alias: "P", height: 5n }],
      progress: [{ ...NO_PROGRESS, name: "P", secondsBehind: 7, lastBlockAgeSeconds: 90 }],
      keys: [{ keyId: "0badcafe", units: 120 }],
    });
    const names = [...text.matchAll(/^# TYPE (\S+)/gm)].map(([, name]) => name!);
    expect(text.match(/^# HELP /gm)).toHaveLength(names.length);
    for (const name of names)
      expect(name).toMatch(
        /_(total|seconds|bytes|blocks|transactions|contracts|nfts|requests|units|peers|webhooks|messages|ratio|boolean)$/,
      );
    expect(text).toContain('firn_chain_height_blocks{chain="P"} 5\n');
    expect(text).toContain('firn_chain_behind_source_seconds{chain="P"} 7\n');
    expect(text).toContain('firn_chain_last_block_age_seconds{chain="P"} 90\n');
    expect(text).toContain('firn_key_spent_today_units{key="0badcafe"} 120\n');
  });
});
