/** Chains of L1s in a devnet, as clients reach them: by `CreateChainTx`, and at their EVMs. */

import { parseTransaction, type TransactionSerializable } from "viem";
import { privateKeyToAccount } from "viem/accounts";
import { type Id, PLATFORM_CHAIN_ID } from "../../src/base/bytes/id.ts";
import type { Codec } from "../../src/base/codec/codec.ts";
import { addressOf, evmAddressOf } from "../../src/base/signatures/secp256k1.ts";
import { utxo } from "../../src/chains/platform/output.ts";
import { accountKeys, EWOQ_KEY } from "../../src/devnet/account-keys.ts";
import type { DevelopmentEvm } from "../../src/devnet/anvil/development-evm.ts";
import { evmCall } from "../../src/devnet/anvil/evm-call.ts";
import type { Devnet } from "../../src/devnet/devnet.ts";
import type { L1 } from "../../src/devnet/evm/evm-chains.ts";
import { type SpendableUtxo, selectUtxos } from "../../src/devnet/faucet/spendable.ts";
import { defaultGenesis } from "../../src/devnet/l1/create-l1.ts";
import { type L1Plan, L1Transactions, type Paid } from "../../src/devnet/l1/l1-transactions.ts";
import { PLATFORM_UTXOS } from "../../src/index/tables.ts";

const AVAX = 1_000_000_000n;
const GAS_PRICE = 1_000n;
const NATIVE_FEES = { maxFeePerGas: 3_000_000_000n, maxPriorityFeePerGas: 1n };

const payer = { key: EWOQ_KEY, owner: addressOf(EWOQ_KEY) };
export const ewoqAccount = privateKeyToAccount(`0x${EWOQ_KEY.toString("hex")}`);
export const BOB = "0x00000000000000000000000000000000000b0b01";

/** A genesis that funds ewoq; members given replace its own. */
export function genesisOf(evmChainId: bigint, config: object = {}): Buffer {
  const genesis = JSON.parse(defaultGenesis({ evmChainId, timestamp: 1_700_000_000n, funded: [evmAddressOf(EWOQ_KEY)] }).toString());
  delete genesis.config.warpConfig;
  return Buffer.from(JSON.stringify({ ...genesis, config: { ...genesis.config, ...config } }));
}

/** Creates a subnet, then a chain of Subnet-EVM on it, by transactions alone. */
export class SubnetMaker {
  readonly #devnet: Devnet;
  readonly #transactions: L1Transactions;
  subnetId: Id = "";

  private constructor(devnet: Devnet) {
    this.#devnet = devnet;
    this.#transactions = new L1Transactions(devnet.network, payer);
  }

  static async open(devnet: Devnet): Promise<SubnetMaker> {
    const maker = new SubnetMaker(devnet);
    maker.subnetId = await maker.#issue((purse) => maker.#transactions.createSubnet(purse));
    return maker;
  }

  createChain(genesis: Uint8Array, chainName = "by hand"): Promise<Id> {
    const plan: L1Plan = { chainName, genesis, validators: [], balance: 0n, managerAddress: "00".repeat(20) };
    return this.#issue((purse) => this.#transactions.createChain(plan, this.subnetId, purse));
  }

  async #issue(make: (purse: Parameters<L1Transactions["createSubnet"]>[0]) => Paid): Promise<Id> {
    const { store, network, clock } = this.#devnet;
    const codec = utxo as unknown as Codec<SpendableUtxo>;
    const purse = { chain: PLATFORM_UTXOS, owner: payer.owner, assetId: network.avaxAssetId, clock: clock.seconds(), codec };
    const { utxos } = await selectUtxos(store, purse, () => 50n * AVAX);
    return this.#devnet.issue(PLATFORM_CHAIN_ID, make({ coins: utxos, gasPrice: GAS_PRICE }).tx.bytes);
  }
}

export function l1Of(devnet: Devnet, chainId: Id): L1 {
  return devnet.evms.l1s.find((one) => one.chainId === chainId)!;
}

/** The EVM of a chain, with actions of ewoq. */
export class L1Client {
  readonly #evmOf: () => DevelopmentEvm;

  constructor(devnet: Devnet, chainId: Id) {
    this.#evmOf = () => devnet.evms.running(chainId)!.evm;
  }

  get evm(): DevelopmentEvm {
    return this.#evmOf();
  }

  ask(method: string, ...params: unknown[]): Promise<unknown> {
    return this.evm.request(method, params);
  }

  async height(): Promise<bigint> {
    return BigInt((await this.ask("eth_blockNumber")) as string);
  }

  async balance(address: string): Promise<bigint> {
    return BigInt((await this.ask("eth_getBalance", address, "latest")) as string);
  }

  /** The hash, or the error's message. */
  async pay(value: bigint, fields: Partial<TransactionSerializable> = {}): Promise<string> {
    const nonce = Number(await this.ask("eth_getTransactionCount", ewoqAccount.address, "pending"));
    const transaction = { type: "eip1559", chainId: Number(this.evm.spec.evmChainId), nonce, to: BOB, value, gas: 21_000n };
    return this.send(await ewoqAccount.signTransaction({ ...NATIVE_FEES, ...transaction, ...fields } as TransactionSerializable));
  }

  async send(raw: string): Promise<string> {
    parseTransaction(raw as `0x02${string}`);
    const answer = JSON.parse((await this.evm.forward(evmCall(1, "eth_sendRawTransaction", [raw]))).toString());
    return answer.result ?? answer.error.message;
  }
}

/** of the keys that a devnet funds by itself */
export const fundedAccounts = accountKeys({}).map(({ key }) => `0x${evmAddressOf(key)}`);
