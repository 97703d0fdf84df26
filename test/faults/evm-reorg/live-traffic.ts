/**
 * Transactions for a development node with unlocked accounts: tokens of all kinds are deployed, minted, moved and burned, native coins are
 * wrapped, contracts create contracts; some fail. After a branch was replaced, an address may have another contract than before, or none.
 */
import { readFileSync } from "node:fs";
import { type Abi, encodeDeployData, encodeFunctionData, getContractAddress, type Hex } from "viem";
import type { Anvil } from "../../evm/anvil.ts";
import { randomOf } from "../../random.ts";

interface Artifact {
  readonly abi: Abi;
  readonly bytecode: Hex;
}

const artifacts = JSON.parse(readFileSync(new URL("../../evm/workload/artifacts.json", import.meta.url), "utf8")) as Record<
  string,
  Artifact
>;

/** tokens that are deployed again and again, and their constructors' arguments */
const TOKENS: Readonly<Record<string, (holder: string) => readonly unknown[]>> = {
  Coin: (holder) => ["Coin", "C", 6, 10n ** 12n, holder],
  FeeCoin: (holder) => ["Fee", "F", 6, 10n ** 12n, holder, holder],
  AllIndexedCoin: (holder) => [holder, 10n ** 9n],
  NoneIndexedCoin: (holder) => [holder, 10n ** 9n],
  OldNft: () => [],
  Nft: () => ["Nft", "N", "https://example.org/"],
  Multi: () => ["https://example.org/{id}"],
  WNative: () => [],
};
const GAS = "0x3d0900";

export class LiveTraffic {
  readonly #anvil: Anvil;
  readonly #random: () => number;
  readonly #accounts: readonly string[];
  readonly #factory: string;
  /** addresses that tokens were deployed at, on any branch */
  readonly #tokens: { readonly name: string; readonly address: string }[] = [];

  private constructor(anvil: Anvil, random: () => number, accounts: readonly string[], factory: string) {
    this.#anvil = anvil;
    this.#random = random;
    this.#accounts = accounts;
    this.#factory = factory;
  }

  static async start(anvil: Anvil, seed: number): Promise<LiveTraffic> {
    const accounts = (await anvil.call("eth_accounts")) as string[];
    const data = encodeDeployData({ ...artifacts.Factory!, args: [] });
    const hash = await anvil.call("eth_sendTransaction", { from: accounts[0], data, gas: GAS });
    await anvil.call("evm_mine");
    const { contractAddress } = (await anvil.call("eth_getTransactionReceipt", hash)) as { contractAddress: string };
    const traffic = new LiveTraffic(anvil, randomOf(seed), accounts, contractAddress);
    for (const name of Object.keys(TOKENS)) await traffic.#deploy(name);
    await anvil.call("evm_mine");
    return traffic;
  }

  int(below: number): number {
    return Math.floor(this.#random() * below);
  }

  /** So many blocks with up to three transactions each. */
  async mine(blocks: number): Promise<void> {
    for (let block = 0; block < blocks; block++) {
      for (let left = this.int(4); left > 0; left--) await this.#send();
      await this.#anvil.call("evm_mine");
    }
  }

  /** A transaction as `anvil_reorg` takes it. */
  next(): object {
    const { from, to, data, value } = this.#call();
    return { from, to, data, value, gas: GAS };
  }

  async #send(): Promise<void> {
    if (this.int(12) === 0) return this.#deploy(this.#pick(Object.keys(TOKENS)));
    await this.#anvil.call("eth_sendTransaction", this.next());
  }

  async #deploy(name: string): Promise<void> {
    const from = this.#account();
    const { abi, bytecode } = artifacts[name]!;
    const data = encodeDeployData({ abi, bytecode, args: [...TOKENS[name]!(from)] });
    await this.#anvil.call("eth_sendTransaction", { from, data, gas: "0x5b8d80" });
    const nonce = Number(await this.#anvil.call("eth_getTransactionCount", from, "pending")) - 1;
    this.#tokens.push({ name, address: getContractAddress({ from: from as Hex, nonce: BigInt(nonce) }) });
  }

  #call(): { from: string; to: string; data: Hex; value: string } {
    const from = this.#account();
    const to = this.#account();
    const token = this.#pick(this.#tokens.slice(-20));
    const id = BigInt(this.int(6));
    const amount = BigInt(this.int(500));
    const native = { from, to, data: "0x" as Hex, value: `0x${amount.toString(16)}` };
    const call = (functionName: string, ...args: unknown[]) => ({
      from,
      to: token.address,
      data: encodeFunctionData({ abi: artifacts[token.name]!.abi, functionName, args }),
      value: functionName === "deposit" ? native.value : "0x0",
    });
    switch (token.name) {
      case "Nft":
        return this.#pick([() => call("mint", to, id), () => call("transferFrom", from, to, id), () => call("burn", id)])();
      case "OldNft":
        return this.#pick([() => call("mint", to, id), () => call("transfer", to, id)])();
      case "Multi":
        return this.#pick([
          () => call("mintBatch", to, [id, id + 1n, id], [amount, 1n, 2n]),
          () => call("safeTransferFrom", from, to, id, amount, "0x"),
          () => call("burn", from, id, 1n),
        ])();
      case "WNative":
        return this.#pick([() => call("deposit"), () => call("withdraw", amount), () => call("transfer", to, amount)])();
      case "Coin":
        return this.#pick([
          () => native,
          () => this.#make(from, BigInt(this.int(4))),
          () => call("mint", to, amount),
          () => call("transferMany", [to, from, to], [1n, 2n, amount]),
          () => call("transfer", to, amount),
        ])();
      default:
        return call("transfer", to, amount);
    }
  }

  /** By the factory; of one salt only the first one succeeds. */
  #make(from: string, salt: bigint): { from: string; to: string; data: Hex; value: string } {
    const code = encodeDeployData({ ...artifacts.OldNft!, args: [] });
    const args = [code, 0n, `0x${salt.toString(16).padStart(64, "0")}`];
    return {
      from,
      to: this.#factory,
      data: encodeFunctionData({ abi: artifacts.Factory!.abi, functionName: "make2", args }),
      value: "0x0",
    };
  }

  #account(): string {
    return this.#pick(this.#accounts);
  }

  #pick<T>(all: readonly T[]): T {
    return all[this.int(all.length)]!;
  }
}
