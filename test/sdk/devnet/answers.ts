/** A running node's current answers about everything that a test touched, in the form of recordings. */
import { type Json, type RecordedAnswer, RecordedAnswers, withExactNumbers } from "../../api/data/agreement/recorded.ts";
import type { IssuedTx } from "./issuing-wallet.ts";

export interface Touched {
  /** bech32 without a chain's letter */
  readonly addresses: readonly string[];
  readonly txs: readonly IssuedTx[];
  readonly validationIds: ReadonlySet<string>;
  readonly assetIds: readonly string[];
  /** the first heights of P and X that were not compared yet */
  readonly heights: Readonly<Record<"P" | "X", number>>;
}

const ENDPOINTS: Readonly<Record<string, string>> = { platform: "P", avm: "X", avax: "C/avax" };
const MOST = 1024;

export class NodeClient {
  readonly #url: string;
  readonly answers: RecordedAnswer[] = [];

  constructor(url: string) {
    this.#url = url.replace(/\/$/, "");
  }

  /** Undefined: the node refused. Kept in any case. */
  async ask(method: string, params: Json = {}): Promise<Json | undefined> {
    const response = await fetch(`${this.#url}/ext/bc/${ENDPOINTS[method.slice(0, method.indexOf("."))]}`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ jsonrpc: "2.0", id: 1, method, params }),
    });
    const { result } = JSON.parse(withExactNumbers(await response.text()));
    this.answers.push({ method, params, result });
    return result;
  }

  async all(method: string, params: readonly Json[]): Promise<Json[]> {
    return Promise.all(params.map((each) => this.ask(method, each)));
  }
}

export async function askNode(url: string, touched: Touched): Promise<RecordedAnswers> {
  const node = new NodeClient(url);
  await Promise.all([askOwners(node, touched), askTransactions(node, touched), askBlocks(node, touched), askNetworks(node, touched)]);
  return new RecordedAnswers(node.answers);
}

async function askOwners(node: NodeClient, { addresses }: Touched): Promise<void> {
  const on = (chain: string) => addresses.map((address) => `${chain}-${address}`);
  const unspent = (chain: string, sources: readonly string[]) =>
    [{}, ...sources.map((sourceChain) => ({ sourceChain }))].map((source) => ({
      addresses: on(chain),
      limit: MOST,
      encoding: "hex",
      ...source,
    }));
  await Promise.all([
    node.all("platform.getUTXOs", unspent("P", ["X", "C"])),
    node.all("avm.getUTXOs", unspent("X", ["P", "C"])),
    node.all("avax.getUTXOs", unspent("C", ["P", "X"]).slice(1)),
    ...[on("P"), ...on("P").map((address) => [address])].flatMap((group) => [
      node.ask("platform.getStake", { addresses: group, encoding: "hex" }),
      node.ask("platform.getBalance", { addresses: group }),
    ]),
    ...on("X").flatMap((address) => [
      node.ask("avm.getAllBalances", { address }),
      node.ask("avm.getBalance", { address, assetID: "AVAX", includePartial: true }),
    ]),
  ]);
}

async function askTransactions(node: NodeClient, { txs, assetIds }: Touched): Promise<void> {
  for (const [chain, service] of [
    ["P", "platform"],
    ["X", "avm"],
  ] as const) {
    const ids = txs.filter((tx) => tx.chain === chain).map(({ txId }) => ({ txID: txId }));
    await node.all(
      `${service}.getTx`,
      ids.map((params) => ({ ...params, encoding: "json" })),
    );
    await node.all(`${service}.getTxStatus`, ids);
    if (chain === "P")
      await node.all(
        "platform.getRewardUTXOs",
        ids.map((params) => ({ ...params, encoding: "hex" })),
      );
  }
  await node.all(
    "avm.getAssetDescription",
    ["AVAX", ...assetIds].map((assetID) => ({ assetID })),
  );
}

async function askBlocks(node: NodeClient, { heights }: Touched): Promise<void> {
  for (const [chain, service] of [
    ["P", "platform"],
    ["X", "avm"],
  ] as const) {
    const { height } = await node.ask(`${service}.getHeight`);
    const unseen = Array.from({ length: Math.max(0, Number(height) - heights[chain]) }, (_, i) => heights[chain] + 1 + i);
    await node.all(
      `${service}.getBlockByHeight`,
      unseen.flatMap((height) => ["hex", "json"].map((encoding) => ({ height: `${height}`, encoding }))),
    );
  }
}

async function askNetworks(node: NodeClient, { validationIds }: Touched): Promise<void> {
  const { subnets } = await node.ask("platform.getSubnets");
  const { blockchains } = await node.ask("platform.getBlockchains");
  const { height } = await node.ask("platform.getHeight");
  const ofSubnets = subnets.map(({ id }: Json) => ({ subnetID: id }));
  await Promise.all([
    node.all("platform.getCurrentValidators", [{}, ...ofSubnets]),
    node.all("platform.getSubnet", ofSubnets),
    node.all("platform.validates", ofSubnets),
    node.all(
      "platform.validatedBy",
      blockchains.map(({ id }: Json) => ({ blockchainID: id })),
    ),
    node.all(
      "platform.getL1Validator",
      [...validationIds].map((validationID) => ({ validationID })),
    ),
    node.ask("platform.getAllValidatorsAt", { height: Number(height) }),
    ...["getTimestamp", "getCurrentSupply", "getTotalStake"].map((name) => node.ask(`platform.${name}`)),
  ]);
}
