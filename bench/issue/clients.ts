/**
 * The load, in a process of its own: `clients.ts '<JSON of Load>'`. Signs transfers first. Then every client issues one, waits until the
 * Data API shows it, and issues the next. Prints the results as JSON.
 */

import { formatId, parseId } from "../../src/base/bytes/cb58.ts";
import { sha256 } from "../../src/base/bytes/hash.ts";
import { nameId } from "../../src/base/bytes/id.ts";
import { decodeVersioned } from "../../src/base/codec/codec.ts";
import { assetCodec } from "../../src/chains/asset/codec.ts";
import { utxo as platformUtxo } from "../../src/chains/platform/output.ts";
import { cpuMs } from "../resident.ts";
import { Connection } from "./connection.ts";
import { type Coin, type Transfer, type TransferChain, Transfers } from "./transfers.ts";

export interface Load {
  readonly url: string;
  /** process ID of the devnet */
  readonly serverPid: number;
  readonly chain: TransferChain;
  readonly networkId: number;
  /** cb58 */
  readonly avaxAssetId: string;
  readonly xChainId: string;
  /** address with the chain's prefix; its key pays for everything */
  readonly payer: string;
  readonly privateKeyHex: string;
  readonly clients: number;
  /** excluded from the measurement */
  readonly warmUpSeconds: number;
  readonly seconds: number;
  /** signed in advance for each client; the measurement ends when a client runs out of them */
  readonly transfersPerClient: number;
}

export interface LoadOutcome {
  readonly transactions: number;
  readonly transactionsPerSecond: number;
  /** time from sending `issueTx` to its answer */
  readonly issueP50Ms: number;
  readonly issueP99Ms: number;
  /** time from sending `issueTx` until the Data API shows the transaction */
  readonly visibleP50Ms: number;
  readonly visibleP99Ms: number;
  /** number of Data API requests beyond one per transaction */
  readonly polls: number;
  /** number of refusals for lack of gas capacity, after which the transaction was issued again */
  readonly refusals: number;
  /** CPU time per transaction of the devnet's process and its children */
  readonly serverCpuMs: number;
  /** CPU time of this process, in ms per second */
  readonly cpuMsPerSecond: number;
}

interface Sample {
  readonly doneAt: number;
  readonly issueMs: number;
  readonly visibleMs: number;
}

/** ms since the processes started */
interface CpuTimes {
  readonly server: number;
  readonly clients: number;
}

const CHECKSUM_BYTES = 4;
const POLL_EVERY_MS = 20;
/** The error if the P-chain has no gas left for a transaction; the client tries again. */
const NO_CAPACITY = "tx exceeds current gas capacity";
const RETRY_EVERY_MS = 200;
const CODEC = assetCodec(["secp256k1fx", "nftfx", "propertyfx"].map(nameId));

class Measurement {
  readonly #load: Load;
  readonly #rpcPath: string;
  readonly #dataPath: string;
  readonly #samples: Sample[] = [];
  #polls = 0;
  #refusals = 0;
  #hasEnded = false;

  constructor(load: Load) {
    this.#load = load;
    this.#rpcPath = `/ext/bc/${load.chain}`;
    this.#dataPath = `/v1/networks/fuji/blockchains/${load.chain.toLowerCase()}-chain/transactions/`;
  }

