/**
 * Decides which network a devnet is. The default is the reference node's `local` network (12345) with every upgrade active. Other networks
 * start in an earlier upgrade, schedule upgrades, or come from a genesis file. Reads files, but neither a store nor a clock.
 */
import { existsSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { FirnError } from "../base/errors/errors.ts";
import { readWholeFile } from "../base/files/read-file.ts";
import { addressOf, evmAddressOf } from "../base/signatures/secp256k1.ts";
import { buildGenesis } from "../chains/platform/genesis/genesis-config.ts";
import { networkInstance } from "../ingest/network-instance.ts";
import { type GenesisConfig, parseGenesisFile } from "../network/genesis-file.ts";
import { LOCAL_EPOCH, localGenesis, localStartTime } from "../network/local-genesis.ts";
import { MULTICALL3 } from "../network/multicall3.ts";
import type { Network, NetworkInstance } from "../network/network.ts";
import { formatNetworkFile, parseNetworkFile } from "../network/network-file.ts";
import { FUJI_ID, localNetwork, MAINNET_ID } from "../network/presets.ts";
import { type AccountKey, accountKeys } from "./account-keys.ts";
import { type AccountOptions, DEFAULT_MNEMONIC } from "./account-options.ts";
import { fundedKeys } from "./accounts.ts";
import { type Era, upgradeTimes } from "./upgrade-plan.ts";

export interface LocalNetworkOptions extends AccountOptions {
  /** `etna`, or `etna,fortuna=+10m,granite=2026-12-01T00:00:00Z`; by default all upgrades are active from the start */
  readonly upgrades?: string | undefined;
  /** path of a genesis JSON file; by default the local network's */
  readonly genesisFile?: string | undefined;
  /** path of a `network.json` with parameters; by default the one beside the genesis file, else the local network's */
  readonly networkFile?: string | undefined;
  /** Unix seconds; by default the genesis file's time, or for the local network the time that the reference node would choose */
  readonly genesisTime?: bigint | undefined;
  /** Unix seconds that the clock shows at the first start; by default `now`, or the genesis time if that is later */
  readonly startTime?: bigint | undefined;
  /** the C-chain's EVM chain ID; by default 43112, or the genesis file's */
  readonly cChainId?: number | undefined;
  /** wall-clock time, Unix seconds */
  readonly now: bigint;
}

export interface DevnetNetwork {
  readonly network: NetworkInstance;
  /** `network.json` as stored */
  readonly networkFile: Uint8Array;
  /** Unix seconds that the clock shows at the first start; undefined: wall-clock time */
  readonly startTime: bigint | undefined;
  /** known keys that genesis funds */
  readonly accountKeys: readonly AccountKey[];
  /** from which these keys follow, but for ewoq's */
  readonly mnemonic: string;
}

/** Start of the local network's C-chain, in Unix seconds; the genesis cannot be earlier. */
const EARLIEST_GENESIS = 1_607_144_400n;

export function devnetNetwork(options: LocalNetworkOptions): DevnetNetwork {
  const parameters = readParameters(options);
  const genesis = genesisConfig(options, parameters);
  refusePublic(genesis.networkId);
  const base = parameters ?? localNetwork(genesis.networkId);
  if (base.networkId !== genesis.networkId) {
    throw refusal(`the genesis is of network ${genesis.networkId}, its network.json of ${base.networkId}; use files of one network`);
  }
  const startTime = clockStart(options, genesis.startTime);
  const era: Era = { genesisTime: genesis.startTime, startTime: startTime ?? options.now };
  const network: Network = {
    ...base,
    upgrades: { ...base.upgrades, times: upgradeTimes(options.upgrades, parameters?.upgrades.times, era) },
  };
  refuseUnusable(genesis, network, options);
  const instance = networkInstance(network, buildGenesis(genesis));
  const keys = fundedKeys(instance, accountKeys(options));
  return {
    network: instance,
    networkFile: Buffer.from(formatNetworkFile(network)),
    startTime,
    accountKeys: keys,
    mnemonic: options.mnemonic ?? DEFAULT_MNEMONIC,
  };
}

function readParameters({ genesisFile, networkFile }: LocalNetworkOptions): Network | undefined {
  const beside = genesisFile === undefined ? undefined : join(dirname(genesisFile), "network.json");
  const path = networkFile ?? (beside !== undefined && existsSync(beside) ? beside : undefined);
  if (path === undefined) return undefined;
  const text = readText(path, networkFile === undefined ? "network.json beside --genesis" : "--network-file");
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch (error) {
    throw refusal(`${path} is not JSON: ${(error as Error).message}`);
  }
  return parseNetworkFile(json, basename(path));
}

function genesisConfig(options: LocalNetworkOptions, parameters: Network | undefined): GenesisConfig {
  const { genesisFile, genesisTime, cChainId, now } = options;
  if (genesisFile !== undefined) {
    refuseOverridden(options);
    const config = parseGenesisFile(readText(genesisFile, "--genesis"), basename(genesisFile));
    return genesisTime === undefined ? config : { ...config, startTime: genesisTime };
  }
  const startTime = genesisTime ?? localStartTime(now);
  if (startTime < EARLIEST_GENESIS) {
    throw refusal(
      `--genesis-time is ${startTime}; use a time from ${EARLIEST_GENESIS} on (2020-12-05T05:00:00Z), as the C-chain begins then, e.g. ${LOCAL_EPOCH}`,
    );
  }
  // so that the newest block of a network without blocks is of today; on the reference node it is of 2020
  const cChainTime = clockStart(options, startTime) ?? now;
  const [, ...others] = accountKeys(options);
  const funded = others.map(({ key }) => ({ address: addressOf(key), evmAddress: evmAddressOf(key) }));
  const given = { ...(cChainId !== undefined && { cChainId }), ...(parameters && { networkId: parameters.networkId }) };
  return localGenesis({ startTime, cChainTime, funded, contracts: [MULTICALL3], ...given });
}

/** A genesis file says itself who is funded, and the chain ID. */
function refuseOverridden({ accounts, mnemonic, cChainId }: LocalNetworkOptions): void {
  const [flag] = Object.entries({ accounts, mnemonic, "c-chain-id": cChainId }).find(([, value]) => value !== undefined) ?? [];
  if (flag !== undefined) throw refusal(`--${flag} cannot be used with --genesis: the file says it`);
}

/** A transaction names only the network's ID, so one signed on such a devnet would be valid on the public network. */
function refusePublic(networkId: number): void {
  if (networkId !== MAINNET_ID && networkId !== FUJI_ID) return;
  throw refusal(`network ${networkId} is public: what is signed for a devnet of that number could be sent there; use another networkID`);
}

function clockStart({ startTime, now }: LocalNetworkOptions, genesisTime: bigint): bigint | undefined {
  if (startTime !== undefined && startTime < genesisTime) {
    throw refusal(`--start-time is ${startTime}, before the genesis at ${genesisTime}; use a time from then on`);
  }
  return startTime ?? (now < genesisTime ? genesisTime : undefined);
}

/** Refuses what the reference node refuses about a genesis in view of its network's parameters (chain-formats 11.3). */
function refuseUnusable(genesis: GenesisConfig, { staking }: Network, { genesisFile }: LocalNetworkOptions): void {
  const name = genesisFile ?? "the local genesis";
  if (genesis.initialStakeDuration > staking.maxStakeDuration) {
    throw refusal(
      `${name}: initialStakeDuration is ${genesis.initialStakeDuration} s, longer than maxStakeDuration of the network (${staking.maxStakeDuration} s)`,
    );
  }
}

/** Size limit of input files; a genesis with thousands of validators and allocations has a few MB. */
export const MAX_FILE_BYTES = 16 << 20;

function readText(path: string, flag: string): string {
  try {
    return readWholeFile(path, MAX_FILE_BYTES).toString();
  } catch (error) {
    throw refusal(`${flag}: ${(error as Error).message}`);
  }
}

function refusal(message: string): FirnError {
  return new FirnError("devnet-network", message);
}
