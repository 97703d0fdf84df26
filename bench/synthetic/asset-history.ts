/**
 * The history of the synthetic X-chain: every address gets funds and pays others; an exchange takes deposits and pays out some of them; a
 * few outputs need two of three signatures; some assets are created and moved; some funds are exported to P and C.
 */

import { EMPTY_ID, type Id, PLATFORM_CHAIN_ID, type ShortId } from "../../src/base/bytes/id.ts";
import { View } from "../../src/base/table/view.ts";
import type { AssetChain } from "../../src/chains/asset/chain.ts";
import type { AssetCodec } from "../../src/chains/asset/codec.ts";
import { assetChainState } from "../../src/chains/asset/tables.ts";
import type { SignedTx, UnsignedTx } from "../../src/chains/asset/tx/registry.ts";
import { NodeChains, residentTablesOf } from "../../src/ingest/chains.ts";
import type { NetworkInstance } from "../../src/network/network.ts";
import { BlockBuilder, ChainEnd, type OpenWriter } from "./block-file.ts";
import { AVAX, addressOf, GENESIS_TIME } from "./network.ts";
import { Dice, type Scale } from "./scale.ts";

export const EXCHANGE = addressOf("exchange");

const FEE = 1_000_000n;
const TXS_PER_BLOCK = 50;
const OUTPUTS_PER_TX = 500;
/** The share of payments that are deposits at the exchange. */
const DEPOSIT_SHARE = 0.4;

interface Coin {
  readonly txId: Id;
  readonly outputIndex: number;
  readonly assetId: Id;
  readonly amount: bigint;
  readonly address: ShortId;
}

interface Payment {
  readonly assetId?: Id;
  readonly amount: bigint;
  readonly addresses: readonly ShortId[];
  readonly threshold?: number;
}

export async function writeAssetHistory(open: OpenWriter, network: NetworkInstance, scale: Scale): Promise<number> {
  const history = new AssetHistory(open, network, scale);
  return history.write();
}

/** The X-chain right after genesis, for its codec and the ID of its block 0. */
function atGenesis(network: NetworkInstance): { codec: AssetCodec; lastAccepted: Id } {
  const view = new View();
  for (const table of residentTablesOf({ projections: [] })) view.setResident(table);
  const chains = new NodeChains(view, { network, level: "replay", projections: [] });
  chains.genesis({ hasVertices: false });
  const { codec } = chains.assetChain(network.xChainId) as AssetChain;
  return { codec, lastAccepted: view.get(assetChainState, { chain: 0 })!.lastAccepted };
}

class AssetHistory {
  readonly #blocks = new BlockBuilder<SignedTx>(TXS_PER_BLOCK, (txs) => this.#writeBlock(txs));
  readonly #network: NetworkInstance;
  readonly #scale: Scale;
  readonly #codec: AssetCodec;
  readonly #file: ChainEnd;
  readonly #dice = new Dice(2);
  readonly #deposits: Coin[] = [];
  #time = GENESIS_TIME + 10n;
  #faucet: Coin;

  constructor(open: OpenWriter, network: NetworkInstance, scale: Scale) {
    const { codec, lastAccepted } = atGenesis(network);
    this.#network = network;
    this.#scale = scale;
    this.#codec = codec;
    this.#file = new ChainEnd(open("X"), lastAccepted);
    const assetId = network.avaxAssetId;
    this.#faucet = { txId: assetId, outputIndex: 0, assetId, amount: 100_000_000n * AVAX, address: addressOf("faucet") };
  }

  /** Returns the number of transactions. */
  async write(): Promise<number> {
    const purses = await this.#spread();
    const tokens = await this.#tokens(purses);
    const { payments } = this.#scale;
    for (let count = 0; count < payments; count++) await this.#pay(count, purses, tokens);
    await this.#blocks.end();
    await this.#file.close();
    return this.#blocks.txCount;
  }

