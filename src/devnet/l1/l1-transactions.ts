/** The transactions that make an L1, signed with the pre-funded key. Each pays with what the one before it left over. */

import { type Id, nameId, PLATFORM_CHAIN_ID, type ShortId } from "../../base/bytes/id.ts";
import { signDigest } from "../../base/signatures/secp256k1.ts";
import { feeOf } from "../../chains/platform/fee.ts";
import type { Credential } from "../../chains/platform/owner.ts";
import { type UnsignedTx, unsignedTx } from "../../chains/platform/tx/registry.ts";
import { assemble, type Signed } from "../../chains/platform/tx/signed.ts";
import type { NetworkInstance } from "../../network/network.ts";
import { type SpendableInput, transferInputs, transferOutput } from "../faucet/platform-payment.ts";
import type { L1Validator } from "./l1-validators.ts";

export interface L1Plan {
  readonly chainName: string;
  readonly genesis: Uint8Array;
  readonly validators: readonly L1Validator[];
  /** nAVAX, of each validator */
  readonly balance: bigint;
  /** of the contract on the new chain that manages the validators */
  readonly managerAddress: ShortId;
}

/** Unspent outputs of the payer, and the price that it pays. */
export interface Purse {
  readonly coins: readonly SpendableInput[];
  /** nAVAX per gas */
  readonly gasPrice: bigint;
}

/** `change`: what is left of the purse, for the next transaction */
export interface Paid {
  readonly tx: Signed<UnsignedTx>;
  readonly change: readonly SpendableInput[];
}

type Base = Pick<Extract<UnsignedTx, { kind: "CreateSubnetTx" }>, "networkId" | "blockchainId" | "outputs" | "inputs" | "memo">;

const NOTHING = new Uint8Array();
/** The key is the only owner of the subnet. */
const OWN_SIGNATURE = { kind: "Input" as const, signatureIndices: [0] };
const SUBNET_EVM = nameId("subnetevm");
const SAMPLE_ID = nameId("sample");

export class L1Transactions {
  readonly #network: NetworkInstance;
  readonly #key: Uint8Array;
  readonly #owner: ShortId;

  constructor(network: NetworkInstance, { key, owner }: { readonly key: Uint8Array; readonly owner: ShortId }) {
    this.#network = network;
    this.#key = key;
    this.#owner = owner;
  }

  /** What all of them cost together, in nAVAX, at a price that rises meanwhile. */
  cost(plan: L1Plan, purse: Purse): bigint {
    const fees = [this.#subnet(), this.#chain(plan, SAMPLE_ID), this.#conversion(plan, SAMPLE_ID, SAMPLE_ID)];
    const rising = 2n;
    return fees.reduce((sum, make) => sum + rising * this.#feeOf(make, purse), 0n) + plan.balance * BigInt(plan.validators.length);
  }

  createSubnet(purse: Purse): Paid {
    return this.#pay(purse, this.#subnet(), { spends: 0n, isAuthorized: false });
  }

  createChain(plan: L1Plan, subnetId: Id, purse: Purse): Paid {
    return this.#pay(purse, this.#chain(plan, subnetId), { spends: 0n, isAuthorized: true });
  }

  convert(plan: L1Plan, subnetId: Id, chainId: Id, purse: Purse): Paid {
    const spends = plan.balance * BigInt(plan.validators.length);
    return this.#pay(purse, this.#conversion(plan, subnetId, chainId), { spends, isAuthorized: true });
  }

  #subnet() {
    const owner = { kind: "OutputOwners" as const, locktime: 0n, threshold: 1, addresses: [this.#owner] };
    return (base: Base): UnsignedTx => ({ kind: "CreateSubnetTx", ...base, owner });
  }

  #chain({ chainName, genesis: genesisData }: L1Plan, subnetId: Id) {
    const chain = { subnetId, chainName, vmId: SUBNET_EVM, fxIds: [], genesisData, subnetAuthorization: OWN_SIGNATURE };
    return (base: Base): UnsignedTx => ({ kind: "CreateChainTx", ...base, ...chain });
  }

  #conversion({ validators, balance, managerAddress }: L1Plan, subnetId: Id, chainId: Id) {
    const owner = { threshold: 1, addresses: [this.#owner] };
    const converted = validators.map(({ nodeId, weight, publicKey, proofOfPossession }) => ({
      nodeId: Buffer.from(nodeId, "hex"),
      weight,
      balance,
      signer: { publicKey, proofOfPossession },
      remainingBalanceOwner: owner,
      deactivationOwner: owner,
    }));
    const address = Buffer.from(managerAddress, "hex");
    const conversion = { subnetId, chainId, address, validators: converted, subnetAuthorization: OWN_SIGNATURE };
    return (base: Base): UnsignedTx => ({ kind: "ConvertSubnetToL1Tx", ...base, ...conversion });
  }

  #pay(
    purse: Purse,
    make: (base: Base) => UnsignedTx,
    { spends, isAuthorized }: { readonly spends: bigint; readonly isAuthorized: boolean },
  ): Paid {
    const { coins } = purse;
    const total = coins.reduce((sum, { amount }) => sum + amount, 0n);
    const amount = total - this.#feeOf(make, purse) - spends;
    const unsigned = make(this.#base(coins, amount));
    const { digest } = assemble(unsignedTx, unsigned, []);
    const credential: Credential = { kind: "Credential", signatures: [signDigest(digest, this.#key)] };
    const tx = assemble(unsignedTx, unsigned, new Array(coins.length + (isAuthorized ? 1 : 0)).fill(credential));
    return { tx, change: [{ txId: tx.id, outputIndex: 0, assetId: this.#network.avaxAssetId, amount }] };
  }

  #feeOf(make: (base: Base) => UnsignedTx, { coins, gasPrice }: Purse): bigint {
    return feeOf(make(this.#base(coins, 1n)), gasPrice, this.#network.dynamicFees);
  }

  #base(coins: readonly SpendableInput[], change: bigint): Base {
    const { networkId, avaxAssetId } = this.#network;
    const outputs = [transferOutput(avaxAssetId, change, this.#owner)];
    return { networkId, blockchainId: PLATFORM_CHAIN_ID, outputs, inputs: transferInputs(coins), memo: NOTHING };
  }
}
