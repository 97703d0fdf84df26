/** Decides which test files run when, and beside which others. Files that are not named here run in `npm test`, in a shared process. */
import { readdirSync } from "node:fs";
import { draw } from "./share.ts";
import { WHOLE } from "./whole.ts";

const folders = readdirSync(import.meta.dirname, { withFileTypes: true }).flatMap((entry) => (entry.isDirectory() ? [entry.name] : []));

/** Their tests need no other process and no real node, most of them no socket: `npm run check` runs these. */
const unitFolders = ["api", "base", "chains", "evm", "index", "network", "p2p", "sources", "store"];

/** What is held against the files of the repository, in milliseconds. */
const UNIT = ["test/architecture.test.ts", "test/citations.test.ts"];

/** What in those folders executes whole recordings or starts processes, and takes too long for `npm run check`. */
export const LONG = [
  "test/api/access/served.test.ts",
  "test/chains/asset/builder/recordings.test.ts",
  "test/chains/asset/recordings.test.ts",
  "test/api/data/agreement/",
  "test/api/data/network/network.test.ts",
  "test/api/data/oracle/",
  "test/api/data/transactions/",
  "test/evm/ingest/",
  "test/evm/tokens/recorded-contracts.test.ts",
  "test/index/primary/metrics/primary-metrics.test.ts",
  "test/index/primary/network/network-replay.test.ts",
  "test/index/primary/staking/staking-state.test.ts",
  "test/index/primary/utxos/utxo-model.test.ts",
  "test/index/primary/utxos/utxo-rows.test.ts",
  "test/chains/platform/facts.test.ts",
  "test/chains/platform/old-eras.test.ts",
  "test/chains/platform/tx/refused.test.ts",
  "test/store/postgres/lease.test.ts",
  "test/store/postgres-sql.test.ts",
  "test/api/live-node/",
  "test/sources/archives/",
  "test/sources/evm/",
  "test/sources/nodes/",
  "test/sources/upstream/c-chain-answer.test.ts",
  "test/sources/upstream/fault",
  "test/sources/upstream/fork.test.ts",
  "test/sources/upstream/replay-node.test.ts",
];

/** These change what a process has once (fetch, flags of V8, listeners), or measure its memory: each gets one of its own. */
export const ALONE = [
  "test/attack/",
  "test/evm/nft/ssrf.test.ts",
  "test/sources/evm/ordered-blocks.test.ts",
  "test/fuzz/",
  "test/sdk/data-",
  "test/sources/nodes/merge-feeds.test.ts",
  "test/sdk/devnet-evm-tokens.test.ts",
  "test/sdk/evm-",
];

/** Those that take longest, roughly: no worker shall begin with one of them when the others are done. */
export const LONGEST = [
  ...["test/conformance/recordings.test.ts", "test/cli/devnet.test.ts", "test/api/data/agreement/", "test/faults/", "test/schemathesis/"],
  ...["test/devnet/", "test/conformance/", "test/cli/", "test/sdk/"],
];

/**
 * Files that take long. `npm test` runs one in so many of these places, drawn by its seed; `npm run test:whole` and CI run all. Everything that
 * they execute is executed by others, too: they start it in another way, disturb it, or look at it from outside.
 */
export const DRAWN: readonly { readonly oneIn: number; readonly places: readonly string[] }[] = [
  { oneIn: 7, places: ["test/cli/"] },
  { oneIn: 7, places: ["test/explorer/"] },
  { oneIn: 7, places: ["test/faults/"] },
  { oneIn: 7, places: ["test/sdk/"] },
  { oneIn: 5, places: ["test/sources/archives/", "test/sources/nodes/", "test/ingest/"] },
  { oneIn: 4, places: ["test/devnet/"] },
  { oneIn: 4, places: ["test/fuzz/", "test/attack/", "test/schemathesis/", "test/examples/", "test/generators/", "test/api/live-node/"] },
  {
    oneIn: 3,
    places: [
      "test/api/data/oracle/",
      "test/api/data/rewards/",
      "test/api/data/transactions/",
      "test/api/data/overview/",
      "test/api/data/search/",
    ],
  },
  {
    oneIn: 3,
    places: [
      "test/store/",
      "test/postgres/",
      "test/ingest/archive/",
      "test/api/access/served.test.ts",
      "test/conformance/postgres.test.ts",
    ],
  },
  { oneIn: 3, places: ["test/http/", "test/serve/"] },
  { oneIn: 3, places: ["test/evm/ingest/", "test/sources/evm/", "test/sources/upstream/"] },
  {
    oneIn: 4,
    places: [
      "test/chains/asset/recordings.test.ts",
      "test/index/primary/metrics/primary-metrics.test.ts",
      "test/index/primary/network/network-replay.test.ts",
      "test/index/primary/utxos/utxo-model.test.ts",
      "test/index/primary/utxos/utxo-rows.test.ts",
      "test/chains/platform/builder/random-issuing.test.ts",
      "test/chains/platform/facts.test.ts",
    ],
  },
];

