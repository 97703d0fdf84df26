/**
 * The history of the synthetic P-chain: funds are distributed, stakers are added, some periods end with and without a reward, subnets,
 * blockchains and L1s are created, and addresses pay each other.
 */

import { type Id, nameId, PRIMARY_NETWORK_ID } from "../../src/base/bytes/id.ts";
import { encodeBlock } from "../../src/chains/platform/block.ts";
import { genesisBlock } from "../../src/chains/platform/genesis/genesis-state.ts";
import { type SignedTx, unsignedTx } from "../../src/chains/platform/tx/registry.ts";
import { assemble } from "../../src/chains/platform/tx/signed.ts";
import type { NetworkInstance } from "../../src/network/network.ts";
import { BlockBuilder, ChainEnd, type OpenWriter } from "./block-file.ts";
import { AVAX, addressOf, GENESIS_TIME, nodeOf, proofOf } from "./network.ts";
import { type Coin, FEE, ownedBy, type Payment, PlatformWallet } from "./platform-wallet.ts";
import { Dice, type Scale } from "./scale.ts";

const DAY = 86_400n;
const OUTPUTS_PER_TX = 500;
const TXS_PER_BLOCK = 100;
/** Seconds between blocks of payments, which are a tenth of the X-chain's: it has half as many in a block, every two seconds. */
const PAYMENTS_PACE = 40n;
/** Number of validators with many delegators. */
const POPULAR = 100;

interface Period {
  readonly txId: Id;
  readonly end: bigint;
}

export async function writePlatformHistory(open: OpenWriter, network: NetworkInstance, scale: Scale): Promise<number> {
  const history = new PlatformHistory(open, network, scale);
  return history.write();
}

class PlatformHistory {
  readonly #blocks: BlockBuilder<SignedTx>;
  readonly #scale: Scale;
  readonly #wallet: PlatformWallet;
  readonly #file: ChainEnd;
  readonly #dice = new Dice(1);
  #time = GENESIS_TIME;
  /** seconds between blocks */
  #pace = 1n;
  #faucet: Coin;

  constructor(open: OpenWriter, network: NetworkInstance, scale: Scale) {
    this.#scale = scale;
    this.#blocks = new BlockBuilder(scale.txsPerBlock ?? TXS_PER_BLOCK, (txs) => this.#writeBlock(txs));
    this.#wallet = new PlatformWallet(network.networkId, network.avaxAssetId);
    this.#file = new ChainEnd(open("P"), genesisBlock(network).id);
    this.#faucet = this.#wallet.genesisCoin(250_000_000n * AVAX, addressOf("faucet"));
  }

  /** Returns the number of transactions. */
  async write(): Promise<number> {
    const ended = await this.#stakers();
    await this.#subnets();
    await this.#payments();
    for (const period of ended) await this.#endPeriod(period);
    await this.#file.close();
    return this.#blocks.txCount + ended.length;
  }

