/**
 * Makes an L1 in one commit: a subnet, a chain of Subnet-EVM on it, its conversion, and validators. Interrupted before that commit, nothing
 * was made; after it, everything.
 */

import { type Id, type NodeId, PLATFORM_CHAIN_ID, type ShortId } from "../../base/bytes/id.ts";
import type { Codec } from "../../base/codec/codec.ts";
import { FirnError } from "../../base/errors/errors.ts";
import { addressOf, evmAddressOf } from "../../base/signatures/secp256k1.ts";
import { exponentialPrice } from "../../chains/platform/complexity.ts";
import { utxo } from "../../chains/platform/output.ts";
import { platformChain } from "../../chains/platform/tables.ts";
import { validationIdOf } from "../../chains/platform/tx/convert-subnet-to-l1.ts";
import { readGenesis } from "../../chains/subnet-evm/problem.ts";
import { PLATFORM_UTXOS } from "../../index/tables.ts";
import { isActive, type NetworkInstance } from "../../network/network.ts";
import type { Store } from "../../store/store.ts";
import { type AccountKey, EWOQ_KEY } from "../account-keys.ts";
import { fundedKeys } from "../accounts.ts";
import { cChainGenesis } from "../anvil/chains/c-chain-genesis.ts";
import type { Clock } from "../devnet-types.ts";
import type { EvmChains } from "../evm/evm-chains.ts";
import { type SpendableUtxo, selectUtxos } from "../faucet/spendable.ts";
import type { Producer } from "../producer.ts";
import { type L1Plan, L1Transactions, type Paid, type Purse } from "./l1-transactions.ts";
import { l1Validators, sampleValidators } from "./l1-validators.ts";

interface DefaultGenesis {
  readonly evmChainId: bigint;
  /** Unix seconds */
  readonly timestamp: bigint;
  /** accounts that get `FUNDS` each */
  readonly funded: readonly ShortId[];
}

/** a million of the native token, in its smallest unit */
const FUNDS = 10n ** 24n;
const GAS_LIMIT = 15_000_000;
const FEES = {
  gasLimit: GAS_LIMIT,
  targetBlockRate: 2,
  minBaseFee: 1_000_000_000,
  targetGas: 15_000_000,
  baseFeeChangeDenominator: 36,
  minBlockGasCost: 0,
  maxBlockGasCost: 1_000_000,
  blockGasCostStep: 200_000,
};

/** The genesis of an L1 that a devnet makes when none is given: the funded keys are rich, and warp is on. */
export function defaultGenesis({ evmChainId, timestamp, funded }: DefaultGenesis): Buffer {
  const genesis = {
    config: { chainId: Number(evmChainId), feeConfig: FEES, warpConfig: { blockTimestamp: Number(timestamp) } },
    timestamp: hex(timestamp),
    gasLimit: hex(BigInt(GAS_LIMIT)),
    difficulty: "0x0",
    alloc: Object.fromEntries(funded.map((address) => [`0x${address}`, { balance: hex(FUNDS) }])),
  };
  return Buffer.from(JSON.stringify(genesis));
}

function hex(value: bigint): string {
  return `0x${value.toString(16)}`;
}

export interface L1Wish {
  /** of the chain: letters, digits and spaces; by default one that is free */
  readonly name?: string | undefined;
  /** JSON; by default one that funds the known keys */
  readonly genesis?: Uint8Array | undefined;
  /** of the default genesis; by default one that is free */
  readonly evmChainId?: bigint | undefined;
  /** number of validators; by default 1 */
  readonly validators?: number | undefined;
}

export interface CreatedL1 {
  readonly chainName: string;
  readonly evmChainId: bigint;
  readonly chainId: Id;
  readonly subnetId: Id;
  readonly validators: readonly { readonly nodeId: NodeId; readonly validationId: Id; readonly weight: bigint }[];
}

interface CreateL1Parts {
  readonly producer: Producer;
  readonly store: Store;
  readonly network: NetworkInstance;
  readonly clock: Clock;
  readonly evms: EvmChains;
  /** keys that genesis funds */
  readonly accountKeys: readonly AccountKey[];
}

/** nAVAX of each validator: at the lowest price it pays for years. */
const BALANCE = 100_000_000_000n;
const PAYER: AccountKey = { name: "ewoq", key: EWOQ_KEY };
const MOST_VALIDATORS = 16;
const FIRST_CHAIN_ID = 99_001n;
const NAME = /^[A-Za-z0-9 ]{1,128}$/;
/** where Avalanche's tools put the proxy of a validator manager; the default genesis has no contract there */
const MANAGER_ADDRESS: ShortId = "0feedc0de0000000000000000000000000000000";
/** The gas price may rise from one block to the next. The excess is burned. */
const GAS_PRICE_MARGIN = 2n;