/** What runs with every version of Node: to start a devnet, import, serve and follow, on both stores, and HTTP. */
export const EVERY_NODE = [
  ...["answers", "connections", "http", "node-inside", "origins", "request-feed", "turns"].map((name) => `test/http/${name}.test.ts`),
  ...["evm", "serve", "web-sockets"].map((name) => `test/serve/${name}.test.ts`),
  "test/cli/commands.test.ts",
  "test/cli/workers.test.ts",
  "test/conformance/postgres.test.ts",
  "test/ingest/following/operations.test.ts",
  "test/serve/local-network/start.test.ts",
  "test/base/",
  "test/sdk/devnet-transfers.test.ts",
  "test/store/lmdb.test.ts",
];

/** What runs as on later days: what starts networks, and what has dates written down. */
export const AT_LATER_DATES = [
  "test/api/access/",
  "test/cli/devnet.test.ts",
  "test/devnet/engine-time.test.ts",
  "test/serve/local-network/start.test.ts",
  "test/network/",
  "test/api/state/identity.test.ts",
  "test/sdk/devnet-staking.test.ts",
  "test/serve/devnet.test.ts",
];

/** Of those, the ones that `npm test` always runs. */
const ALWAYS = ["test/devnet/reissue.test.ts", "test/http/http.test.ts", "test/http/node-inside.test.ts", "test/store/lmdb.test.ts"];

const testFiles = readdirSync(import.meta.dirname, { recursive: true, encoding: "utf8" })
  .map((path) => `test/${path.replaceAll("\\", "/")}`)
  .filter((path) => path.endsWith(".test.ts"))
  .sort();

/** Those that `npm test` leaves out in a run with this seed. */
function leftOut(): readonly string[] {
  return DRAWN.flatMap(({ oneIn, places }) => {
    const all = testFiles.filter((file) => places.some((place) => file.startsWith(place)) && !ALWAYS.includes(file));
    const chosen = new Set(draw(places.join(), all, Math.ceil(all.length / oneIn)));
    return all.filter((file) => !chosen.has(file));
  });
}

/**
 * What does not run. FIRN_TEST_PART is `share` for `npm test`, and `rest` for what that leaves out, in CI. Without it, a run has all files, or
 * those that it names.
 */
function excluded(): readonly string[] {
  const part = process.env.FIRN_TEST_PART;
  if (part === "share") return leftOut();
  if (part !== "rest") return [];
  const rest = new Set([...leftOut(), ...Object.keys(WHOLE)]);
  return testFiles.filter((file) => !rest.has(file));
}

const filesOf = (places: readonly string[]) =>
  places.map((place) => (place.endsWith("/") ? `${place}**/*.test.ts` : place.endsWith(".ts") ? place : `${place}*.test.ts`));
const inFolders = (names: readonly string[]) => filesOf(names.map((name) => `test/${name}/`));

export const alone = { include: filesOf(ALONE), exclude: excluded() as string[] };
export const unit = { include: [...UNIT, ...inFolders(unitFolders)], exclude: [...filesOf([...ALONE, ...LONG]), ...excluded()] };
export const long = {
  include: ["test/*.test.ts", ...inFolders(folders.filter((name) => !unitFolders.includes(name))), ...filesOf(LONG)],
  exclude: [...filesOf([...UNIT, ...ALONE, "test/conformance/recorder/"]), ...excluded()],
};