  /** Adds validators, then delegators. The last validators are those whose periods end in this history. */
  async #stakers(): Promise<Period[]> {
    const { validators, delegators, endedShare } = this.#scale;
    const [endedValidators, endedDelegators] = [Math.round(validators * endedShare), Math.round(delegators * endedShare)];
    const weights = Array.from(
      { length: validators + endedValidators },
      (_, node) => (node < POPULAR ? 100_000n : 2000n + BigInt(node % 500)) * AVAX,
    );
    const stakes = weights.map((weight, node) => ({ amount: weight + FEE, addresses: [addressOf("staker", node)] }));
    const ended: Period[] = [];
    for (const [node, coin] of (await this.#spread(stakes)).entries()) {
      const end = node < validators ? GENESIS_TIME + 200n * DAY + BigInt(node) * 60n : GENESIS_TIME + 12n * DAY + BigInt(node) * 2n;
      const txId = await this.#validator(node, coin, weights[node]!, end);
      if (node >= validators) ended.push({ txId, end });
    }
    const shares = Array.from({ length: delegators + endedDelegators }, (_, i) => (25n + BigInt(i % 40)) * AVAX);
    const coins = await this.#spread(
      shares.map((amount, i) => ({ amount: amount + FEE, addresses: [addressOf("holder", i % this.#scale.addresses)] })),
    );
    const first: Period[] = [];
    for (const [i, coin] of coins.entries()) {
      const isEnding = i >= delegators;
      const end = isEnding ? GENESIS_TIME + 10n * DAY + BigInt(i - delegators) * 2n : GENESIS_TIME + 150n * DAY + BigInt(i) * 20n;
      const txId = await this.#delegator(this.#delegatee(i, isEnding), coin, shares[i]!, end);
      if (isEnding) first.push({ txId, end });
    }
    return [...first, ...ended];
  }

  #delegatee(delegator: number, isEnding: boolean): number {
    const { validators } = this.#scale;
    if (!isEnding && delegator % 10 < 3) return this.#dice.below(Math.min(POPULAR, validators));
    return this.#dice.below(validators);
  }

  async #validator(node: number, coin: Coin, weight: bigint, end: bigint): Promise<Id> {
    const owner = ownedBy(addressOf("staker", node));
    const tx = this.#wallet.tx("AddPermissionlessValidatorTx", [coin], [], {
      validator: { nodeId: nodeOf(node), start: 0n, end, weight },
      subnetId: PRIMARY_NETWORK_ID,
      signer: { kind: "ProofOfPossession", ...proofOf(node) },
      stake: this.#wallet.outputs([{ amount: weight, addresses: [coin.address] }]),
      validationRewardsOwner: owner,
      delegationRewardsOwner: owner,
      shares: 20_000 + (node % 50) * 2000,
    });
    await this.#blocks.add(tx);
    return tx.id;
  }