/** Only within a task of the engine. A wrong wish is refused before anything is made. */
export async function createL1(parts: CreateL1Parts, wish: L1Wish): Promise<CreatedL1> {
  const { producer, network, store } = parts;
  requirePossible(parts);
  const { genesis, evmChainId } = genesisFor(wish, parts);
  const chainName = nameFor(wish, parts);
  const count = validatorCount(wish);
  // transactions that wait may spend what pays here
  await producer.build();
  await producer.commit();
  const payer = { key: EWOQ_KEY, owner: addressOf(EWOQ_KEY) };
  const transactions = new L1Transactions(network, payer);
  const terms = { chainName, genesis, balance: BALANCE, managerAddress: MANAGER_ADDRESS };
  const sample: L1Plan = { ...terms, validators: sampleValidators(count) };
  const clock = parts.clock.seconds();
  const assetId = network.avaxAssetId;
  const purse = { chain: PLATFORM_UTXOS, owner: payer.owner, assetId, clock, codec: utxo as unknown as Codec<SpendableUtxo> };
  const one = { txId: assetId, outputIndex: 0, assetId, amount: 1n };
  const gasPrice = gasPriceNow(parts);
  const selection = await selectUtxos(store, purse, (inputs) =>
    transactions.cost(sample, { coins: new Array(inputs).fill(one), gasPrice }),
  );
  const accept = async (make: (purse: Purse) => Paid, coins: Purse["coins"]): Promise<Paid> => {
    const paid = make({ coins, gasPrice: gasPriceNow(parts) });
    await acceptAtOnce(producer, paid);
    return paid;
  };
  const created = await producer.whole(async () => {
    const subnet = await accept((from) => transactions.createSubnet(from), selection.utxos);
    const subnetId = subnet.tx.id;
    const plan: L1Plan = { ...terms, validators: l1Validators(subnetId, count) };
    const chain = await accept((from) => transactions.createChain(plan, subnetId, from), subnet.change);
    const chainId = chain.tx.id;
    await accept((from) => transactions.convert(plan, subnetId, chainId, from), chain.change);
    const validators = plan.validators.map(({ nodeId, weight }, index) => ({
      nodeId,
      weight,
      validationId: validationIdOf(subnetId, index),
    }));
    return { chainName, evmChainId, chainId, subnetId, validators };
  });
  await producer.commit();
  return created;
}

function requirePossible({ network, clock, evms }: CreateL1Parts): void {
  if (!isActive(network, "etna", clock.seconds()))
    throw new FirnError(
      "l1-impossible",
      "L1s begin with Etna, which is not active yet; move the clock past it, or start with --upgrades etna",
    );
  if (fundedKeys(network, [PAYER]).length === 0)
    throw new FirnError("no-key", "the genesis of this network funds no key that Firn knows; make the L1 with a key of your own");
  const problem = evms.problemOfAnother();
  if (problem !== undefined) throw new FirnError("l1-impossible", problem);
}

function genesisFor({ genesis, evmChainId }: L1Wish, { network, clock, evms, accountKeys }: CreateL1Parts) {
  const taken = new Set([BigInt(cChainGenesis(network).chainId), ...evms.all.map(({ spec }) => spec.evmChainId)]);
  if (genesis !== undefined && evmChainId !== undefined)
    throw new FirnError("l1-genesis", "the chain ID is for the default genesis; give it as config.chainId of your genesis instead");
  let free = FIRST_CHAIN_ID;
  while (taken.has(free)) free++;
  const funded = [...new Set([PAYER, ...accountKeys].map(({ key }) => evmAddressOf(key)))];
  const bytes = genesis ?? defaultGenesis({ evmChainId: evmChainId ?? free, timestamp: clock.seconds(), funded });
  const read = readGenesis(bytes, network, (id) => taken.has(id));
  if ("problem" in read) throw new FirnError("l1-genesis", read.problem);
  return { genesis: bytes, evmChainId: read.genesis.evmChainId };
}

function nameFor({ name }: L1Wish, { evms }: CreateL1Parts): string {
  const taken = new Set(evms.l1s.map(({ chainName }) => chainName));
  if (name === undefined) {
    let number = 1;
    while (taken.has(`dev${number}`)) number++;
    return `dev${number}`;
  }
  if (!NAME.test(name)) throw new FirnError("l1-name", `the name is ${JSON.stringify(name)}; use 1 to 128 letters, digits and spaces`);
  if (taken.has(name)) throw new FirnError("l1-name", `there is an L1 ${JSON.stringify(name)} already (firn l1 list); use another name`);
  return name;
}

function validatorCount({ validators = 1 }: L1Wish): number {
  if (Number.isInteger(validators) && validators >= 1 && validators <= MOST_VALIDATORS) return validators;
  throw new FirnError("l1-validators", `the number of validators is ${validators}; use one from 1 to ${MOST_VALIDATORS}`);
}

function gasPriceNow({ producer, network }: CreateL1Parts): bigint {
  const { minGasPrice, excessConversionConstant } = network.dynamicFees;
  const { feeExcess } = producer.chains.view.get(platformChain, { slot: 0 })!;
  return exponentialPrice(minGasPrice, feeExcess, excessConversionConstant) * GAS_PRICE_MARGIN;
}

/** The transaction is in a block that is not committed yet. */
async function acceptAtOnce(producer: Producer, { tx }: Paid): Promise<void> {
  const [admission] = await producer.admit([{ chainId: PLATFORM_CHAIN_ID, tx, viaWallet: false }]);
  if (admission!.kind !== "admitted") throw admission!.error;
  await producer.build({ chainIds: new Set([PLATFORM_CHAIN_ID]) });
  const status = producer.status(PLATFORM_CHAIN_ID, tx.id);
  if (status === undefined) return;
  throw new FirnError("l1-impossible", "the P-chain has no gas left for its next block; try again in some seconds");
}
