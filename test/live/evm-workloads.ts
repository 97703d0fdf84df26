/** Runs the workload of `test/evm/workload` again and again on the C-chain of a local network, each time with accounts of its own. */
import { setTimeout as pause } from "node:timers/promises";
import { type Hex, keccak256, toBytes } from "viem";
import { privateKeyToAccount } from "viem/accounts";
import type { Ask } from "../api/data/oracle/evm/chain-answers.ts";
import { type Manifest, runWorkload } from "../evm/workload/run-workload.ts";

/** public: it owns what the local network's genesis gave */
const FUNDED = privateKeyToAccount("0x56289e99c94b6912bfc12adc093c9b51124f0dc54ac7a766b2bc5ccf558d8027");
const WEI_EACH = 10n ** 24n;
const GAS = 21_000n;
const POLL_MS = 200;

const keyOf = (seed: string): Hex => keccak256(toBytes(`firn-live-workload ${seed}`));

/** The account that pays for the workload of this seed. */
export const payerOf = (seed: string) => privateKeyToAccount(keyOf(seed));

/** Sends money to the accounts of these seeds. */
export async function fundPayers(ask: Ask, seeds: readonly string[]): Promise<void> {
  const first = Number(await ask("eth_getTransactionCount", [FUNDED.address, "latest"]));
  const [chainId, gasPrice] = [Number(await ask("eth_chainId", [])), BigInt((await ask("eth_gasPrice", [])) as string) * 4n];
  const paid: Hex[] = [];
  for (const [index, seed] of seeds.entries()) {
    const to = payerOf(seed).address;
    const signed = await FUNDED.signTransaction({ type: "legacy", chainId, nonce: first + index, gasPrice, gas: GAS, to, value: WEI_EACH });
    paid.push((await ask("eth_sendRawTransaction", [signed])) as Hex);
  }
  for (const hash of paid) while ((await ask("eth_getTransactionReceipt", [hash])) === null) await pause(POLL_MS);
}

export interface WorkloadsOptions {
  readonly rpc: string;
  readonly seeds: readonly string[];
  readonly txs: number;
  /** asked before each */
  readonly goesOn: () => boolean;
  readonly log: (line: string) => void;
}

/** Returns the contracts of those that did what they meant, and what went wrong with others. */
export async function runWorkloads({ rpc, seeds, txs, goesOn, log }: WorkloadsOptions) {
  const contracts: Manifest["contracts"][number][] = [];
  const failures: string[] = [];
  for (const seed of seeds) {
    if (!goesOn()) break;
    try {
      const manifest = await runWorkload({ rpc, seed, txs, key: keyOf(seed) });
      contracts.push(...manifest.contracts);
      log(`EVM workload ${seed}: ${manifest.txs.length} transactions, as meant`);
    } catch (error) {
      failures.push((error as Error).message);
      log(`EVM workload ${seed}: ${(error as Error).message}`);
    }
  }
  return { contracts, failures };
}