  async #pay(count: number, purses: Coin[], tokens: Coin[]): Promise<void> {
    const { addresses, payers = addresses, payments, largestHolder } = this.#scale;
    const payer = this.#dice.below(payers);
    const payee = addressOf("holder", this.#dice.below(addresses));
    const amount = BigInt(1000 + this.#dice.below(1_000_000));
    const fate = this.#dice.below(1000);
    const perDeposit = Math.ceil(largestHolder / Math.max(1, payments * DEPOSIT_SHARE * 0.95));
    if (fate < 1000 * DEPOSIT_SHARE) {
      const left = largestHolder - this.#deposits.length;
      const parts = Array.from({ length: Math.min(perDeposit, left) }, (_, i) => ({ amount: amount + BigInt(i), addresses: [EXCHANGE] }));
      const deposited = await this.#transfer(purses, payer, parts.length > 0 ? parts : [{ amount, addresses: [payee] }]);
      for (const coin of deposited) if (coin.address === EXCHANGE) this.#deposits.push(coin);
    } else if (fate < 420 && this.#deposits.length > 0) {
      await this.#withdraw(payee);
    } else if (fate < 430) {
      const owners = [0, 1, 2].map((i) => addressOf("holder", (payer + i) % addresses));
      await this.#transfer(purses, payer, [{ amount, addresses: owners, threshold: 2 }]);
    } else if (fate < 440) {
      const destinationChain = fate % 2 === 0 ? PLATFORM_CHAIN_ID : this.#network.cChainId;
      const exported = this.#outputs([{ amount, addresses: [payee] }]);
      await this.#transfer(purses, payer, [], { kind: "ExportTx", fields: { destinationChain, exportedOutputs: exported }, moved: amount });
    } else if (fate < 450) {
      await this.#moveToken(purses, tokens, count % tokens.length, payee);
    } else {
      await this.#transfer(purses, payer, [{ amount, addresses: [payee] }]);
    }
  }

  /** Pays from a purse, which keeps the change. Returns the outputs of the others. */
  async #transfer(
    purses: Coin[],
    payer: number,
    payments: readonly Payment[],
    { kind = "BaseTx" as UnsignedTx["kind"], fields = {}, moved = 0n } = {},
  ): Promise<Coin[]> {
    const coin = purses[payer]!;
    const change = coin.amount - FEE - payments.reduce((sum, { amount }) => sum + amount, moved);
    const tx = this.#tx(kind, [coin], [...payments, { amount: change, addresses: [coin.address] }], fields);
    await this.#blocks.add(tx);
    const made = this.#coinsOf(tx);
    const kept = made.findIndex(({ address, amount }) => address === coin.address && amount === change);
    purses[payer] = made[kept]!;
    return made.toSpliced(kept, 1);
  }

  /** Pays from one of the exchange's outputs, which keeps the rest. */
  async #withdraw(payee: ShortId): Promise<void> {
    const coins = Array.from({ length: Math.min(4, this.#deposits.length) }, () => this.#takeDeposit());
    const total = coins.reduce((sum, { amount }) => sum + amount, 0n);
    if (total <= FEE + 1000n) {
      this.#deposits.push(...coins);
      return;
    }
    const tx = this.#tx("BaseTx", coins, [
      { amount: 500n, addresses: [payee] },
      { amount: total - FEE - 500n, addresses: [EXCHANGE] },
    ]);
    await this.#blocks.add(tx);
    for (const coin of this.#coinsOf(tx)) if (coin.address === EXCHANGE) this.#deposits.push(coin);
  }

  /** Takes a random deposit, in constant time. */
  #takeDeposit(): Coin {
    const at = this.#dice.below(this.#deposits.length);
    const taken = this.#deposits[at]!;
    const last = this.#deposits.pop()!;
    if (at < this.#deposits.length) this.#deposits[at] = last;
    return taken;
  }

  async #tokens(purses: Coin[]): Promise<Coin[]> {
    const { addresses, payers = addresses } = this.#scale;
    const count = Math.min(20, payers);
    const tokens: Coin[] = [];
    for (let i = 0; i < count; i++) {
      const coin = purses[i]!;
      const amount = 1_000_000_000_000n;
      const output = { kind: "secp256k1.TransferOutput", amount, locktime: 0n, threshold: 1, addresses: [coin.address] };
      const description = { name: `Token ${i}`, symbol: "TOK", denomination: 6, initialStates: [{ fxIndex: 0, outputs: [output] }] };
      const change = coin.amount - this.#network.createAssetTxFee;
      const tx = this.#tx("CreateAssetTx", [coin], [{ amount: change, addresses: [coin.address] }], description);
      await this.#blocks.add(tx);
      purses[i] = this.#coinsOf(tx)[0]!;
      tokens.push({ txId: tx.id, outputIndex: 1, assetId: tx.id, amount, address: coin.address });
    }
    await this.#blocks.end();
    return tokens;
  }

