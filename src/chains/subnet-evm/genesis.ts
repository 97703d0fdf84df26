/**
 * Reads the genesis of a Subnet-EVM chain as the node does (graft/subnet-evm: core/genesis.go, params/extras/config.go), and says what keeps
 * the chain from running here. A member that the node does not know is ignored, as there.
 */

import { FirnError } from "../../base/errors/errors.ts";
import { JsonInput, parseJsonExactly } from "../../base/json/json-input.ts";
import { didYouMean } from "../../base/text/near-name.ts";
import type { Network, UpgradeName } from "../../network/network.ts";
import { isOff, type NativeMinter, type Roles, readAllowList, readNativeMinter } from "./allow-lists.ts";
import { type FeeConfig, readFeeConfig } from "./fee-config.ts";
import { type GenesisAccount, quantity, readAlloc } from "./genesis-alloc.ts";
import { goStruct } from "./go-struct.ts";
import { readWarpConfig, type WarpConfig } from "./warp-config.ts";

export interface SubnetEvmGenesis {
  readonly evmChainId: bigint;
  /** Unix seconds */
  readonly timestamp: bigint;
  readonly feeConfig: FeeConfig;
  /** by address, without `0x` */
  readonly alloc: ReadonlyMap<string, GenesisAccount>;
  /** undefined: the chain never has the warp precompile */
  readonly warp: WarpConfig | undefined;
  /** who may mint the native token; undefined: nobody */
  readonly nativeMinter: NativeMinter | undefined;
  /** who may send transactions; undefined: everybody */
  readonly txAllowList: Roles | undefined;
  /** `config` as the genesis has it; with bigints for integers */
  readonly config: Readonly<Record<string, unknown>>;
  /** activation times of the upgrades that change the EVM, Unix seconds */
  readonly times: Readonly<Record<ForkName, bigint>>;
}

type ForkName = Extract<UpgradeName, "durango" | "etna" | "granite" | "helicon">;

/** for a genesis without `config` */
const DEFAULT_CHAIN_ID = 43_214n;
/** Wallets and libraries hold chain IDs as numbers. */
const MOST_CHAIN_ID = 2n ** 53n - 1n;
/** A block of this much gas takes the EVM about half a second, in which the network waits for it. */
const MOST_BLOCK_GAS = 100_000_000n;
const U64 = 2n ** 64n - 1n;
const FORKS: readonly ForkName[] = ["durango", "etna", "granite", "helicon"];
/** Precompiles that a genesis can turn on, and that a devnet does not have. */
const MISSING_PRECOMPILES = ["contractDeployerAllowListConfig", "feeManagerConfig", "rewardManagerConfig", "gasPriceManagerConfig"];
const PRECOMPILES = [...MISSING_PRECOMPILES, "warpConfig", "contractNativeMinterConfig", "txAllowListConfig"];
/** fields of Go's structs, whose names count in any case */
const MEMBERS = ["config", "timestamp", "gasLimit", "difficulty", "alloc", "number", "airdropHash"];
const CONFIG = ["chainId", "feeConfig", ...FORKS.map((fork) => `${fork}Timestamp`)];
const NO_HASH = /^0x0*$/;

/** @throws FirnError whose sentence says what is wrong with the genesis, or what it asks for in vain */
export function parseSubnetEvmGenesis(bytes: Uint8Array, network: Network): SubnetEvmGenesis {
  let json: unknown;
  try {
    json = parseJsonExactly(Buffer.from(bytes).toString("utf8"));
  } catch (error) {
    throw refused(`it is not JSON (${(error as Error).message})`);
  }
  const genesis = goStruct(new JsonInput(json, "genesis"), MEMBERS);
  const given = genesis.optionalMember("config");
  const config = given && goStruct(given, CONFIG);
  const gasLimit = quantity(genesis.member("gasLimit"), U64);
  const feeConfig = readFeeConfig(config?.optionalMember("feeConfig"));
  if (feeConfig.gasLimit !== gasLimit) {
    throw refused(`gas limit in fee config (${feeConfig.gasLimit}) does not match gas limit in header (${gasLimit})`);
  }
  if (gasLimit > MOST_BLOCK_GAS) throw refused(`gasLimit is ${gasLimit}; a devnet takes up to ${MOST_BLOCK_GAS}`);
  quantity(genesis.member("difficulty"));
  refuseWhatIsMissing(genesis, config);
  const times = upgradeTimes(config, network);
  const timestamp = optionalQuantity(genesis, "timestamp");
  return {
    evmChainId: chainIdOf(config),
    timestamp,
    feeConfig,
    alloc: readAlloc(genesis.member("alloc")),
    config: (given?.value ?? {}) as Readonly<Record<string, unknown>>,
    times,
    warp: readWarpConfig(config?.optionalMember("warpConfig"), times.durango),
    nativeMinter: readNativeMinter(config?.optionalMember("contractNativeMinterConfig"), timestamp),
    txAllowList: readAllowList(config?.optionalMember("txAllowListConfig"), timestamp),
  };
}

function chainIdOf(config: JsonInput | undefined): bigint {
  if (config === undefined) return DEFAULT_CHAIN_ID;
  const chainId = config.member("chainId");
  const value = chainId.integer(MOST_CHAIN_ID);
  if (value === 0n) throw chainId.wrong(`an integer from 1 to ${MOST_CHAIN_ID}`);
  return value;
}

function refuseWhatIsMissing(genesis: JsonInput, config: JsonInput | undefined): void {
  if (optionalQuantity(genesis, "number") !== 0n) throw genesis.member("number").wrong("0");
  const airdrop = genesis.optionalMember("airdropHash");
  if (airdrop !== undefined && !NO_HASH.test(airdrop.text())) throw refused("airdropHash needs a file of accounts, which only a node has");
  requirePrecompileNames(config);
  for (const name of MISSING_PRECOMPILES) {
    const missing = config?.optionalMember(name);
    if (missing === undefined || isOff(missing)) continue;
    throw refused(`config.${name} turns on a precompile that a devnet does not have; leave it out`);
  }
}

/** The node finds precompiles by their exact names alone, and ignores others: a chain that was to have one would not. */
function requirePrecompileNames(config: JsonInput | undefined): void {
  for (const name of Object.keys((config?.value ?? {}) as object)) {
    if (!/config$/i.test(name) || PRECOMPILES.includes(name) || CONFIG.includes(name)) continue;
    throw refused(`config.${name} is unknown${didYouMean(name, [...PRECOMPILES, "feeConfig"])}`);
  }
}

/** The genesis may delay an upgrade of the network; 0 counts as absent. */
function upgradeTimes(config: JsonInput | undefined, { upgrades }: Network): Record<ForkName, bigint> {
  const times = FORKS.map((fork): [ForkName, bigint] => {
    const given = config?.optionalMember(`${fork}Timestamp`)?.integer() ?? 0n;
    const least = upgrades.times[fork];
    if (given !== 0n && given < least) {
      throw refused(`config.${fork}Timestamp is ${given}, before the network's ${fork} at ${least}; leave it out`);
    }
    return [fork, given === 0n ? least : given];
  });
  return Object.fromEntries(times) as Record<ForkName, bigint>;
}

function optionalQuantity(genesis: JsonInput, name: string): bigint {
  const value = genesis.optionalMember(name);
  return value === undefined ? 0n : quantity(value, U64);
}

function refused(problem: string): FirnError {
  return new FirnError("l1-genesis", `genesis: ${problem}`);
}
