/** Every list and view of transactions of the Data API against what the driver of the workload meant: all addresses, blocks, transactions. */
import { DataClient, type Params, pageSizeFor } from "../../data/oracle/client.ts";
import { type CheckResult, check } from "../check.ts";
import { deploymentAnswered, internalAnswered, nativeAnswered, transferAnswered, wholeAnswered } from "./answered.ts";
import { type Expectation, native, receiver, TRANSFER_KINDS } from "./expectation.ts";
import type { PlacedTransaction } from "./recording.ts";
import { sameItems } from "./same-items.ts";

type Json = Readonly<Record<string, unknown>>;

const LISTS = { erc20: "listErc20", erc721: "listErc721", erc1155: "listErc1155" } as const;

/** @param url of a server that has the whole recording */
export async function* checkLists(url: string, expectation: Expectation): AsyncGenerator<CheckResult> {
  const asker = new Asker(new DataClient(url), expectation.recording.chainId);
  const { transactions, addresses } = expectation;
  for (const address of addresses) yield* asker.ofAddress(address, expectation);
  for (const address of addresses) {
    const version2 = new Asker(new DataClient(url, "v2"), expectation.recording.chainId);
    yield* version2.list(`/addresses/${address}/transactions`, "transactions", wholeAnswered, expectation.addressTransactions(address));
  }
  for (const address of addresses) yield* asker.ofContract(address, expectation);
  for (const tx of transactions) yield* asker.one(tx, expectation);
  for (const height of expectation.recording.blockHashes.keys()) yield* asker.block(height, expectation);
  const byStatus = (status: 0 | 1) => expectation.natives((tx) => tx.status === status);
  const all = expectation.natives(() => true);
  yield* asker.list("/transactions", "transactions", nativeAnswered, all);
  yield* asker.list("/transactions", "transactions", nativeAnswered, byStatus(1), { status: "success" });
  yield* asker.list("/transactions", "transactions", nativeAnswered, byStatus(0), { status: "failed" });
  const allChains = new Asker(new DataClient(url));
  yield* allChains.list("/transactions", "transactions", nativeAnswered, all);
  yield* allChains.list("/transactions", "transactions", nativeAnswered, byStatus(0), { status: "failed" });
}

class Asker {
  readonly #client: DataClient;
  readonly #base: string;
  /** page sizes differ from list to list */
  #asked = 0;

  /** @param chainId absent: of all chains */
  constructor(client: DataClient, chainId?: string) {
    this.#client = client;
    this.#base = chainId === undefined ? "" : `/chains/${chainId}`;
  }

  async *list(
    path: string,
    member: string,
    textOf: (item: Json) => string | string[],
    expected: readonly string[],
    params: Params = {},
  ): AsyncGenerator<CheckResult> {
    const pageSize = pageSizeFor(expected.length, 100, this.#asked++);
    const items = (await this.#client.walk(`${this.#base}${path}`, member, { ...params, pageSize })) as Json[];
    const query = Object.entries(params).map(([key, value]) => ` ${key} ${value}`);
    yield* sameItems(`${path}${query.join("")}`, items.flatMap(textOf), expected);
  }

  async *ofAddress(address: string, expectation: Expectation): AsyncGenerator<CheckResult> {
    const base = `/addresses/${address}/transactions`;
    yield* this.list(base, "transactions", wholeAnswered, expectation.addressTransactions(address));
    const isNative = (tx: PlacedTransaction) => tx.from === address || receiver(tx) === address;
    yield* this.list(`${base}:listNative`, "transactions", nativeAnswered, expectation.natives(isNative));
    for (const kind of TRANSFER_KINDS) {
      yield* this.list(`${base}:${LISTS[kind]}`, "transactions", (item) => transferAnswered(item), expectation.transfers(kind, address));
    }
    yield* this.list(`${base}:listInternals`, "transactions", (item) => internalAnswered(item), expectation.internals(address));
  }

  /** Also asked of what is no contract. */
  async *ofContract(address: string, expectation: Expectation): AsyncGenerator<CheckResult> {
    const transfers = expectation.tokenTransfers(address);
    yield* this.list(`/tokens/${address}/transfers`, "transfers", (item) => transferAnswered(item), transfers);
    yield* this.list(`/contracts/${address}/deployments`, "contracts", deploymentAnswered, expectation.deployments(address));
    const path = `/contracts/${address}/transactions:getDeployment`;
    const { status, body } = await this.#client.ask(`${this.#base}${path}`);
    const deployed = expectation.transactions.find((tx) => tx.deployments.some((deployment) => deployment.address === address));
    if (deployed === undefined) yield check(path, status === 404 ? undefined : `got ${status}, there is no such contract`);
    else yield* sameItems(path, status === 200 ? wholeAnswered(body) : [], [native(deployed), ...expectation.parts(deployed)]);
  }

  async *one(tx: PlacedTransaction, expectation: Expectation): AsyncGenerator<CheckResult> {
    const path = `/transactions/${tx.hash}`;
    const whole = await this.#client.get(`${this.#base}${path}`);
    yield* sameItems(path, wholeAnswered(whole), [native(tx), ...expectation.parts(tx)]);
    const { input } = whole.nativeTransaction as { input: string };
    if (tx.input !== undefined) yield check(`${path}: input`, input === tx.input ? undefined : `got ${input}\n  expected ${tx.input}`);
  }

  /** By number and by hash. */
  async *block(height: number, expectation: Expectation): AsyncGenerator<CheckResult> {
    const expected = expectation.natives((tx) => tx.height === height).reverse();
    for (const blockId of [height, expectation.recording.blockHashes[height]!]) {
      const path = `/blocks/${blockId}/transactions`;
      const { transactions } = (await this.#client.get(`${this.#base}${path}`)) as { transactions: Json[] };
      yield* sameItems(`${path} all`, transactions.map(nativeAnswered), expected);
      yield* this.list(path, "transactions", nativeAnswered, expected);
    }
  }
}
