/**
 * A client that pays on an L1's chain, one payment of 1 after another, and knows what must be there. What got no answer is sent again as it
 * is: it was taken, or it was not. So the receiver has as much as there were payments, and every answered one has a receipt.
 */
import { EWOQ_KEY } from "../../../src/devnet/account-keys.ts";
import { call } from "../json-rpc.ts";
import { PlainWallet, type WalletNetwork } from "./plain-wallet.ts";

const GAS_PRICE = 3_000_000_000n;
const RECEIVER = "00000000000000000000000000000000000b0b01";

interface Made {
  readonly evmChainID: number;
  readonly rpcPath: string;
}

export class L1Client {
  readonly #url: () => string;
  readonly #made: Made;
  readonly #wallet: PlainWallet;
  /** hashes in order of their nonces; undefined: the answer was lost */
  readonly #paid: (string | undefined)[] = [];
  #checked = 0;

  private constructor(url: () => string, made: Made, network: WalletNetwork) {
    this.#url = url;
    this.#made = made;
    this.#wallet = new PlainWallet({ ...network, evmChainId: made.evmChainID }, EWOQ_KEY);
  }

  static async open(url: () => string, network: WalletNetwork): Promise<L1Client> {
    const { result, error } = await call(url(), { path: "/ext/firn", method: "firn.createL1", params: {} });
    if (error !== undefined) throw new Error(`firn.createL1: ${error.message}`);
    return new L1Client(url, result as Made, network);
  }

  /** number of payments that took effect, as far as it knows */
  get done(): number {
    return this.#paid.length;
  }

  /** Until told to stop. */
  async run(isRunning: () => boolean): Promise<void> {
    while (isRunning()) await this.#payNext();
  }

  /** Throws unless everything that was answered is there, once, in both interfaces. */
  async check(): Promise<void> {
    await this.#settle();
    const [sent, received] = await this.#counts();
    if (sent !== this.done || received !== this.done) {
      throw new Error(`on the L1 ${this.#made.evmChainID} there are ${sent} payments of ${this.done}, and ${received} were received`);
    }
    for (const hash of this.#paid.slice(this.#checked)) if (hash !== undefined) await this.#checkThere(hash);
    this.#checked = this.done;
  }

  /** Whether the chain is as it was after so many payments; then later ones are forgotten. */
  async goBackTo(done: number): Promise<boolean> {
    const [sent] = await this.#counts();
    if (sent !== done) return false;
    this.#paid.length = done;
    this.#checked = Math.min(this.#checked, done);
    return true;
  }

  async #payNext(): Promise<void> {
    const nonce = BigInt(this.done);
    const { params } = this.#wallet.payInEvm(nonce, RECEIVER, 1n, GAS_PRICE);
    const answer = await this.#rpc("eth_sendRawTransaction", params as unknown[]).catch(() => undefined);
    if (answer?.result !== undefined) this.#paid.push(answer.result as string);
    // an earlier sending, whose answer was lost, was taken
    else if (/nonce too low|already known|already imported/.test(answer?.error?.message ?? "")) this.#paid.push(undefined);
  }

  /** What was sent last without an answer may be there. */
  async #settle(): Promise<void> {
    const [sent] = await this.#counts();
    if (sent === this.done + 1) this.#paid.push(undefined);
  }

  /** of payments sent and received */
  async #counts(): Promise<[number, number]> {
    const read = async (method: string, address: string) => {
      const { result, error } = await this.#rpc(method, [`0x${address}`, "latest"]);
      if (error !== undefined) throw new Error(`${method} of an L1: ${error.message}`);
      return Number(result);
    };
    return [await read("eth_getTransactionCount", this.#wallet.evmAddress), await read("eth_getBalance", RECEIVER)];
  }

  async #checkThere(hash: string): Promise<void> {
    const what = `${hash}, reported as accepted on the L1 ${this.#made.evmChainID},`;
    const receipt = (await this.#rpc("eth_getTransactionReceipt", [hash])).result as { status: string } | null;
    if (receipt?.status !== "0x1") throw new Error(`${what} is gone`);
    const response = await fetch(`${this.#url()}/v1/chains/${this.#made.evmChainID}/transactions/${hash}`);
    if (response.status !== 200) throw new Error(`${what} is not in the Data API: ${response.status} ${await response.text()}`);
  }

  #rpc(method: string, params: unknown[]) {
    return call(this.#url(), { path: this.#made.rpcPath, method, params });
  }
}
