/**
 * Transactions of every type with random code: deployed, called, and assigned to accounts by valid and invalid authorizations (EIP-7702).
 */
import { getContractAddress, type Hex, type PrivateKeyAccount, type SignedAuthorization } from "viem";
import { mnemonicToAccount, privateKeyToAccount } from "viem/accounts";
import type { Anvil } from "../../evm/anvil.ts";
import { randomOf } from "../../random.ts";
import { intOf, pick, type Random, randomInitCode, type Surroundings } from "./program.ts";

const MNEMONIC = "test test test test test test test test test test test junk";
const ACCOUNTS = 6;
/** contracts that are called again; the newest ones */
const REMEMBERED = 24;
const ORDER = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n;
const CHAIN_ID = 43_112;

export class HostileTraffic {
  readonly #anvil: Anvil;
  readonly #random: Random;
  readonly #accounts: readonly PrivateKeyAccount[];
  readonly #contracts: string[] = [];
  /** addresses of creations in the block to come */
  readonly #made: Hex[] = [];
  readonly #nonces = new Map<string, number>();

  constructor(anvil: Anvil, seed: number) {
    this.#anvil = anvil;
    this.#random = randomOf(seed);
    this.#accounts = Array.from({ length: ACCOUNTS }, (_, addressIndex) => {
      const key = mnemonicToAccount(MNEMONIC, { addressIndex }).getHdKey().privateKey!;
      return privateKeyToAccount(`0x${Buffer.from(key).toString("hex")}`);
    });
  }

  int(below: number): number {
    return intOf(below, this.#random);
  }

  /** So many blocks of up to seven transactions each. */
  async mine(blocks: number): Promise<void> {
    for (let block = 0; block < blocks; block++) {
      this.#nonces.clear();
      for (let left = this.int(8); left > 0; left--) await this.#send();
      await this.#anvil.call("evm_mine");
      await this.#rememberNew();
    }
  }

  async #send(): Promise<void> {
    const sender = pick(this.#accounts, this.#random);
    const nonce = await this.#nonce(sender.address);
    const isCreation = this.#contracts.length < 4 || this.int(3) === 0;
    if (isCreation) this.#made.push(getContractAddress({ from: sender.address, nonce: BigInt(nonce) }));
    const to: { to?: Hex } = isCreation ? {} : { to: this.#target() };
    const data: Hex = isCreation ? `0x${randomInitCode(this.#around())}` : `0x${"ab".repeat(this.int(200))}`;
    const common = { chainId: CHAIN_ID, nonce, data, value: BigInt(this.int(3) * 400), gas: BigInt(150_000 + this.int(1_500_000)), ...to };
    const fees = { maxFeePerGas: 20_000_000_000n, maxPriorityFeePerGas: BigInt(this.int(1000)) };
    const kind = this.int(8);
    const signed =
      kind < 2
        ? await sender.signTransaction({ ...common, type: "legacy", gasPrice: 20_000_000_000n })
        : kind < 3
          ? await sender.signTransaction({ ...common, type: "eip2930", gasPrice: 20_000_000_000n, accessList: this.#accessList() })
          : kind < 6 || isCreation
            ? await sender.signTransaction({ ...common, ...fees, type: "eip1559", accessList: this.#accessList() })
            : await sender.signTransaction({ ...common, ...fees, type: "eip7702", authorizationList: await this.#authorizations() });
    await this.#anvil.call("eth_sendRawTransaction", signed).then(
      () => this.#nonces.set(sender.address, nonce + 1),
      // a nonce that an authorization took, or a sender whose contract spent all it had
      () => {},
    );
  }

  async #nonce(address: string): Promise<number> {
    return this.#nonces.get(address) ?? Number(await this.#anvil.call("eth_getTransactionCount", address, "latest"));
  }

  /** Valid ones, and those of another chain, with another nonce, of a signature's other form, or of no signature at all; some several times. */
  async #authorizations(): Promise<SignedAuthorization[]> {
    const list: SignedAuthorization[] = [];
    for (let left = 1 + this.int(3); left > 0; left--) {
      const authority = pick(this.#accounts, this.#random);
      const nonce = (await this.#nonce(authority.address)) + pick([0, 0, 0, 1, 1, 5], this.#random);
      const contractAddress = this.int(10) === 0 ? (`0x${"0".repeat(40)}` as const) : this.#target();
      const signed = await authority.signAuthorization({ chainId: pick([CHAIN_ID, CHAIN_ID, 0, 1], this.#random), contractAddress, nonce });
      const changed = pick(
        [signed, signed, signed, { ...signed, ...otherForm(signed) }, { ...signed, r: `0x${"1".repeat(64)}` as Hex }],
        this.#random,
      );
      list.push(changed as SignedAuthorization);
      if (this.int(6) === 0) list.push(signed as SignedAuthorization);
    }
    return list;
  }

  #accessList() {
    return Array.from({ length: this.int(3) }, () => ({ address: this.#target(), storageKeys: [] }));
  }

  #target(): Hex {
    const { addresses } = this.#around();
    return this.int(12) === 0 ? `0x${(1 + this.int(18)).toString(16).padStart(40, "0")}` : `0x${pick(addresses, this.#random)}`;
  }

  #around(): Surroundings {
    const accounts = this.#accounts.map(({ address }) => address.slice(2).toLowerCase());
    return { addresses: [...accounts, ...this.#contracts, ...this.#contracts], random: this.#random };
  }

  /** What has code is called again. */
  async #rememberNew(): Promise<void> {
    for (const contract of this.#made.splice(0)) {
      if ((await this.#anvil.call("eth_getCode", contract, "latest")) === "0x") continue;
      this.#contracts.push(contract.slice(2).toLowerCase());
      if (this.#contracts.length > REMEMBERED) this.#contracts.shift();
    }
  }
}

function otherForm({ s, yParity }: { readonly s: Hex; readonly yParity?: number | undefined }) {
  return { s: `0x${(ORDER - BigInt(s)).toString(16).padStart(64, "0")}` as Hex, yParity: 1 - (yParity ?? 0) };
}
