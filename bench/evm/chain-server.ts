/**
 * `tsx bench/evm/chain-server.ts TRANSACTIONS [PORT]`: a node of a generated chain, in a process of its own. All answers are rendered
 * before it reports that it listens, so serving costs almost nothing and the indexer is what is measured.
 */
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { type BlockText, blockText, CHAIN_ID } from "./block-text.ts";
import { type MadeTransaction, Traffic, word } from "./traffic.ts";

const SEED = 6;
/** Number of empty blocks at the end, for indexers that always treat the newest blocks as replaceable. */
const EMPTY_AT_THE_END = 64;

interface Call {
  readonly id: unknown;
  readonly method: string;
  readonly params?: readonly unknown[];
}

type Result = Buffer | string;
type Tag = string | { blockHash?: string; blockNumber?: string };

interface LogFilter {
  readonly fromBlock?: string;
  readonly toBlock?: string;
  readonly blockHash?: string;
  readonly address?: string | string[];
  readonly topics?: (string | string[] | null)[];
}

function makeChain(transactions: number): { blocks: BlockText[]; traffic: Traffic } {
  const traffic = new Traffic(SEED);
  const blocks = [blockText(0, "00".repeat(32), [], traffic.dice)];
  for (let made = 0; made < transactions; ) {
    const block: MadeTransaction[] = [];
    for (let left = Math.min(20 + traffic.dice.below(61), transactions - made); left > 0; left--) block.push(traffic.next());
    blocks.push(blockText(blocks.length, blocks.at(-1)!.hash, block, traffic.dice));
    made += block.length;
  }
  for (let left = EMPTY_AT_THE_END; left > 0; left--) blocks.push(blockText(blocks.length, blocks.at(-1)!.hash, [], traffic.dice));
  return { blocks, traffic };
}

const text = (value: unknown) => JSON.stringify(value);
const abiText = (value: string) => `0x${word(32)}${word(value.length)}${Buffer.from(value).toString("hex").padEnd(64, "0")}`;

class ChainServer {
  readonly #blocks: readonly BlockText[];
  readonly #traffic: Traffic;
  readonly #heights: ReadonlyMap<string, number>;
  readonly #kinds: ReadonlyMap<string, "coin" | "collection" | "multi">;

