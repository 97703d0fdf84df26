/** Random transactions of all kinds that a client could issue: many are valid, and many build on ones that are in no block yet. */

import { type Id, type NodeId, nameId, PRIMARY_NETWORK_ID } from "../../../../src/base/bytes/id.ts";
import { validationIdOf } from "../../../../src/chains/platform/tx/convert-subnet-to-l1.ts";
import type { SignedTx, UnsignedTx } from "../../../../src/chains/platform/tx/registry.ts";
import type { NetworkInstance } from "../../../../src/network/network.ts";
import { ADDRESS, AUTHORIZED, type Coin, genesisCoins, IssuingWallet, OWNER, SIGNERS } from "./issuing-wallet.ts";
import type { IssuingWorld } from "./issuing-world.ts";

/** What to do next, in numbers that are taken modulo whatever there is to choose from. */
export interface Choice {
  readonly kind: number;
  readonly coin: number;
  readonly subject: number;
  readonly seconds: number;
  readonly fee: number;
}

const STAKE = 10_000n;
const BALANCE = 50_000n;
const UNKNOWN: Id = "77".repeat(32);

export class RandomTransactions {
  readonly #world: IssuingWorld;
  readonly #network: NetworkInstance;
  readonly #wallet: IssuingWallet;
  #coins: Coin[];
  /** of other chains, to import */
  #foreign: Coin[] = [];
  readonly #subnets: Id[] = [];
  readonly #validations: Id[] = [];
  readonly #renewed: Id[] = [];
  readonly #nodes: NodeId[] = Array.from({ length: 4 }, (_, n) => `${n + 1}`.repeat(40));
  #count = 0;

  constructor(world: IssuingWorld) {
    this.#world = world;
    this.#network = world.replay.network;
    this.#wallet = new IssuingWallet(this.#network);
    this.#coins = genesisCoins(this.#network);
  }

  static readonly kinds = 20;

  make(choice: Choice): SignedTx | undefined {
    const tx = this.#make(choice);
    this.#count++;
    return tx;
  }

  /** Its outputs may be spent from now on, in a block or not. One coin in ten is spent again all the same. */
  admitted(tx: SignedTx, { coin }: Choice): void {
    const spent = new Set("inputs" in tx.unsigned ? tx.unsigned.inputs.map(({ txId, outputIndex }) => `${txId}${outputIndex}`) : []);
    if (coin % 10 !== 0) this.#coins = this.#coins.filter(({ txId, outputIndex }) => !spent.has(`${txId}${outputIndex}`));
    this.#coins.push(...this.#wallet.coinsOf(tx));
    const { unsigned, id } = tx;
    if (unsigned.kind === "CreateSubnetTx") this.#subnets.push(id);
    if (unsigned.kind === "AddAutoRenewedValidatorTx") this.#renewed.push(id);
    if (unsigned.kind === "ConvertSubnetToL1Tx") this.#validations.push(validationIdOf(unsigned.subnetId, 0));
  }

