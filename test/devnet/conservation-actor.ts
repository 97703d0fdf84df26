/** An actor with a key of its own that moves AVAX in random ways: pays, sends it between chains, stakes it. */

import { formatId } from "../../src/base/bytes/cb58.ts";
import { formatEvmAddress } from "../../src/base/bytes/evm-address.ts";
import { PLATFORM_CHAIN_ID, PRIMARY_NETWORK_ID, type ShortId } from "../../src/base/bytes/id.ts";
import { signDigest } from "../../src/base/signatures/secp256k1.ts";
import { platformStakers } from "../../src/chains/platform/tables.ts";
import { type UnsignedTx, unsignedTx } from "../../src/chains/platform/tx/registry.ts";
import { assemble } from "../../src/chains/platform/tx/signed.ts";
import { sharedByAddress } from "../../src/chains/shared-memory/tables.ts";
import type { Devnet } from "../../src/devnet/devnet.ts";
import { PLATFORM_UTXOS } from "../../src/index/tables.ts";
import { readUtxos, utxoPlaces } from "../../src/index/utxos-of-address.ts";
import { key } from "../chains/asset/wallet.ts";
import { coinOf } from "./anvil/evm-network.ts";
import { AVAX, type ChainName, chainIdOf, DAY } from "./engine-network.ts";
import { type Coin, FEE, PlainWallet, type SignedIssue } from "./load/plain-wallet.ts";

const PEER: ShortId = "11".repeat(20);
/** of genesis; its share of a delegator's reward is a sixteenth */
const VALIDATOR = "f29bce5f34a74301eb0de716d5194e4a4aea5d7a";
const LEAST_STAKE = 25n * AVAX;
const KEY = key("actor").privateKey;

export class Actor {
  /** of the running process: a restart has another */
  devnet: Devnet;
  readonly #wallet: PlainWallet;

  constructor(devnet: Devnet) {
    const { network } = devnet;
    const blockchainIds = { P: formatId(PLATFORM_CHAIN_ID), X: formatId(network.xChainId), C: formatId(network.cChainId) };
    const avaxAssetId = formatId(network.avaxAssetId);
    this.devnet = devnet;
    this.#wallet = new PlainWallet({ networkId: network.networkId, hrp: network.hrp, evmChainId: 43112, blockchainIds, avaxAssetId }, KEY);
  }

  async begin(): Promise<void> {
    for (const chain of ["P", "X"] as const) await this.devnet.fund(this.#wallet.addressOn(chain), 1_000n * AVAX);
    await this.devnet.fund(formatEvmAddress(this.#wallet.evmAddress), 1_000n * AVAX);
  }

  /** Whether there was anything to pay from. */
  async pay(chain: "P" | "X"): Promise<boolean> {
    return this.#issue(this.#wallet.transfer(chain, await this.#coins(chain), [{ to: PEER, amount: AVAX }]));
  }

  payInEvm(wei: bigint): Promise<unknown> {
    return this.devnet.fund(`0x${PEER}`, wei);
  }

  async export(from: ChainName, to: ChainName): Promise<boolean> {
    const payment = { to: this.#wallet.address, amount: AVAX };
    if (from !== "C") return this.#issue(this.#wallet.export(from, to, await this.#coins(from), payment));
    const account = formatEvmAddress(this.#wallet.evmAddress);
    const nonce = BigInt((await this.devnet.evm!.request("eth_getTransactionCount", [account, "latest"])) as string);
    return this.#issue(this.#wallet.exportFromEvm(to as "P" | "X", nonce, payment));
  }

  async import(from: ChainName, to: ChainName): Promise<boolean> {
    const coins = await this.#arrived(from, to);
    return this.#issue(
      to === "C" ? this.#wallet.importToEvm(from as "P" | "X", coins) : this.#wallet.import(to, from, coins.slice(0, MOST_COINS)),
    );
  }

  /** To one of the validators, if any is left. */
  async delegate(days: bigint): Promise<boolean> {
    const { store, clock, network } = this.devnet;
    const validator = (await store.scan(platformStakers, { limit: 100 })).find(({ value }) => value.nodeId === VALIDATOR);
    const coins = await this.#coins("P");
    const change = coins.reduce((sum, { amount }) => sum + amount, 0n) - LEAST_STAKE - FEE;
    if (validator === undefined || change <= 0n) return false;
    const output = (amount: bigint) => ({
      assetId: network.avaxAssetId,
      output: { kind: "TransferOutput" as const, amount, locktime: 0n, threshold: 1, addresses: [this.#wallet.address] },
    });
    const end = clock.seconds() + days * DAY;
    const unsigned: UnsignedTx = {
      kind: "AddPermissionlessDelegatorTx",
      networkId: network.networkId,
      blockchainId: PLATFORM_CHAIN_ID,
      outputs: [output(change)],
      inputs: coins
        .toSorted((a, b) => Buffer.compare(a.reference, b.reference))
        .map(({ reference, amount }) => ({
          txId: reference.toString("hex", 0, 32),
          outputIndex: reference.readUInt32BE(32),
          assetId: network.avaxAssetId,
          input: { kind: "TransferInput" as const, amount, signatureIndices: [0] },
        })),
      memo: new Uint8Array(),
      validator: { nodeId: validator.value.nodeId, start: 0n, end, weight: LEAST_STAKE },
      subnetId: PRIMARY_NETWORK_ID,
      stake: [output(LEAST_STAKE)],
      rewardsOwner: { kind: "OutputOwners", locktime: 0n, threshold: 1, addresses: [this.#wallet.address] },
    };
    const signatures = [signDigest(assemble(unsignedTx, unsigned, []).digest, KEY)];
    const credential = { kind: "Credential" as const, signatures };
    await this.devnet.issue(PLATFORM_CHAIN_ID, assemble(unsignedTx, unsigned, new Array(coins.length).fill(credential)).bytes);
    return true;
  }

  async #issue(signed: SignedIssue | undefined): Promise<boolean> {
    if (signed === undefined) return false;
    await this.devnet.issue(chainIdOf(this.devnet, signed.chain), signed.bytes);
    return true;
  }

  async #coins(chain: "P" | "X"): Promise<Coin[]> {
    const number = chain === "P" ? PLATFORM_UTXOS : 0;
    const owner = { chain: number, address: this.#wallet.address };
    const places = await utxoPlaces(this.devnet.store, owner, { after: undefined, limit: MOST_COINS });
    const utxos = await readUtxos(
      this.devnet.store,
      number,
      places.map(({ utxoId }) => utxoId),
    );
    return utxos.map(({ bytes }) => coinOf(bytes));
  }

  async #arrived(from: ChainName, to: ChainName): Promise<Coin[]> {
    const prefix = { destination: chainIdOf(this.devnet, to), source: chainIdOf(this.devnet, from), address: this.#wallet.address };
    const rows = await this.devnet.store.scan(sharedByAddress, { prefix, limit: MOST_COINS });
    return rows.map(({ value }) => coinOf(value.bytes.subarray(2)));
  }
}

const MOST_COINS = 8;
