/** A wallet that sends what it signed, and checks that both interfaces know it at once. */
import { createHash } from "node:crypto";
import * as avalanchejs from "@avalabs/avalanchejs";
import { Avalanche } from "@avalanche-sdk/chainkit";
import { expect } from "vitest";
import { eventually } from "../../patience.ts";
import { type Account, type Anything, type ChainName, contextOf, signedBytes, Wallet } from "../wallet.ts";
import { ewoq } from "./accounts.ts";

const { Id, TransferableOutput, utils }: Anything = avalanchejs;

export interface IssuedTx {
  readonly chain: ChainName;
  readonly txId: string;
  /** as the Data API calls it */
  readonly type: string;
}

const BLOCKCHAINS = { P: "p-chain", X: "x-chain", C: "c-chain" } as const;

export class IssuingWallet extends Wallet {
  readonly issued: IssuedTx[] = [];
  readonly #chainkit = new Avalanche({ network: "fuji", enableTelemetry: false });
  readonly #url: string;
  readonly #isInstant: boolean;
  #lastId = "";

  constructor(url: string, context: Anything, isInstant: boolean) {
    super(url, context);
    this.#isInstant = isInstant;
    this.#url = url;
  }

  /** @param options.isInstant false: accepted is what the network's next block takes */
  static async open(url: string, { isInstant = true } = {}): Promise<IssuingWallet> {
    return new IssuingWallet(url, await contextOf(url, ewoq), isInstant);
  }

  override async acceptsText(chain: ChainName, tx: string): Promise<void> {
    await this.send(chain, tx);
  }

  /** Of a transaction that is signed. */
  signedId(chain: ChainName, unsigned: Anything): string {
    return new Id(createHash("sha256").update(signedBytes(chain, unsigned)).digest()).toString();
  }

  /** @returns the ID of what is accepted by now */
  async issue(chain: ChainName, unsigned: Anything, signers: readonly Account[], authorizers: readonly Account[] = []): Promise<string> {
    await this.acceptsBuilt(chain, unsigned, signers, authorizers);
    await this.expectAccepted({ chain, txId: this.#lastId, type: typeName(unsigned.getTx()._type) });
    return this.#lastId;
  }

  /** @param tx signed, with checksum */
  async send(chain: ChainName, tx: string): Promise<string> {
    this.#lastId = (await this.rpc[chain].issueTx({ tx })).txID;
    return this.#lastId;
  }

  /** Node RPC has decided it, and the Data API shows it as what it is. */
  async expectAccepted(issued: IssuedTx): Promise<void> {
    const { chain, txId, type } = issued;
    await eventually(async () => this.#isInstant || !["Processing", "Unknown"].includes(await this.#status(chain, txId)));
    expect(await this.#status(chain, txId), `${type} ${txId}`).toBe(chain === "P" ? "Committed" : "Accepted");
    const { transactions } = this.#chainkit.data.primaryNetwork;
    // the client takes the server's address with every call, and would repeat what failed
    const options = { serverURL: this.#url, retries: { strategy: "none" } } as const;
    const shown = await transactions.get({ blockchainId: BLOCKCHAINS[chain], txHash: txId }, options);
    // official clients have no name for the newest types
    expect(shown.txType).toBe(type.includes("AutoRenewed") ? "UNKNOWN" : type);
    this.issued.push(issued);
  }

  async #status(chain: ChainName, txId: string): Promise<string> {
    if (chain !== "C") return (await this.rpc[chain].getTxStatus({ txID: txId })).status;
    // since Helicon the C-chain has its accepted transactions, and no status of others
    const isAccepted = await this.rpc.C.getAtomicTx({ txID: txId, encoding: "hex" }).then(
      () => true,
      () => false,
    );
    return isAccepted ? "Accepted" : "Unknown";
  }

  /** What builders for X share. */
  async assets(accounts: readonly Account[]): Promise<{ utxos: Anything[]; from: Uint8Array[]; options: { minIssuanceTime: bigint } }> {
    const utxos = await this.spendable("X", accounts);
    return { utxos, from: accounts.map(({ bytes }) => bytes), options: { minIssuanceTime: await this.time() } };
  }

  /** nAVAX for a unit of C's gas, rounded up. */
  async baseFee(): Promise<bigint> {
    const wei: bigint = await this.rpc.C.getBaseFee();
    return (wei + WEI_PER_NAVAX - 1n) / WEI_PER_NAVAX;
  }

  output(amount: bigint, owners: readonly Account[], { assetId = this.context.avaxAssetID, threshold = 1, locktime = 0n } = {}): Anything {
    const addresses = owners.map(({ bytes }) => bytes).sort(utils.bytesCompare);
    return TransferableOutput.fromNative(assetId, amount, addresses, locktime, threshold);
  }
}

const WEI_PER_NAVAX = 1_000_000_000n;

/** `pvm.AddPermissionlessValidator` and `evm.ExportTx`, as the Data API calls them. */
function typeName(symbol: string): string {
  return `${symbol.slice(symbol.indexOf(".") + 1).replace(/Tx$/, "")}Tx`;
}