  #make(choice: Choice): SignedTx | undefined {
    const { kind, subject } = choice;
    const subnetId = pickOr(this.#subnets, subject, PRIMARY_NETWORK_ID);
    const nodeId = pick(this.#nodes, subject);
    const validator = this.#staking(choice, nodeId);
    const subnetAuthorization = AUTHORIZED;
    const stake = this.#wallet.outputs([STAKE]);
    const rewards = { validationRewardsOwner: OWNER, delegationRewardsOwner: OWNER };
    switch (kind % RandomTransactions.kinds) {
      case 0:
        return this.#spend(choice, "CreateSubnetTx", { fields: { owner: OWNER } });
      case 1: {
        const chain = {
          subnetId,
          chainName: "a chain",
          vmId: nameId("avm"),
          fxIds: [],
          genesisData: Buffer.alloc(subject),
          subnetAuthorization,
        };
        return this.#spend(choice, "CreateChainTx", { fields: chain, authorizations: 1 });
      }
      case 2:
        return this.#spend(choice, "AddSubnetValidatorTx", {
          fields: { validator: { ...validator, weight: 7n, subnetId }, subnetAuthorization },
          authorizations: 1,
        });
      case 3:
        return this.#spend(choice, "RemoveSubnetValidatorTx", { fields: { nodeId, subnetId, subnetAuthorization }, authorizations: 1 });
      case 4:
      case 5: {
        const signer = pick(SIGNERS, subject);
        const fields = { validator, subnetId: PRIMARY_NETWORK_ID, signer, stake, ...rewards, shares: 20_000 };
        return this.#spend(choice, "AddPermissionlessValidatorTx", { fields, used: STAKE });
      }
      case 6: {
        const fields = { validator, subnetId: PRIMARY_NETWORK_ID, stake, rewardsOwner: OWNER };
        return this.#spend(choice, "AddPermissionlessDelegatorTx", { fields, used: STAKE });
      }
      case 7:
        return this.#spend(choice, "AddValidatorTx", { fields: { validator, stake, rewardsOwner: OWNER, shares: 20_000 }, used: STAKE });
      case 8:
        return this.#spend(choice, "AddDelegatorTx", { fields: { validator, stake, rewardsOwner: OWNER }, used: STAKE });
      case 9:
        return this.#spend(choice, "TransferSubnetOwnershipTx", {
          fields: { subnetId, subnetAuthorization, newOwner: OWNER },
          authorizations: 1,
        });
      case 10:
        return this.#convert(choice, subnetId);
      case 11:
        return this.#spend(choice, "IncreaseL1ValidatorBalanceTx", {
          fields: { validationId: pickOr(this.#validations, subject, UNKNOWN), balance: BALANCE },
          used: BALANCE,
        });
      case 12:
        return this.#spend(choice, "DisableL1ValidatorTx", {
          fields: { validationId: pickOr(this.#validations, subject, UNKNOWN), disableAuthorization: AUTHORIZED },
          authorizations: 1,
        });
      case 13:
        return this.#spend(choice, "ExportTx", {
          fields: { destinationChain: this.#network.xChainId, exportedOutputs: stake },
          used: STAKE,
        });
      case 14:
        return this.#import(choice);
      case 15: {
        const fields = {
          nodeId: Buffer.from(nodeId, "hex"),
          signer: pick(SIGNERS, subject),
          stake,
          ...rewards,
          validatorAuthority: OWNER,
          delegationShares: 20_000,
          autoCompoundRewardShares: 300_000,
          period: BigInt(10 + (choice.seconds % 40)),
        };
        return this.#spend(choice, "AddAutoRenewedValidatorTx", { fields, used: STAKE });
      }
      case 16: {
        const txId = pickOr(this.#renewed, subject, UNKNOWN);
        const fields = { txId, auth: AUTHORIZED, autoCompoundRewardShares: 0, period: BigInt(choice.seconds % 3 === 0 ? 0 : 20) };
        return this.#spend(choice, "SetAutoRenewedValidatorConfigTx", { fields, authorizations: 1 });
      }
      default:
        return this.#spend(choice, "BaseTx", { parts: 1 + (subject % 4), isForged: subject % 17 === 0 });
    }
  }

  #staking({ seconds, fee }: Choice, nodeId: NodeId) {
    const start = this.#world.clock + 1n + BigInt(fee % 20);
    return { nodeId, start, end: start + BigInt(5 + (seconds % 60)), weight: STAKE };
  }

  #spend(choice: Choice, kind: UnsignedTx["kind"], order: Partial<Parameters<IssuingWallet["tx"]>[1]>): SignedTx | undefined {
    const coin = pickOr(this.#coins, choice.coin, undefined);
    if (coin === undefined) return undefined;
    return this.#wallet.tx(kind, { coins: [coin], burned: feeOf(choice), ...order });
  }

  #convert(choice: Choice, subnetId: Id): SignedTx | undefined {
    const owner = { threshold: 1, addresses: [ADDRESS] };
    const { kind: _, ...signer } = pick(SIGNERS, choice.subject);
    const nodeId = Buffer.from(pick(this.#nodes, choice.seconds), "hex");
    const validator = { nodeId, weight: 5n, balance: BALANCE, signer, remainingBalanceOwner: owner, deactivationOwner: owner };
    const fields = {
      ...{ subnetId, chainId: this.#network.xChainId, address: Buffer.from("manager") },
      ...{ validators: [validator], subnetAuthorization: AUTHORIZED },
    };
    return this.#spend(choice, "ConvertSubnetToL1Tx", { fields, used: BALANCE, authorizations: 1 });
  }

  /** Another chain exports; three of four imports take something that is there. */
  #import(choice: Choice): SignedTx {
    const coin = { txId: (this.#count + 1).toString(16).padStart(64, "e"), outputIndex: 0, amount: 100_000_000n };
    if (choice.subject % 4 !== 0) this.#foreign.push(coin);
    if (choice.subject % 4 !== 0) this.#world.export(coin, this.#wallet.outputs([coin.amount])[0]!);
    const imported = pickOr(this.#foreign, choice.coin, coin);
    const fields = {
      sourceChain: this.#network.xChainId,
      importedInputs: [this.#wallet.input(imported)],
      outputs: this.#wallet.outputs([imported.amount - feeOf(choice)]),
    };
    return this.#wallet.tx("ImportTx", { coins: [], burned: 0n, fields, imports: 1 });
  }
}

function feeOf({ fee }: Choice): bigint {
  return BigInt(100_000 + (fee % 64) * 100_000);
}

/** The fallback if there is nothing to choose from. */
function pickOr<T, F>(items: readonly T[], choice: number, fallback: F): T | F {
  return items.length === 0 ? fallback : pick(items, choice);
}

function pick<T>(items: readonly T[], choice: number): T {
  return items[choice % items.length]!;
}
