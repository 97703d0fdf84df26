/**
 * `npm run bench:peers -- [--blocks 50000]`: makes a P-chain of blocks with one transaction each, imports it with the built Firn, and serves the
 * store over the peers' protocol from four processes. Then it measures `firn archive fetch` (fetch and verify) and `firn follow` (fetch, verify
 * and execute) from them, each into an empty folder, in blocks/s and MB/s, and as a share of what `firn import` does. All of them share the
 * machine's processors, so with few of them the shares are lower than between machines. Blocks of a public network carry certificates and
 * signatures, which these do not: they are larger, and cost one verification more.
 */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { formatNodeId } from "../src/base/bytes/cb58.ts";
import { systemPeerClock } from "../src/p2p/peer-clock.ts";
import { DEFAULT_VERSIONS } from "../src/p2p/version.ts";
import { PeerAnswers } from "../src/serve/peers/peer-answers.ts";
import { openToRead } from "../test/conformance/stores.ts";
import { startPeers } from "../test/p2p/peers.ts";
import { freePort } from "./free-port.ts";
import { BlockFile, type BlockWriter, type MadeBlock } from "./synthetic/block-file.ts";
import { networkFile, syntheticNetwork } from "./synthetic/network.ts";
import { writePlatformHistory } from "./synthetic/platform-history.ts";
import { scaled } from "./synthetic/scale.ts";

const PEERS = 4;
/** made-up transactions have no valid signatures */
const LEVEL = ["--level", "replay"];
const program = fileURLToPath(new URL("../bin/firn", import.meta.url));
const { values } = parseArgs({ options: { blocks: { type: "string", default: "50000" }, serve: { type: "string" } } });

/** One of the peers, until it is killed. */
async function serve(directory: string): Promise<void> {
  const network = syntheticNetwork();
  const answers = new PeerAnswers(await openToRead(directory), network);
  const rules = { networkId: network.networkId, upgradeTime: 0n, versions: DEFAULT_VERSIONS };
  const { identity, port } = await startPeers(systemPeerClock, { rules, serve: (request) => answers.answer(request) });
  console.log(`${formatNodeId(identity.nodeId)} 127.0.0.1:${port}`);
  // its timers keep no process alive
  setInterval(() => {}, 3_600_000);
}

/** A chain's file, and what is in it. */
class CountedFile implements BlockWriter {
  readonly #file: BlockFile;
  height = 0n;
  bytes = 0;

  constructor(path: string) {
    this.#file = new BlockFile(path);
  }

  write(block: MadeBlock): Promise<void> {
    this.height = block.height;
    this.bytes += block.bytes.length;
    return this.#file.write(block);
  }

  close(): Promise<void> {
    return this.#file.close();
  }
}

async function makeChain(folder: string, blocks: number): Promise<CountedFile> {
  mkdirSync(join(folder, "blocks"), { recursive: true });
  const network = syntheticNetwork();
  writeFileSync(join(folder, "network.json"), JSON.stringify(networkFile));
  writeFileSync(join(folder, "genesis-P.hex"), Buffer.from(network.genesisBytes).toString("hex"));
  const file = new CountedFile(join(folder, "blocks", "P.jsonl"));
  await writePlatformHistory(() => file, network, { ...scaled(0.0005, blocks * 10), endedShare: 0, txsPerBlock: 1, paymentsPace: 1n });
  return file;
}

function start(args: readonly string[]): ChildProcess {
  return spawn(process.execPath, args, { stdio: ["ignore", "pipe", "inherit"] });
}

/** Resolves to the seconds that it took. */
async function run(args: readonly string[]): Promise<number> {
  const startedAt = performance.now();
  const [code] = await once(start([program, ...args]), "close");
  if (code !== 0) throw new Error(`firn ${args[0]} ended with ${code}`);
  return (performance.now() - startedAt) / 1000;
}

/** Seconds until all blocks of P are written. It waits for X and C then, which the made network does not have. */
async function fetchArchive(flags: readonly string[], folder: string): Promise<number> {
  const startedAt = performance.now();
  const child = spawn(process.execPath, [program, "archive", "fetch", folder, ...flags], { stdio: ["ignore", "ignore", "pipe"] });
  let told = "";
  for await (const chunk of child.stderr) {
    told += chunk;
    if (told.includes("blocks/P.000000000001-")) break;
  }
  const seconds = (performance.now() - startedAt) / 1000;
  child.kill("SIGKILL");
  return seconds;
}

async function startPeer(directory: string): Promise<{ readonly child: ChildProcess; readonly id: string; readonly address: string }> {
  const child = start(["--import", "tsx", fileURLToPath(import.meta.url), "--serve", directory]);
  const [chunk] = await once(child.stdout!, "data");
  const [id, address] = `${chunk}`.trim().split(" ");
  return { child, id: id!, address: address! };
}

/** Seconds until it has this height. */
async function follow(flags: readonly string[], directory: string, height: bigint): Promise<number> {
  const port = await freePort();
  const startedAt = performance.now();
  const child = start([program, "follow", ...flags, ...LEVEL, "--data-dir", directory, "--http-port", `${port}`, "--workers", "1"]);
  try {
    for (;;) {
      const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "platform.getHeight", params: {} });
      const request = { method: "POST", headers: { "content-type": "application/json" }, body };
      const answer = await fetch(`http://127.0.0.1:${port}/ext/bc/P`, request).then(
        (response) => response.json(),
        () => undefined,
      );
      if (BigInt((answer as { result?: { height: string } } | undefined)?.result?.height ?? 0) >= height) break;
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
    return (performance.now() - startedAt) / 1000;
  } finally {
    child.kill("SIGTERM");
    await once(child, "close");
  }
}

async function main(): Promise<void> {
  const directory = mkdtempSync(join(tmpdir(), "firn-bench-peers-"));
  const peers: Awaited<ReturnType<typeof startPeer>>[] = [];
  try {
    const [recording, store] = [join(directory, "made"), join(directory, "store")];
    const { height, bytes } = await makeChain(recording, Number(values.blocks));
    console.log(`${height} blocks of the P-chain, ${(bytes / 1e6).toFixed(1)} MB`);
    const rows: [string, number][] = [["firn import", await run(["import", recording, "--data-dir", store, ...LEVEL])]];
    for (let i = 0; i < PEERS; i++) peers.push(await startPeer(store));
    const ids = peers.map(({ id }) => id).join();
    const addresses = peers.map(({ address }) => address).join();
    const flags = ["--network", join(recording, "network.json"), "--bootstrap-ids", ids, "--bootstrap-ips", addresses];
    rows.push(["firn archive fetch", await fetchArchive(flags, join(directory, "fetched"))]);
    rows.push(["firn follow", await follow(flags, join(directory, "followed"), height)]);
    const [[, alone]] = rows as [[string, number]];
    console.log("| | seconds | blocks/s | MB/s | of `firn import` |");
    console.log("|---|---|---|---|---|");
    for (const [name, seconds] of rows) {
      const cells = [
        seconds.toFixed(1),
        Math.round(Number(height) / seconds),
        (bytes / 1e6 / seconds).toFixed(1),
        (alone / seconds).toFixed(2),
      ];
      console.log(`| ${name} | ${cells.join(" | ")} |`);
    }
  } finally {
    for (const { child } of peers) child.kill("SIGKILL");
    rmSync(directory, { recursive: true, force: true });
  }
}

await (values.serve === undefined ? main() : serve(values.serve));