  async #delegator(node: number, coin: Coin, weight: bigint, end: bigint): Promise<Id> {
    const tx = this.#wallet.tx("AddPermissionlessDelegatorTx", [coin], [], {
      validator: { nodeId: nodeOf(node), start: 0n, end, weight },
      subnetId: PRIMARY_NETWORK_ID,
      stake: this.#wallet.outputs([{ amount: weight, addresses: [coin.address] }]),
      rewardsOwner: ownedBy(coin.address),
    });
    await this.#blocks.add(tx);
    return tx.id;
  }

  async #subnets(): Promise<void> {
    const { subnets, l1s, l1Validators } = this.#scale;
    const coins = await this.#spread(
      Array.from({ length: 3 * subnets }, (_, i) => ({ amount: 200n * AVAX, addresses: [addressOf("creator", i % subnets)] })),
    );
    const subnetAuthorization = { kind: "Input", signatureIndices: [0] };
    for (let i = 0; i < subnets; i++) {
      const subnet = this.#wallet.tx("CreateSubnetTx", [coins[3 * i]!], [], { owner: ownedBy(addressOf("creator", i)) });
      await this.#blocks.add(subnet);
      const description = { chainName: `chain ${i}`, vmId: nameId("subnetevm"), fxIds: [], genesisData: Buffer.from(`{"chain":${i}}`) };
      const chain = this.#wallet.tx(
        "CreateChainTx",
        [coins[3 * i + 1]!],
        [],
        { subnetId: subnet.id, ...description, subnetAuthorization },
        1,
      );
      await this.#blocks.add(chain);
      if (i >= l1s) continue;
      const validators = Array.from({ length: l1Validators }, (_, member) => {
        const owner = { threshold: 1, addresses: [addressOf("creator", i)] };
        const nodeId = Buffer.from(addressOf(`l1 ${i}`, member), "hex");
        const rights = { remainingBalanceOwner: owner, deactivationOwner: owner };
        return { nodeId, weight: 100n + BigInt(member), balance: 10n * AVAX, signer: proofOf(member), ...rights };
      }).toSorted((a, b) => Buffer.compare(a.nodeId, b.nodeId));
      const fields = { subnetId: subnet.id, chainId: chain.id, address: Buffer.alloc(20, 1), validators, subnetAuthorization };
      await this.#blocks.add(this.#wallet.tx("ConvertSubnetToL1Tx", [coins[3 * i + 2]!], [], fields, 1));
    }
  }

  /** Every address repeatedly pays a part of its funds to another one. */
  async #payments(): Promise<void> {
    const { addresses, payments } = this.#scale;
    const payers = Math.min(this.#scale.payers ?? addresses, 20_000);
    const purses = await this.#spread(
      Array.from({ length: payers }, (_, i) => ({ amount: 100n * AVAX, addresses: [addressOf("holder", i)] })),
    );
    this.#pace = this.#scale.paymentsPace ?? PAYMENTS_PACE;
    for (let count = 0; count < payments / 10; count++) {
      const payer = this.#dice.below(payers);
      const coin = purses[payer]!;
      const amount = BigInt(1_000_000 + this.#dice.below(9_000_000));
      if (coin.amount < amount + 2n * FEE) continue;
      const payee = addressOf("holder", this.#dice.below(addresses));
      const lock = count % 100 === 0 ? { stakeableLocktime: GENESIS_TIME + 100n * DAY } : {};
      const tx = this.#wallet.tx(
        "BaseTx",
        [coin],
        [
          { amount, addresses: [payee], ...lock },
          { amount: coin.amount - amount - FEE / 10n, addresses: [coin.address] },
        ],
      );
      await this.#blocks.add(tx);
      purses[payer] = this.#wallet.coinsOf(tx).find(({ address, amount: left }) => address === coin.address && left !== amount)!;
    }
    await this.#blocks.end();
  }

  /** One period in twenty ends without a reward. */
  async #endPeriod({ txId, end }: Period): Promise<void> {
    const tx = assemble(unsignedTx, { kind: "RewardValidatorTx", txId }, []);
    const place = () => ({ parentId: this.#file.lastId, height: this.#file.height + 1n, time: end });
    await this.#file.append(encodeBlock({ kind: "BanffProposalBlock", ...place(), txs: [], tx }), end);
    const kind = this.#dice.below(20) === 0 ? "BanffAbortBlock" : "BanffCommitBlock";
    await this.#file.append(encodeBlock({ kind, ...place() }), end);
  }

  /** Makes coins from the faucet's in the order of `payments`; they can be spent from the next block on. */
  async #spread(payments: readonly Payment[]): Promise<Coin[]> {
    const coins: Coin[] = [];
    for (let at = 0; at < payments.length; at += OUTPUTS_PER_TX) {
      const part = payments.slice(at, at + OUTPUTS_PER_TX);
      const spent = part.reduce((sum, { amount }) => sum + amount, FEE);
      const change = { amount: this.#faucet.amount - spent, addresses: [this.#faucet.address] };
      const tx = this.#wallet.tx("BaseTx", [this.#faucet], [...part, change]);
      await this.#blocks.add(tx);
      const made = new Map<string, Coin[]>();
      for (const coin of this.#wallet.coinsOf(tx)) {
        const name = `${coin.address} ${coin.amount}`;
        made.set(name, [...(made.get(name) ?? []), coin]);
      }
      const take = ({ addresses, amount }: Payment) => made.get(`${addresses[0]} ${amount}`)!.pop()!;
      for (const payment of part) coins.push(take(payment));
      this.#faucet = take(change);
    }
    await this.#blocks.end();
    return coins;
  }

  async #writeBlock(txs: SignedTx[]): Promise<void> {
    this.#time += this.#pace;
    const place = { parentId: this.#file.lastId, height: this.#file.height + 1n, time: this.#time };
    await this.#file.append(encodeBlock({ kind: "BanffStandardBlock", ...place, txs }), this.#time);
  }
}
