/**
 * `npm run bench:time [-- --validators N]`: moves a devnet's clock by a year in which all validators of its genesis end (1,000 by default),
 * each with a proposal and an option in blocks of their own, and prints how long that takes.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { pino } from "pino";
import { sha256 } from "../src/base/bytes/hash.ts";
import { buildGenesis } from "../src/chains/platform/genesis/genesis-config.ts";
import { platformChain } from "../src/chains/platform/tables.ts";
import { Devnet } from "../src/devnet/devnet.ts";
import { networkInstance } from "../src/ingest/network-instance.ts";
import { localGenesis } from "../src/network/local-genesis.ts";
import { formatNetworkFile } from "../src/network/network-file.ts";
import { localNetwork } from "../src/network/presets.ts";

const YEAR = 31_536_000n;
const { values } = parseArgs({ options: { validators: { type: "string", default: "1000" } } });
const validators = Number(values.validators);

const startTime = BigInt(Math.floor(Date.now() / 1000));
const genesis = localGenesis({ startTime });
const { rewardAddress, delegationFee } = genesis.initialStakers[0]!;
const initialStakers = Array.from({ length: validators }, (_, index) => {
  return { rewardAddress, delegationFee, nodeId: sha256(Buffer.from(`node ${index}`)).toString("hex", 0, 20) };
});
const parameters = localNetwork();
const network = networkInstance(parameters, buildGenesis({ ...genesis, initialStakers, initialStakeDurationOffset: 60n }));
const dataDirectory = mkdtempSync(join(tmpdir(), "firn-bench-time-"));
const networkFile = Buffer.from(formatNetworkFile(parameters));
const devnet = await Devnet.open({ dataDirectory, network, networkFile, log: pino({ level: "silent" }), evm: false });
try {
  const startedAt = performance.now();
  await devnet.advanceTime(YEAR);
  const ms = performance.now() - startedAt;
  const { height } = (await devnet.store.get(platformChain, { slot: 0 }))!;
  if (height !== 2n * BigInt(validators)) throw new Error(`${validators} validators left in ${height} blocks, which should be two each`);
  console.log(
    `a year with ${validators} validators: ${(ms / 1000).toFixed(1)} s, ${height} blocks, ${(ms / Number(height)).toFixed(2)} ms each`,
  );
} finally {
  await devnet.stop();
  rmSync(dataDirectory, { recursive: true, force: true });
}