  async run(): Promise<LoadOutcome> {
    const { chain, privateKeyHex, clients, transfersPerClient, warmUpSeconds, seconds } = this.#load;
    const network = {
      networkId: this.#load.networkId,
      avaxAssetId: parseId(this.#load.avaxAssetId),
      xChainId: parseId(this.#load.xChainId),
    };
    const transfers = new Transfers(network, chain, Buffer.from(privateKeyHex.replace(/^0x/, ""), "hex"));
    const connection = await Connection.open(this.#load.url);
    const split = transfers.split(await this.#richestCoin(connection), clients);
    await this.#issueAndSee(connection, split);
    connection.close();
    const plans = split.outputs.map((coin) => transfers.chain(coin, transfersPerClient));

    const startedAt = performance.now() + warmUpSeconds * 1000;
    const ending = setTimeout(() => this.#end(), (warmUpSeconds + seconds) * 1000);
    const plannedCpu = new Promise<CpuTimes>((resolve) => {
      setTimeout(() => {
        this.#polls = 0;
        this.#refusals = 0;
        resolve(this.#cpuTimes());
      }, warmUpSeconds * 1000);
    });
    await Promise.all(plans.map((plan) => this.#client(plan)));
    clearTimeout(ending);
    const [before, after] = [await plannedCpu, await this.#cpuTimes()];
    const counted = this.#samples.filter(({ doneAt }) => doneAt >= startedAt);
    const elapsed = (Math.max(...counted.map(({ doneAt }) => doneAt)) - startedAt) / 1000;
    return {
      transactions: counted.length,
      transactionsPerSecond: counted.length / elapsed,
      ...quantiles(counted),
      polls: this.#polls,
      refusals: this.#refusals,
      serverCpuMs: (after.server - before.server) / counted.length,
      cpuMsPerSecond: (after.clients - before.clients) / elapsed,
    };
  }

  async #cpuTimes(): Promise<CpuTimes> {
    const { user, system } = process.cpuUsage();
    return { server: await cpuMs(this.#load.serverPid), clients: (user + system) / 1000 };
  }

  async #client(plan: readonly Transfer[]): Promise<void> {
    const connection = await Connection.open(this.#load.url);
    for (const transfer of plan) {
      if (this.#hasEnded) break;
      this.#samples.push(await this.#issueAndSee(connection, transfer));
    }
    // without this client, the load would change
    this.#end();
    connection.close();
  }

  #end(): void {
    this.#hasEnded = true;
  }

  async #issueAndSee(connection: Connection, { idText, bytes }: Transfer): Promise<Sample> {
    const body = this.#issueBody(bytes);
    const sentAt = performance.now();
    let { body: answer } = await connection.post(this.#rpcPath, body);
    while (answer.includes(NO_CAPACITY)) {
      this.#refusals++;
      await pause(RETRY_EVERY_MS);
      answer = (await connection.post(this.#rpcPath, body)).body;
    }
    const answeredAt = performance.now();
    if (!answer.includes(`"txID":"${idText}"`)) throw new Error(`${idText} was not issued: ${answer}`);
    while ((await connection.get(this.#dataPath + idText)).status !== 200) {
      this.#polls++;
      await pause(POLL_EVERY_MS);
    }
    const doneAt = performance.now();
    return { doneAt, issueMs: answeredAt - sentAt, visibleMs: doneAt - sentAt };
  }

  #issueBody(bytes: Uint8Array): string {
    const method = this.#load.chain === "X" ? "avm.issueTx" : "platform.issueTx";
    return `{"jsonrpc":"2.0","id":1,"method":"${method}","params":{"tx":"${checksummedHex(bytes)}","encoding":"hex"}}`;
  }

  async #richestCoin(connection: Connection): Promise<Coin> {
    const method = this.#load.chain === "X" ? "avm.getUTXOs" : "platform.getUTXOs";
    const params = { addresses: [this.#load.payer], encoding: "hex" };
    const { body } = await connection.post(this.#rpcPath, JSON.stringify({ jsonrpc: "2.0", id: 1, method, params }));
    const { result } = JSON.parse(body) as { result: { utxos: string[] } };
    const coins = result.utxos.flatMap((text) => {
      const { txId, outputIndex, assetId, output } = decodeUtxo(
        this.#load.chain,
        Buffer.from(text.slice(2), "hex").subarray(0, -CHECKSUM_BYTES),
      );
      const isSpendable = "amount" in output && output.locktime === 0n && formatId(assetId) === this.#load.avaxAssetId;
      return isSpendable ? [{ txId, outputIndex, amount: output.amount }] : [];
    });
    return coins.reduce((richest, coin) => (coin.amount > richest.amount ? coin : richest));
  }
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

function decodeUtxo(chain: TransferChain, bytes: Buffer) {
  return chain === "X" ? decodeVersioned(CODEC.utxo, bytes) : decodeVersioned(platformUtxo, bytes);
}

function checksummedHex(bytes: Uint8Array): string {
  const checksum = sha256(bytes).subarray(-CHECKSUM_BYTES);
  return `0x${Buffer.concat([bytes, checksum]).toString("hex")}`;
}

function quantiles(samples: readonly Sample[]) {
  const of = (values: readonly number[]) => {
    const sorted = values.toSorted((a, b) => a - b);
    return [0.5, 0.99].map((share) => sorted[Math.floor(share * (sorted.length - 1))] ?? Number.NaN);
  };
  const [issueP50Ms, issueP99Ms] = of(samples.map(({ issueMs }) => issueMs));
  const [visibleP50Ms, visibleP99Ms] = of(samples.map(({ visibleMs }) => visibleMs));
  return { issueP50Ms: issueP50Ms!, issueP99Ms: issueP99Ms!, visibleP50Ms: visibleP50Ms!, visibleP99Ms: visibleP99Ms! };
}

console.log(JSON.stringify(await new Measurement(JSON.parse(process.argv[2]!) as Load).run()));
