/**
 * `npm run bench:issue -- [--clients 64] [--seconds 10] [--only TEXT] [--profile FOLDER]`: measures transactions per second from `issueTx` over HTTP until
 * they are visible in the Data API, on a devnet of one process that verifies signatures. Each client waits for its transaction before it
 * issues the next one. The requests per second of a bare node:http server in the same run are used to scale the reference node's figures.
 * `--profile` writes CPU profiles of the devnet's process into a folder.
 */
import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { cpus, loadavg, tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { formatNetworkFile } from "../src/network/network-file.ts";
import { localNetwork } from "../src/network/presets.ts";
import type { NetworkDescription } from "../src/serve/local-network/describe.ts";
import { freePort } from "./free-port.ts";
import type { Load, LoadOutcome } from "./issue/clients.ts";
import type { TransferChain } from "./issue/transfers.ts";
import { load, requireWrk, run } from "./load.ts";
import { residentMb } from "./resident.ts";

interface Case {
  readonly name: string;
  readonly chain: TransferChain;
  readonly flags: readonly string[];
  /** transactions/s of the reference node, on a machine where the bare server answered `REFERENCE_BARE` requests/s */
  readonly reference?: number;
  readonly aim: string;
  readonly transfersPerSecond: number;
}

const REFERENCE_BARE = 52_000;
const REFERENCE_X = 1840;
const REFERENCE_P = 720;
/** About the bytes of answers that a client gets for one transaction. */
const ANSWER_BYTES = 1000;

const { values } = parseArgs({
  options: {
    clients: { type: "string", default: "64" },
    seconds: { type: "string", default: "10" },
    only: { type: "string", default: "" },
    profile: { type: "string" },
  },
});
const clients = Number(values.clients);
const seconds = Number(values.seconds);
const profiling = values.profile === undefined ? [] : ["--cpu-prof", "--cpu-prof-dir", values.profile];
/** Excluded from the measurement: code is being compiled, and P has spare capacity. */
const warmUpSeconds = 3;
const root = fileURLToPath(new URL("../", import.meta.url));
const scratch = mkdtempSync(join(tmpdir(), "firn-bench-issue-"));

/** A network with more gas than the load can use. */
function generousNetworkFile(): string {
  const network = localNetwork();
  const { maxGasCapacity, maxGasPerSecond, targetGasPerSecond } = network.dynamicFees;
  const raised = {
    maxGasCapacity: maxGasCapacity * 1000n,
    maxGasPerSecond: maxGasPerSecond * 1000n,
    targetGasPerSecond: targetGasPerSecond * 1000n,
  };
  const path = join(scratch, "network.json");
  writeFileSync(path, formatNetworkFile({ ...network, dynamicFees: { ...network.dynamicFees, ...raised } }));
  return path;
}

const cases: readonly Case[] = [
  { name: "X transfers", chain: "X", flags: [], reference: REFERENCE_X, aim: `≥ ${REFERENCE_X}`, transfersPerSecond: 6000 },
  {
    name: "P transfers, raised gas limits",
    chain: "P",
    flags: ["--network-file", generousNetworkFile()],
    reference: REFERENCE_P,
    aim: `≥ ${REFERENCE_P}`,
    transfersPerSecond: 4000,
  },
  {
    name: "P transfers, before Etna",
    chain: "P",
    flags: ["--upgrades", "durango"],
    reference: REFERENCE_P,
    aim: `≥ ${REFERENCE_P}`,
    transfersPerSecond: 4000,
  },
  { name: "P transfers, default fee rules", chain: "P", flags: [], aim: "gas limit, about 19", transfersPerSecond: 100 },
];

async function withDevnet<R>(
  flags: readonly string[],
  use: (network: NetworkDescription, process: ChildProcess) => Promise<R>,
): Promise<R> {
  const devnet = spawn(
    process.execPath,
    [...profiling, join(root, "bin/firn"), "devnet", "--http-port", "0", "--json", "--log-level", "warn", ...flags],
    {
      stdio: ["ignore", "pipe", "inherit"],
    },
  );
  try {
    return await use(await description(devnet), devnet);
  } finally {
    devnet.kill("SIGTERM");
    if (devnet.exitCode === null) await once(devnet, "exit");
  }
}

async function description(devnet: ChildProcess): Promise<NetworkDescription> {
  let output = "";
  for await (const chunk of devnet.stdout!) {
    output += chunk;
    if (output.includes("\n")) return JSON.parse(output) as NetworkDescription;
  }
  throw new Error("firn devnet ended before it was ready");
}

interface Measured extends LoadOutcome {
  readonly residentMb: number;
}

function measure({ chain, flags, transfersPerSecond }: Case): Promise<Measured> {
  return withDevnet(flags, async ({ url, networkId, avaxAssetId, blockchainIds, accounts }, devnet) => {
    const { addresses, privateKeyHex } = accounts[0]!;
    const options: Load = {
      ...{ url, serverPid: devnet.pid!, chain, networkId, avaxAssetId, privateKeyHex, clients, warmUpSeconds, seconds },
      xChainId: blockchainIds.X,
      payer: addresses[chain],
      transfersPerClient: Math.ceil((transfersPerSecond * (warmUpSeconds + seconds)) / clients),
    };
    const script = fileURLToPath(new URL("issue/clients.ts", import.meta.url));
    const outcome = JSON.parse(await run(process.execPath, ["--import", "tsx", script, JSON.stringify(options)])) as LoadOutcome;
    return { ...outcome, residentMb: await residentMb(devnet.pid!) };
  });
}

async function bareRequestsPerSecond(): Promise<number> {
  const port = await freePort();
  const script = fileURLToPath(new URL("bare-server.ts", import.meta.url));
  const bare = spawn(process.execPath, ["--import", "tsx", script, `${port}`, "1"], { stdio: ["ignore", "pipe", "inherit"] });
  try {
    await once(bare.stdout, "data");
    return (await load(`http://127.0.0.1:${port}/${ANSWER_BYTES}`, "{}", 3)).requestsPerSecond;
  } finally {
    bare.kill("SIGTERM");
  }
}

async function measureIssuing(): Promise<void> {
  console.log(
    `\n${clients} clients, ${seconds} s each after ${warmUpSeconds} s; ${cpus().length} processors, load average ${loadavg()[0]!.toFixed(1)}\n`,
  );
  console.log(
    "| transactions | of one second | issue p50, ms | p99 | visible p50, ms | p99 | CPU ms each | clients' CPU | MB | bare server | ratio | × reference (scaled) | aim |",
  );
  console.log("|---|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|---|");
  for (const one of cases.filter(({ name }) => name.includes(values.only))) {
    const measured = await measure(one);
    const bare = await bareRequestsPerSecond();
    const ratio = measured.transactionsPerSecond / bare;
    const cells = [
      one.name,
      Math.round(measured.transactionsPerSecond),
      ...[measured.issueP50Ms, measured.issueP99Ms, measured.visibleP50Ms, measured.visibleP99Ms].map((ms) => ms.toFixed(1)),
      measured.serverCpuMs.toFixed(2),
      `${Math.round(measured.cpuMsPerSecond / 10)} %`,
      measured.residentMb,
      Math.round(bare),
      ratio.toFixed(4),
      one.reference === undefined ? "–" : (ratio / (one.reference / REFERENCE_BARE)).toFixed(2),
      one.aim,
    ];
    console.log(`| ${cells.join(" | ")} |`);
  }
}

requireWrk();
// Build Firn before anything is measured
spawnSync(process.execPath, [join(root, "bin/firn"), "--version"]);
try {
  await measureIssuing();
} finally {
  rmSync(scratch, { recursive: true, force: true });
}
