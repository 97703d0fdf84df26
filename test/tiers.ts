/** Decides which test files run when, and beside which others. Files that are not named here run in `npm test`, in a shared process. */
import { readdirSync } from "node:fs";

const folders = readdirSync(import.meta.dirname, { withFileTypes: true }).flatMap((entry) => (entry.isDirectory() ? [entry.name] : []));

/** Their tests need no other process and no real node, most of them no socket: `npm run check` runs these. */
const unitFolders = [
  ...["access", "asset", "data", "evm", "go-json", "index", "json-stream", "limits", "local-network", "mempool", "network", "node"],
  ...["platform", "primitives", "rpc", "shared-memory", "store", "subnet-evm", "upstream"],
];

/** What is held against the files of the repository, in milliseconds. */
const UNIT = ["test/architecture.test.ts", "test/citations.test.ts"];

/** What in those folders executes whole recordings or starts processes, and takes too long for `npm run check`. */
export const LONG = [
  "test/access/served.test.ts",
  "test/asset/builder/recordings.test.ts",
  "test/asset/recordings.test.ts",
  "test/data/agreement/",
  "test/data/network/network.test.ts",
  "test/data/oracle/",
  "test/data/transactions/",
  "test/evm/ingest/",
  "test/evm/source/",
  "test/evm/tokens/recorded-contracts.test.ts",
  "test/index/primary/network/network-replay.test.ts",
  "test/index/primary/staking/staking-state.test.ts",
  "test/index/primary/utxos/utxo-model.test.ts",
  "test/index/primary/utxos/utxo-rows.test.ts",
  "test/platform/facts.test.ts",
  "test/platform/old-eras.test.ts",
  "test/platform/tx/refused.test.ts",
  "test/store/postgres/lease.test.ts",
  "test/store/postgres-sql.test.ts",
  "test/upstream/c-chain-answer.test.ts",
  "test/upstream/fault",
  "test/upstream/fork.test.ts",
  "test/upstream/replay-node.test.ts",
];

/** These change what a process has once (fetch, flags of V8, listeners), or measure its memory: each gets one of its own. */
export const ALONE = [
  "test/attack/",
  "test/evm/nft/ssrf.test.ts",
  "test/evm/source/ordered-blocks.test.ts",
  "test/fuzz/",
  "test/sdk/data-",
  "test/sdk/devnet-evm-tokens.test.ts",
  "test/sdk/evm-",
];

/** Those that take longest, roughly: no worker shall begin with one of them when the others are done. */
export const LONGEST = [
  ...["test/conformance/recordings.test.ts", "test/cli/devnet.test.ts", "test/data/agreement/", "test/faults/", "test/schemathesis/"],
  ...["test/devnet/", "test/conformance/", "test/cli/", "test/sdk/"],
];

const filesOf = (places: readonly string[]) =>
  places.map((place) => (place.endsWith("/") ? `${place}**/*.test.ts` : place.endsWith(".ts") ? place : `${place}*.test.ts`));
const inFolders = (names: readonly string[]) => filesOf(names.map((name) => `test/${name}/`));

export const alone = { include: filesOf(ALONE) };
export const unit = { include: [...UNIT, ...inFolders(unitFolders)], exclude: filesOf([...ALONE, ...LONG]) };
export const long = {
  include: ["test/*.test.ts", ...inFolders(folders.filter((name) => !unitFolders.includes(name))), ...filesOf(LONG)],
  exclude: filesOf([...UNIT, ...ALONE, "test/conformance/recorder/"]),
};
