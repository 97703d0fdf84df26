/**
 * `tsx bench/evm/chain-server.ts TRANSACTIONS [PORT] [growing]`: a node of a generated chain, in a process of its own. All answers are rendered
 * before it reports that it listens, so serving costs almost nothing and the indexer is what is measured. With `growing`, blocks are made when
 * they are asked for, in order, of a chain of any length with many accounts.
 */
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { CHAIN_ID } from "./block-text.ts";
import { type Blocks, GrowingBlocks, RenderedBlocks } from "./chain-blocks.ts";
import { Traffic, word } from "./traffic.ts";

const SEED = 6;
/** of a growing chain */
const LARGE = { accounts: 1_000_000, coins: 2000 };

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

const text = (value: unknown) => JSON.stringify(value);
const abiText = (value: string) => `0x${word(32)}${word(value.length)}${Buffer.from(value).toString("hex").padEnd(64, "0")}`;

class ChainServer {
  readonly #blocks: Blocks;
  readonly #traffic: Traffic;
  readonly #kinds: ReadonlyMap<string, "coin" | "collection" | "multi">;

  constructor(blocks: Blocks, traffic: Traffic) {
    this.#blocks = blocks;
    this.#traffic = traffic;
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
        return text(`0x${this.#blocks.newest.toString(16)}`);
      case "eth_getBlockByNumber":
        return this.#block(this.#height(params[0] as Tag), params[1] === true);
      case "eth_getBlockByHash":
        return this.#block(this.#blocks.heightOf(String(params[0])), params[1] === true);
      case "eth_getBlockReceipts":
        return this.#blocks.at(this.#height(params[0] as Tag))?.receipts ?? "null";
      case "debug_traceBlockByNumber":
        return this.#blocks.at(this.#height(params[0] as Tag))?.traces ?? "null";
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
    if (typeof tag === "object") return this.#blocks.heightOf(tag.blockHash ?? "") ?? this.#height(tag.blockNumber!);
    if (tag === "earliest") return 0;
    if (tag.length === 66) return this.#blocks.heightOf(tag) ?? -1;
    return tag.startsWith("0x") ? Number(tag) : this.#blocks.newest;
  }

  #block(height: number | undefined, isWhole: boolean): Result {
    const block = height === undefined ? undefined : this.#blocks.at(height);
    return block === undefined ? "null" : isWhole ? block.block : block.shortBlock;
  }

  #logs(filter: LogFilter): Result {
    const first = this.#height(filter.blockHash ?? filter.fromBlock ?? "latest");
    const last = filter.blockHash === undefined ? this.#height(filter.toBlock ?? "latest") : first;
    const addresses = filter.address && new Set([filter.address].flat().map((address) => address.toLowerCase()));
    const topics = filter.topics?.[0] ? new Set([filter.topics[0]].flat()) : undefined;
    const found: string[] = [];
    for (let height = first; height <= last; height++) {
      for (const { address, topic, text } of this.#blocks.at(height)?.logs ?? []) {
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

const [transactions = "100000", port = "0", kind] = process.argv.slice(2);
const traffic = kind === "growing" ? new Traffic(SEED, LARGE) : new Traffic(SEED);
const rendered = kind === "growing" ? undefined : new RenderedBlocks(traffic, Number(transactions));
const blocks = rendered ?? new GrowingBlocks(traffic, Number(transactions));
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
// a connection that rests is not closed: an indexer that writes for a while goes on with it
server.keepAliveTimeout = 0;
server.listen(Number(port), "127.0.0.1", () => {
  const facts = { port: (server.address() as AddressInfo).port, height: blocks.newest, transactions: Number(transactions) };
  const { bytes, logs } = rendered ?? { bytes: 0, logs: 0 };
  console.log(JSON.stringify({ ...facts, bytes, logs, coins: [...traffic.coins, traffic.wrapped] }));
});