  async #moveToken(purses: Coin[], tokens: Coin[], number: number, payee: ShortId): Promise<void> {
    const [token, purse] = [tokens[number]!, purses[number]!];
    const { assetId, address } = token;
    const rest = token.amount - 10n;
    const change = purse.amount - FEE;
    const tx = this.#tx(
      "BaseTx",
      [token, purse],
      [
        { assetId, amount: 10n, addresses: [payee] },
        { assetId, amount: rest, addresses: [address] },
        { amount: change, addresses: [address] },
      ],
    );
    await this.#blocks.add(tx);
    const made = this.#coinsOf(tx);
    tokens[number] = made.find((coin) => coin.assetId === assetId && coin.amount === rest)!;
    purses[number] = made.find((coin) => coin.assetId !== assetId)!;
  }

  /** Gives every address that pays a purse. */
  async #spread(): Promise<Coin[]> {
    const { addresses, payers = addresses } = this.#scale;
    const purses: Coin[] = [];
    for (let first = 0; first < payers; first += OUTPUTS_PER_TX) {
      const part = Array.from({ length: Math.min(OUTPUTS_PER_TX, payers - first) }, (_, i) => addressOf("holder", first + i));
      const payments = part.map((address) => ({ amount: 100n * AVAX, addresses: [address] }));
      const change = this.#faucet.amount - FEE - BigInt(part.length) * 100n * AVAX;
      const tx = this.#tx("BaseTx", [this.#faucet], [...payments, { amount: change, addresses: [this.#faucet.address] }]);
      await this.#blocks.add(tx);
      const made = new Map(this.#coinsOf(tx).map((coin) => [coin.address, coin]));
      for (const address of part) purses.push(made.get(address)!);
      this.#faucet = made.get(this.#faucet.address)!;
    }
    await this.#blocks.end();
    return purses;
  }

  #tx(kind: UnsignedTx["kind"], coins: readonly Coin[], payments: readonly Payment[], fields: object = {}): SignedTx {
    const place = ({ txId, outputIndex }: Coin) => `${txId}${outputIndex.toString(16).padStart(8, "0")}`;
    const inputs = coins
      .toSorted((a, b) => (place(a) < place(b) ? -1 : 1))
      .map(({ txId, outputIndex, assetId, amount }) => ({
        ...{ txId, outputIndex, assetId },
        input: { kind: "secp256k1.TransferInput" as const, amount, signatureIndices: [0] },
      }));
    const base = { networkId: this.#network.networkId, blockchainId: this.#network.xChainId, outputs: this.#outputs(payments), inputs };
    const credentials = coins.map(() => ({ kind: "secp256k1.Credential", signatures: [Buffer.alloc(65)] }));
    return this.#codec.makeTx({ kind, ...base, memo: Buffer.alloc(0), ...fields } as unknown as UnsignedTx, credentials);
  }

  /** Sorts outputs as the rules require. */
  #outputs(payments: readonly Payment[]) {
    const rank = ({ assetId = this.#network.avaxAssetId, amount, threshold = 1, addresses }: Payment) =>
      `${assetId}${amount.toString(16).padStart(16, "0")}${threshold}${addresses.length}${addresses.toSorted().join("")}`;
    return payments
      .map((payment) => ({ payment, rank: rank(payment) }))
      .sort((a, b) => (a.rank < b.rank ? -1 : 1))
      .map(({ payment: { assetId = this.#network.avaxAssetId, amount, threshold = 1, addresses } }) => ({
        assetId,
        output: { kind: "secp256k1.TransferOutput" as const, amount, locktime: 0n, threshold, addresses: addresses.toSorted() },
      }));
  }

  #coinsOf({ id: txId, unsigned }: SignedTx): Coin[] {
    return unsigned.outputs.map(({ assetId, output: { amount, addresses } }, outputIndex) => ({
      ...{ txId, outputIndex, assetId, amount },
      address: addresses[0]!,
    }));
  }

  async #writeBlock(txs: SignedTx[]): Promise<void> {
    this.#time += 2n;
    const place = { parentId: this.#file.lastId, height: this.#file.height + 1n, time: this.#time };
    const { bytes } = this.#codec.makeBlock({ ...place, merkleRoot: EMPTY_ID, txs });
    await this.#file.append(bytes, this.#time);
  }
}
