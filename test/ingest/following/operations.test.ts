/** What a server says of a followed network in `/ext/metrics`, for the dashboard and the alerts of `deploy/`. The network is a recording, served as nodes would serve it. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { freePort } from "../../../bench/free-port.ts";
import { readConfig } from "../../../src/cli/config.ts";
import { followAndServe } from "../../../src/cli/follow/follow-chains.ts";
import { storeStatus } from "../../../src/cli/store/store-status.ts";
import { entryOf } from "../../../src/evm/chain-entry.ts";
import { openStore } from "../../../src/store/open.ts";
import { recordingFolder } from "../../conformance/recordings.ts";
import { startReplayRpc } from "../../evm/replay-rpc/replay-rpc.ts";
import { eventually } from "../../patience.ts";
import { ReplayNode } from "../../sources/upstream/replay-node.ts";
import { scratchDirectory } from "../../store/scratch.ts";

interface Told {
  readonly metrics: string;
  readonly health: string;
  readonly dataDir: string;
}

/** Follows `live-1` and an EVM chain, and returns the metrics once they satisfy `isThere`, and what health says then. */
async function followedMetrics(
  upstreams: readonly string[],
  evmNodes: readonly string[],
  isThere: (metrics: string) => boolean,
): Promise<Told> {
  const dataDir = scratchDirectory();
  const flags = {
    dataDir,
    network: join(recordingFolder("live-1"), "network.json"),
    upstream: upstreams.join(","),
    ...{ httpPort: "0", workers: "1", logLevel: "silent", healthCheckFrequency: "200ms" },
  };
  const stop = new AbortController();
  let tellUrl: (url: string) => void;
  const url = new Promise<string>((resolve) => {
    tellUrl = resolve;
  });
  const running = followAndServe(readConfig({ flags, environment: {} }), [entryOf(evmNodes)], stop.signal, (text) =>
    tellUrl(/http\S+/.exec(text)![0]),
  );
  try {
    const place = await Promise.race([url, running.then(() => "")]);
    return await eventually(async () => {
      const metrics = await (await fetch(`${place}/ext/metrics`)).text();
      const health = await (await fetch(`${place}/ext/health`)).text();
      const { network, 43112: evmChain } = JSON.parse(health).checks;
      const isTold = network.message.upstreams?.length === upstreams.length && evmChain?.message?.upstreams?.length === evmNodes.length;
      return isTold && isThere(metrics) && { metrics, health, dataDir };
    });
  } finally {
    stop.abort();
    await running;
  }
}

test("the metrics of a follower tell of each of its nodes and of the chains, and have all that the files of deploy/ ask for", async () => {
  const node = await ReplayNode.start({ recording: recordingFolder("live-1"), released: { P: 5n, C: 3n } });
  const evmNode = await startReplayRpc({ recording: recordingFolder("evm-1") });
  const gone = `http://127.0.0.1:${await freePort()}`;
  try {
    const isThere = (metrics: string) =>
      metrics.includes('firn_chain_height_blocks{chain="P"} 5\n') &&
      // what the node said last is written every ten seconds
      metrics.includes(`firn_upstream_height_blocks{upstream="${node.url}",chain="P"} 5\n`) &&
      /^firn_source_silent_seconds\{source="network"\} \d+$/m.test(metrics) &&
      // after the first commit of its blocks
      metrics.includes('firn_chain_behind_source_seconds{chain="43112"}') &&
      metrics.includes(`{source="network",upstream="${gone}",kind="connection_refused"}`) &&
      metrics.includes(`firn_upstream_state_boolean{source="network",upstream="${gone}",state="resting"} 1\n`);
    const { metrics, health, dataDir } = await followedMetrics([node.url, gone], [evmNode.url], isThere);
    for (const [source, used] of [
      ["network", node.url],
      ["43112", evmNode.url],
    ]) {
      expect(metrics).toContain(`firn_upstream_state_boolean{source="${source}",upstream="${used}",state="used"} 1\n`);
    }
    expect(metrics).toMatch(/^firn_upstream_failed_requests\{source="network",.*\} [1-9]/m);
    expect(metrics).toMatch(/^firn_chain_prefetched_blocks\{chain="P"\} \d+$/m);
    expect(metrics).toMatch(/^firn_chain_prefetched_blocks\{chain="43112"\} \d+$/m);
    expect(metrics).toContain('firn_chain_waiting_blocks{chain="C"} 0\n');
    expect(metrics).toContain('firn_chain_reorganisations_total{chain="43112"} 0\n');
    expect(metrics).toContain('firn_issued_transactions_total{outcome="taken"} 0\n');
    expect(metrics).toMatch(/^firn_chain_behind_source_seconds\{chain="43112"\} \d+$/m);
    const { checks } = JSON.parse(health);
    expect(checks.network.message.upstreams).toMatchObject([{ name: node.url }, { name: gone }]);
    expect(checks["43112"].message.upstreams).toMatchObject([{ name: evmNode.url, state: "used" }]);
    const opened = await openStore({ directory: dataDir, mode: "read" });
    const { network, evmChains } = await storeStatus(opened, dataDir);
    await opened.close();
    expect(network!.upstreams).toMatchObject([{ name: node.url }, { name: gone, errors: { connection_refused: expect.any(Number) } }]);
    expect(evmChains).toMatchObject([{ evmChainId: "43112", upstreams: [{ name: evmNode.url, state: "used", errors: {} }] }]);
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
    await Promise.all([node.stop(), evmNode.close()]);
  }
});
