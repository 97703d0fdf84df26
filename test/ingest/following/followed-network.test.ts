/** Which network is followed: what users name, and what upstreams say of themselves. */
import { copyFileSync, readFileSync, writeFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { afterEach, describe, expect, test } from "vitest";
import { buildGenesis } from "../../../src/chains/platform/genesis/genesis-config.ts";
import { type FollowedNetworkOptions, followedNetwork } from "../../../src/ingest/following/followed-network.ts";
import { networkInstance } from "../../../src/ingest/network-instance.ts";
import { LOCAL_EPOCH, localGenesis, RESTART_PERIOD } from "../../../src/network/local-genesis.ts";
import { parseNetworkFile } from "../../../src/network/network-file.ts";
import { fuji, localNetwork, mainnet, publicGenesis } from "../../../src/network/presets.ts";
import type { NodeNetwork } from "../../../src/sources/nodes/node-network.ts";
import { recordingFolder } from "../../conformance/recordings.ts";
import { scratchDirectory } from "../../store/scratch.ts";

const NOW = LOCAL_EPOCH + 3n * RESTART_PERIOD + 1n;
const signal = new AbortController().signal;
const servers: Server[] = [];
afterEach(() => {
  for (const server of servers.splice(0)) server.close();
});

/** An answer of `info.upgrades`, as nodes of the local network give it. */
const UPGRADES = {
  ...Object.fromEntries(Object.keys(localNetwork().upgrades.times).map((name) => [`${name}Time`, "2020-12-05T05:00:00Z"])),
  heliconTime: "9999-12-01T00:00:00Z",
  apricotPhase4MinPChainHeight: 0,
  cortinaXChainStopVertexID: "11111111111111111111111111111111LpoYY",
  graniteEpochDuration: 30_000_000_000,
};

function localGenesisId(startTime: bigint): string {
  return networkInstance(localNetwork(), buildGenesis(localGenesis({ startTime }))).genesisId;
}

function follow(options: Partial<FollowedNetworkOptions>, upstream?: Partial<NodeNetwork>, known?: Uint8Array) {
  const upstreams = async () => {
    if (upstream === undefined) throw new Error("no upstream is needed for this");
    return { networkId: 12345, upgrades: UPGRADES, genesisId: localGenesisId(LOCAL_EPOCH), ...upstream };
  };
  const upstreamGenesis = async () => undefined;
  return followedNetwork({ name: "local", upstreams, upstreamGenesis, now: NOW, signal, ...options }, known);
}

function serveText(text: string, status = 200): Promise<string> {
  const server = createServer((_, response) => response.writeHead(status).end(text));
  servers.push(server);
  return new Promise((resolve) => {
    server.listen(0, "127.0.0.1", () => resolve(`http://127.0.0.1:${(server.address() as AddressInfo).port}/genesis.json`));
  });
}

describe("The local network", () => {
  test.each([0n, 1n, 2n, 3n])("of any date is known by its nodes' genesis (%s periods after the first)", async (periods) => {
    const startTime = LOCAL_EPOCH + periods * RESTART_PERIOD;
    const { network, networkFile } = await follow({}, { genesisId: localGenesisId(startTime) });
    expect(network.genesisId).toBe(localGenesisId(startTime));
    expect(network.upgrades.times.helicon).toBeGreaterThan(NOW);
    const parameters = parseNetworkFile(JSON.parse(Buffer.from(networkFile).toString()));
    expect(network).toMatchObject(parameters);
  });

  test("has the upgrades that its nodes name", async () => {
    const { network } = await follow({}, { upgrades: { ...UPGRADES, heliconTime: "2020-12-05T05:00:00Z" } });
    expect(network.upgrades.times.helicon).toBe(network.upgrades.times.granite);
  });

  test("with a genesis that none of its dates has needs that genesis, and takes no other one", async () => {
    const startTime = LOCAL_EPOCH + 1234n;
    const upstream = { genesisId: localGenesisId(startTime) };
    await expect(follow({}, upstream)).rejects.toThrow("is none that the local network ever had; name its file with --genesis <file>");
    const path = join(scratchDirectory(), "genesis-P.hex");
    writeFileSync(path, buildGenesis(localGenesis({ startTime })).toString("hex"));
    expect((await follow({ genesis: path }, upstream)).network.genesisId).toBe(upstream.genesisId);
    await expect(follow({ genesis: path }, {})).rejects.toThrow("the genesis is not that of local");
  });

  test("of a devnet, which tells its genesis, is known by it; one that is not the upstream's is not taken", async () => {
    const genesis = buildGenesis(localGenesis({ cChainTime: 1_795_219_200n }));
    const upstream = { genesisId: networkInstance(localNetwork(), genesis).genesisId };
    const { network } = await follow({ upstreamGenesis: async () => genesis }, upstream);
    expect(network.genesisId).toBe(upstream.genesisId);
    const another = buildGenesis(localGenesis({ cChainTime: 1_795_219_201n }));
    await expect(follow({ upstreamGenesis: async () => another }, upstream)).rejects.toThrow("name its file with --genesis <file>");
  });

  test("is not what nodes of another network are of", async () => {
    await expect(follow({}, { networkId: 5 })).rejects.toThrow("the upstream is of network 5, not of the local network 12345");
  });
});

describe("A network of one's own", () => {
  test("is its network.json with the genesis beside it, or the one that is named", async () => {
    const folder = recordingFolder("live-1");
    const { network } = await follow({ name: join(folder, "network.json") });
    expect(network.genesisId).toBe(
      (await follow({ name: join(folder, "network.json"), genesis: join(folder, "genesis-P.hex") })).network.genesisId,
    );
    const alone = scratchDirectory();
    copyFileSync(join(folder, "network.json"), join(alone, "network.json"));
    await expect(follow({ name: join(alone, "network.json") })).rejects.toThrow("name the genesis with --genesis <file>");
    const known = network.genesisBytes;
    expect((await follow({ name: join(alone, "network.json") }, undefined, known)).network.genesisId).toBe(network.genesisId);
  });

  test("that cannot be read is refused in a sentence", async () => {
    await expect(follow({ name: "mainet" })).rejects.toThrow("use mainnet, fuji, local, or the path of a network.json");
  });
});

describe("A public network", () => {
  test("takes no genesis but its own, and tells where it is", async () => {
    const other = await serveText(readFileSync(join(recordingFolder("latest-1"), "genesis-P.hex"), "utf8"));
    await expect(follow({ name: "fuji", genesis: other })).rejects.toThrow("the genesis is not that of fuji");
    await expect(follow({ name: "fuji", genesis: await serveText("<html>", 404) })).rejects.toThrow("the server answers 404");
    await expect(follow({ name: "fuji", genesis: await serveText("<html>") })).rejects.toThrow("is not a genesis");
    await expect(follow({ name: "mainnet" }, undefined, buildGenesis(localGenesis()))).rejects.toThrow(
      "the genesis is not that of mainnet",
    );
  });

  describe.skipIf(process.env.FIRN_GENESIS_FILES === undefined)("by the file of the reference node's repository", () => {
    const PRESETS = { mainnet, fuji };
    const fileOf = (name: string) => join(process.env.FIRN_GENESIS_FILES!, `genesis_${name}.json`);

    test.each(["mainnet", "fuji"] as const)("is %s, by path and by URL, and no other network", async (name) => {
      const url = await serveText(readFileSync(fileOf(name), "utf8"));
      for (const genesis of [fileOf(name), url]) {
        const { network } = await follow({ name, genesis });
        expect(network).toMatchObject(PRESETS[name]);
        expect(network.genesisId).toBe(publicGenesis(network.networkId)!.genesisId);
      }
      const other = fileOf(name === "fuji" ? "mainnet" : "fuji");
      await expect(follow({ name, genesis: other })).rejects.toThrow(/the genesis is (not )?(that )?of/);
      const changed = await serveText(readFileSync(fileOf(name), "utf8").replace(/"startTime": (\d+)\d,/, '"startTime": $19,'));
      await expect(follow({ name, genesis: changed })).rejects.toThrow(`the genesis is not that of ${name}: its ID is `);
    });
  });
});
