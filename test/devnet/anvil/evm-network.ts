/** A devnet with its EVM in this process, without HTTP, and actions of the pre-funded key on C and between X and C. */
import type { TransactionSerializable } from "viem";
import { type PrivateKeyAccount, privateKeyToAccount } from "viem/accounts";
import { formatId } from "../../../src/base/bytes/cb58.ts";
import { type Id, PLATFORM_CHAIN_ID } from "../../../src/base/bytes/id.ts";
import { sharedByAddress } from "../../../src/chains/shared-memory/tables.ts";
import { EWOQ_KEY } from "../../../src/devnet/account-keys.ts";
import type { DevelopmentEvm } from "../../../src/devnet/anvil/development-evm.ts";
import { evmCall } from "../../../src/devnet/anvil/evm-call.ts";
import type { Devnet } from "../../../src/devnet/devnet.ts";
import type { DevnetOptions } from "../../../src/devnet/devnet-types.ts";
import { blocks } from "../../../src/index/tables.ts";
import { utxosOfAddress } from "../../../src/index/utxos-of-address.ts";
import { scanAll } from "../../../src/store/store.ts";
import { startNetwork, type TestNetwork } from "../engine-network.ts";
import { type Coin, PlainWallet } from "../load/plain-wallet.ts";

export const EVM_CHAIN_ID = 43_112;
export const WEI_PER_NAVAX = 1_000_000_000n;

type Unsigned<T> = T extends TransactionSerializable ? Omit<T, "chainId"> : never;

export interface EvmAnswer {
  readonly result?: unknown;
  readonly error?: { readonly code: number; readonly message: string };
}

export class EvmNetwork {
  readonly devnet: Devnet;
  readonly directory: string;
  readonly evm: DevelopmentEvm;
  readonly account: PrivateKeyAccount;
  readonly wallet: PlainWallet;

  private constructor(devnet: Devnet, directory: string) {
    this.devnet = devnet;
    this.directory = directory;
    this.evm = devnet.evm as DevelopmentEvm;
    const { network } = devnet;
    this.account = accountOf(FUNDED);
    const blockchainIds = { P: formatId(PLATFORM_CHAIN_ID), X: formatId(network.xChainId), C: formatId(network.cChainId) };
    this.wallet = new PlainWallet(
      {
        networkId: network.networkId,
        hrp: network.hrp,
        evmChainId: EVM_CHAIN_ID,
        blockchainIds,
        avaxAssetId: formatId(network.avaxAssetId),
      },
      FUNDED,
    );
  }

  /** One that runs already, whoever started it. */
  static of(devnet: Devnet, directory: string): EvmNetwork {
    return new EvmNetwork(devnet, directory);
  }

  static async start(network: TestNetwork = {}, options: Partial<DevnetOptions> = {}): Promise<EvmNetwork> {
    const { devnet, directory } = await startNetwork(network, { evm: {}, ...options });
    return new EvmNetwork(devnet, directory);
  }

  ask(method: string, ...params: unknown[]): Promise<unknown> {
    return this.evm.request(method, params);
  }

  /** As a client gets it. */
  async answer(method: string, ...params: unknown[]): Promise<EvmAnswer> {
    return JSON.parse((await this.evm.forward(evmCall(1, method, params))).toString());
  }

  async balance(address: string, block = "latest"): Promise<bigint> {
    return BigInt((await this.ask("eth_getBalance", address, block)) as string);
  }

  async nonce(address: string = this.account.address): Promise<number> {
    return Number(await this.ask("eth_getTransactionCount", address, "latest"));
  }

  /** Signed by the pre-funded account. */
  sign(fields: Unsigned<TransactionSerializable>): Promise<`0x${string}`> {
    return this.account.signTransaction({ chainId: EVM_CHAIN_ID, ...fields } as TransactionSerializable);
  }

  /** As a client over HTTP would: the hash, or the error's message. */
  async send(raw: string): Promise<string> {
    const answer = await this.evm.forward(evmCall(1, "eth_sendRawTransaction", [raw]));
    const { result, error } = JSON.parse(answer.toString()) as { result?: string; error?: { message: string } };
    return result ?? error!.message;
  }

  /** Sends AVAX inside the EVM. */
  async pay(to: string, wei: bigint): Promise<string> {
    return this.send(
      await this.sign({ ...FEES, type: "eip1559", nonce: await this.nonce(), to: to as `0x${string}`, value: wei, gas: 21_000n }),
    );
  }

  /** What the wallet owns on X. */
  async coins(): Promise<Coin[]> {
    const coins: Coin[] = [];
    const owner = { chain: 0, address: this.wallet.address };
    for await (const { bytes } of utxosOfAddress(this.devnet.store, owner)) coins.push(coinOf(bytes));
    return coins;
  }

  /** What is on its way from X to the wallet's account on C. */
  async exported(): Promise<Coin[]> {
    const { network, store } = this.devnet;
    const coins: Coin[] = [];
    const owned = { destination: network.cChainId, source: network.xChainId, address: this.wallet.address };
    for await (const { value } of scanAll(store, sharedByAddress, owned)) coins.push(coinOf(value.bytes.subarray(2)));
    return coins;
  }

  async exportToC(nAvax: bigint): Promise<void> {
    const signed = this.wallet.export("X", "C", await this.coins(), { to: this.wallet.address, amount: nAvax });
    await this.devnet.issue(this.devnet.network.xChainId, signed!.bytes);
  }

  async importToC(): Promise<Id> {
    const signed = this.wallet.importToEvm("X", await this.exported());
    return this.devnet.issue(this.devnet.network.cChainId, signed!.bytes);
  }

  exportToX(nAvax: bigint, nonce: number): Promise<Id> {
    const signed = this.wallet.exportFromEvm("X", BigInt(nonce), { to: this.wallet.address, amount: nAvax });
    return this.devnet.issue(this.devnet.network.cChainId, signed.bytes);
  }

  /** The stored block at a height; undefined above the tip. */
  storedBlock(height: bigint) {
    return this.devnet.store.get(blocks, { chainId: this.devnet.network.cChainId, height });
  }
}

const FUNDED = EWOQ_KEY;
export const FEES = { maxFeePerGas: 100_000_000_000n, maxPriorityFeePerGas: 3n };

export function accountOf(key: Uint8Array): PrivateKeyAccount {
  return privateKeyToAccount(`0x${Buffer.from(key).toString("hex")}`);
}

export function coinOf(utxo: Uint8Array): Coin {
  const bytes = Buffer.from(utxo);
  return { reference: bytes.subarray(0, 36), amount: bytes.readBigUInt64BE(36 + 32 + 4) };
}