  constructor(blocks: readonly BlockText[], traffic: Traffic) {
    this.#blocks = blocks;
    this.#traffic = traffic;
    this.#heights = new Map(blocks.map(({ hash }, height) => [`0x${hash}`, height]));
    const kinds = (addresses: readonly string[], kind: "coin" | "collection" | "multi") =>
      addresses.map((address) => [address, kind] as const);
    this.#kinds = new Map([
      ...kinds([...traffic.coins, traffic.wrapped], "coin"),
      ...kinds(traffic.collections, "collection"),
      ...kinds(traffic.multiTokens, "multi"),
    ]);
  }

  answer({ id, method, params = [] }: Call): Result[] {
    const head = `{"jsonrpc":"2.0","id":${text(id)},`;
    const result = this.#result(method, params);
    if (result === undefined) return [`${head}"error":{"code":-32601,"message":"the method ${method} does not exist/is not available"}}`];
    if (result === REVERTED) return [`${head}"error":{"code":3,"message":"execution reverted"}}`];
    return [`${head}"result":`, result, "}"];
  }

  #result(method: string, params: readonly unknown[]): Result | undefined {
    switch (method) {
      case "eth_chainId":
        return text(`0x${CHAIN_ID.toString(16)}`);
      case "net_version":
        return text(`${CHAIN_ID}`);
      case "web3_clientVersion":
        return text("Generated/v1.0.0");
      case "eth_blockNumber":
        return text(`0x${(this.#blocks.length - 1).toString(16)}`);
      case "eth_getBlockByNumber":
        return this.#block(this.#height(params[0] as Tag), params[1] === true);
      case "eth_getBlockByHash":
        return this.#block(this.#heights.get(String(params[0])), params[1] === true);
      case "eth_getBlockReceipts":
        return this.#blocks[this.#height(params[0] as Tag)]?.receipts ?? "null";
      case "debug_traceBlockByNumber":
        return this.#blocks[this.#height(params[0] as Tag)]?.traces ?? "null";
      case "eth_getLogs":
        return this.#logs(params[0] as LogFilter);
      case "eth_getCode":
        return text(this.#kinds.has(String(params[0]).slice(2).toLowerCase()) ? "0x6080" : "0x");
      case "eth_getBalance":
        return text(`0x${(10n ** 30n).toString(16)}`);
      case "eth_getTransactionCount":
        return text("0x1");
      case "eth_call": {
        const { to, data, input } = params[0] as { to: string; data?: string; input?: string };
        return this.#call(to.slice(2).toLowerCase(), (data ?? input ?? "0x").slice(2));
      }
      default:
        return undefined;
    }
  }

  #height(tag: Tag): number {
    if (typeof tag === "object") return this.#heights.get(tag.blockHash ?? "") ?? this.#height(tag.blockNumber!);
    if (tag === "earliest") return 0;
    if (tag.length === 66) return this.#heights.get(tag) ?? -1;
    return tag.startsWith("0x") ? Number(tag) : this.#blocks.length - 1;
  }

  #block(height: number | undefined, isWhole: boolean): Result {
    const block = height === undefined ? undefined : this.#blocks[height];
    return block === undefined ? "null" : isWhole ? block.block : block.shortBlock;
  }

  #logs(filter: LogFilter): Result {
    const first = this.#height(filter.blockHash ?? filter.fromBlock ?? "latest");
    const last = filter.blockHash === undefined ? this.#height(filter.toBlock ?? "latest") : first;
    const addresses = filter.address && new Set([filter.address].flat().map((address) => address.toLowerCase()));
    const topics = filter.topics?.[0] ? new Set([filter.topics[0]].flat()) : undefined;
    const found: string[] = [];
    for (let height = first; height <= last; height++) {
      for (const { address, topic, text } of this.#blocks[height]?.logs ?? []) {
        if ((!addresses || addresses.has(address)) && (topics === undefined || topics.has(topic))) found.push(text);
      }
    }
    return `[${found.join(",")}]`;
  }

  #call(to: string, data: string): Result {
    const kind = this.#kinds.get(to);
    if (kind === undefined) return text("0x");
    const selector = data.slice(0, 8);
    const isCoin = kind === "coin";
    if (selector === "01ffc9a7" && !isCoin) {
      const supported = ["01ffc9a7", kind === "collection" ? "80ac58cd" : "d9b67a26"];
      return text(`0x${word(supported.includes(data.slice(8, 16)) ? 1 : 0)}`);
    }
    if (selector === "06fdde03" && kind !== "multi") return text(abiText(`Token ${to.slice(0, 6)}`));
    if (selector === "95d89b41" && kind !== "multi") return text(abiText(to.slice(0, 4)));
    if (selector === "c87b56dd" && kind === "collection") return text(abiText("https://example.org/nft"));
    if (selector === "0e89341c" && kind === "multi") return text(abiText("https://example.org/{id}"));
    if (selector === "313ce567" && isCoin) return text(`0x${word(18)}`);
    if (selector === "18160ddd" && isCoin) return text(`0x${word(10n ** 27n)}`);
    if (selector === "70a08231" && isCoin) return text(`0x${word(this.#traffic.balance(to, data.slice(32, 72)))}`);
    return REVERTED;
  }
}

/** Marks an answer that is an error. */
const REVERTED: Result = "reverted";

const [transactions = "100000", port = "0"] = process.argv.slice(2);
const { blocks, traffic } = makeChain(Number(transactions));
const chain = new ChainServer(blocks, traffic);
const counts = new Map<string, number>();

function answerAll(body: string): Buffer {
  const calls = JSON.parse(body) as Call | Call[];
  const parts: Result[] = [];
  for (const [index, call] of [calls].flat().entries()) {
    counts.set(call.method, (counts.get(call.method) ?? 0) + 1);
    parts.push(index === 0 ? "" : ",", ...chain.answer(call));
  }
  const message = Array.isArray(calls) ? ["[", ...parts, "]"] : parts;
  return Buffer.concat(message.map((part) => (typeof part === "string" ? Buffer.from(part) : part)));
}

const server = createServer((request, response) => {
  if (request.method === "GET") return void response.end(text(Object.fromEntries(counts)));
  const body: Buffer[] = [];
  request.on("data", (piece: Buffer) => body.push(piece));
  request.on("end", () => {
    response.setHeader("content-type", "application/json");
    response.end(answerAll(Buffer.concat(body).toString()));
  });
});
server.listen(Number(port), "127.0.0.1", () => {
  const bytes = blocks.reduce((sum, { block, receipts, traces }) => sum + block.length + receipts.length + traces.length, 0);
  const facts = { port: (server.address() as AddressInfo).port, height: blocks.length - 1, transactions: Number(transactions), bytes };
  const logs = blocks.reduce((sum, block) => sum + block.logs.length, 0);
  console.log(JSON.stringify({ ...facts, logs, coins: [...traffic.coins, traffic.wrapped] }));
});
