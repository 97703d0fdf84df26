/** What a server says of a followed network in `/ext/metrics`, for the dashboard and the alerts of `deploy/`. The network is a recording, served as nodes would serve it. */
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { expect, test } from "vitest";
import { readConfig } from "../../src/cli/config.ts";
import { follow } from "../../src/cli/follow-chains.ts";
import { recordingFolder } from "../conformance/recordings.ts";
import { scratchDirectory } from "../store/scratch.ts";
import { ReplayNode } from "../upstream/replay-node.ts";

/** A port on which nobody listens. */
async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  server.close();
  return port;
}

/** Follows `live-1` up to P block 5, and returns the metrics once they satisfy `isThere`. */
async function followedMetrics(upstreams: readonly string[], isThere: (metrics: string) => boolean): Promise<string> {
  const flags = {
    dataDir: scratchDirectory(),
    network: join(recordingFolder("live-1"), "network.json"),
    upstream: upstreams.join(","),
    ...{ httpPort: "0", workers: "1", logLevel: "silent", healthCheckFrequency: "200ms" },
  };
  const stop = new AbortController();
  let tellUrl: (url: string) => void;
  const url = new Promise<string>((resolve) => {
    tellUrl = resolve;
  });
  const running = follow(readConfig({ flags, environment: {} }), [], stop.signal, (text) => tellUrl(/http\S+/.exec(text)![0]));
  try {
    const place = await Promise.race([url, running.then(() => "")]);
    for (;;) {
      const metrics = await (await fetch(`${place}/ext/metrics`)).text();
      if (isThere(metrics)) return metrics;
      await pause(100);
    }
  } finally {
    stop.abort();
    await running;
  }
}

test("the metrics of a follower tell of each of its nodes and of the chains, and have all that the files of deploy/ ask for", async () => {
  const node = await ReplayNode.start({ recording: recordingFolder("live-1"), released: { P: 5n } });
  const gone = `http://127.0.0.1:${await freePort()}`;
  try {
    const isThere = (metrics: string) =>
      metrics.includes('firn_chain_height_blocks{chain="P"} 5\n') && /firn_upstream_failed_requests\{.*\} [1-9]/.test(metrics);
    const metrics = await followedMetrics([node.url, gone], isThere);
    expect(metrics).toContain(`firn_upstream_state_boolean{upstream="${node.url}",state="used"} 1\n`);
    expect(metrics).toContain(`firn_upstream_state_boolean{upstream="${gone}",state="used"} 0\n`);
    expect(metrics).toContain(`firn_upstream_height_blocks{upstream="${node.url}",chain="P"} 5\n`);
    expect(metrics).toMatch(/^firn_source_silent_seconds\{source="network"\} \d+$/m);
    expect(metrics).toMatch(/^firn_chain_behind_source_blocks\{chain="P"\} \d+$/m);
    expect(metrics).toContain('firn_chain_problem_boolean{chain="X"} 0\n');
    const [size, available, store] = ["firn_disk_size_bytes", "firn_disk_available_bytes", "firn_store_size_bytes"].map((name) =>
      Number(new RegExp(`^${name} (\\d+)$`, "m").exec(metrics)![1]),
    );
    expect(size).toBeGreaterThan(available!);
    expect(store).toBeGreaterThan(1000);
    // and nothing that the dashboard and the alerts ask for is missing
    const exposed = [...metrics.matchAll(/^# TYPE (\S+)/gm)].map(([, name]) => name!);
    for (const file of ["grafana-dashboard.json", "alerts.yml"]) {
      const used = readFileSync(`deploy/${file}`, "utf8")
        .match(/\bfirn_\w+/g)!
        .map((name) => name.replace(/_bucket$/, ""));
      expect({ file, unknown: used.filter((name) => !exposed.includes(name)) }).toEqual({ file, unknown: [] });
    }
  } finally {
    await node.stop();
  }
});
