/**
 * Compares the Data API with a node's answers: imports a recording up to each checkpoint, serves it with the clock at the checkpoint's
 * time, and asks for everything that the recorded RPC answers determine.
 */
import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import type { RuleLevel } from "../../../../src/base/errors/rule-level.ts";
import { networkInstance } from "../../../../src/ingest/network-instance.ts";
import type { NetworkInstance } from "../../../../src/network/network.ts";
import { openArchive } from "../../../../src/sources/archives/archive.ts";
import { hasFile } from "../../../conformance/asset/recording.ts";
import { type Checkpoint, checkpointsOf, importUntil, SECONDS_OF_RECORDING, serveAt } from "../../../conformance/checkpoints.ts";
import { timeAtEnd } from "../../../conformance/served.ts";
import { removeStore } from "../../../conformance/stores.ts";
import { DataClient } from "../oracle/client.ts";
import { compareBalances } from "./balances.ts";
import { compareL1Validators } from "./l1-validators.ts";
import type { Moment } from "./moment.ts";
import { compareAssets, compareBlockchains, compareSubnets, compareTips } from "./networks.ts";
import { type RecordedAnswers, readAnswers } from "./recorded.ts";
import { comparePaidRewards, comparePromisedRewards } from "./rewards.ts";
import { compareTotalStake, compareValidatorSets, compareValidators } from "./staking.ts";
import { Tally } from "./tally.ts";
import { compareBlocks, compareTransactions } from "./transactions.ts";
import { compareStakes, compareUtxos } from "./utxos.ts";

type Comparison = (moment: Moment) => Promise<void>;

/** With the methods of which each compares answers. */
const COMPARISONS: readonly (readonly [Comparison, readonly string[]])[] = [
  [compareUtxos, ["platform.getUTXOs", "avm.getUTXOs", "avax.getUTXOs"]],
  [compareStakes, ["platform.getStake"]],
  [compareBalances, ["platform.getBalance", "avm.getBalance", "avm.getAllBalances"]],
  [compareValidators, ["platform.getCurrentValidators"]],
  [compareValidatorSets, ["platform.getValidatorsAt", "platform.getAllValidatorsAt"]],
  [compareTotalStake, ["platform.getTotalStake"]],
  [compareL1Validators, ["platform.getL1Validator"]],
  [comparePaidRewards, ["platform.getRewardUTXOs"]],
  [comparePromisedRewards, []],
  [compareSubnets, ["platform.getSubnets", "platform.getSubnet"]],
  [compareBlockchains, ["platform.getBlockchains", "platform.validates", "platform.validatedBy"]],
  [compareTips, ["platform.getHeight", "platform.getTimestamp", "platform.getCurrentSupply", "avm.getHeight"]],
  [compareAssets, ["avm.getAssetDescription"]],
  [compareTransactions, ["platform.getTx", "platform.getTxStatus", "avm.getTx", "avm.getTxStatus"]],
  [compareBlocks, ["platform.getBlock", "platform.getBlockByHeight", "avm.getBlock", "avm.getBlockByHeight"]],
];

export interface CheckpointTally {
  readonly label: string;
  readonly tally: Tally;
  /** of which results were recorded here that the Data API must agree with */
  readonly methods: readonly string[];
}

/** Everything that the answers of this moment say something about. */
export async function compareMoment(moment: Moment): Promise<void> {
  for (const [compare] of COMPARISONS) await compare(moment);
}

/**
 * @param level rules that blocks are held against: the Data API says the same at both
 * @param choose those of the checkpoints that are compared; default: all
 */
export async function* agreementAtCheckpoints(
  folder: string,
  { level = "replay", choose = (all) => all }: { level?: RuleLevel; choose?(all: readonly Checkpoint[]): readonly Checkpoint[] } = {},
): AsyncGenerator<CheckpointTally> {
  const directory = mkdtempSync(join(tmpdir(), "firn-agreement-"));
  try {
    const { network } = await openArchive({ path: folder, instance: networkInstance });
    const tallied = async (label: string, path: string, time: bigint): Promise<CheckpointTally> => {
      const answers = readAnswers(folder, path);
      const methods = COMPARISONS.flatMap(([, names]) => names).filter((method) => answers.of(method).length > 0);
      return { label, tally: await compareAll(directory, time, answers, network), methods };
    };
    for (const { label, heights, file, recordedAt } of choose(checkpointsOf(folder))) {
      await importUntil(folder, directory, heights, level);
      yield await tallied(label, relative(folder, file).replace(/\.gz$/, ""), recordedAt);
    }
    if (hasFile(folder, "requests.jsonl")) {
      await importUntil(folder, directory, {}, level);
      yield await tallied("at the end", "requests.jsonl", await timeAtEnd(folder));
    }
  } finally {
    await removeStore(directory);
  }
}

/** The recorder took some seconds, and locks may end within them: the second that agrees best is taken. */
async function compareAll(directory: string, time: bigint, answers: RecordedAnswers, network: NetworkInstance): Promise<Tally> {
  let best: Tally | undefined;
  for (let second = 0n; second <= SECONDS_OF_RECORDING; second++) {
    const tally = await compareAt(directory, time + second, answers, network);
    if (best === undefined || tally.differences.length < best.differences.length) best = tally;
    if (best.differences.length === 0) break;
  }
  return best!;
}

async function compareAt(directory: string, clock: bigint, answers: RecordedAnswers, network: NetworkInstance): Promise<Tally> {
  const serving = await serveAt(directory, clock);
  try {
    const moment: Moment = { client: new DataClient(serving.url), answers, tally: new Tally(), network, clock };
    await compareMoment(moment);
    return moment.tally;
  } finally {
    await serving.stop();
  }
}
