/**
 * Compares every list and view of transactions in the Data API with what the workload's driver intended: all addresses, blocks and
 * transactions.
 */
import { keccak256 } from "viem";
import { DataClient, type Params, pageSizeFor } from "../../api/data/oracle/client.ts";
import { type CheckResult, check } from "../check.ts";
import { deploymentAnswered, internalAnswered, nativeAnswered, transferAnswered, wholeAnswered } from "./answered.ts";
import { type Expectation, native, receiver, TRANSFER_KINDS } from "./expectation.ts";
import type { PlacedTransaction } from "./recording.ts";
import { sameItems } from "./same-items.ts";

type Json = Readonly<Record<string, unknown>>;

const LISTS = { erc20: "listErc20", erc721: "listErc721", erc1155: "listErc1155" } as const;

/** @param url of a server that has the whole recording */
export async function* checkLists(url: string, expectation: Expectation): AsyncGenerator<CheckResult> {
  const chain = `/chains/${expectation.recording.chainId}`;
  const asker = new Asker(new DataClient(url), expectation, chain);
  const version2 = new Asker(new DataClient(url, "v2"), expectation, chain);
  const addresses = expectation.some(expectation.addresses);
  for (const address of addresses) yield* asker.ofAddress(address);
  for (const address of addresses) yield* version2.transactions(address);
  for (const address of addresses) yield* asker.ofContract(address);
  for (const tx of expectation.some(expectation.transactions)) yield* asker.one(tx);
  for (const height of expectation.some([...expectation.recording.blockHashes.keys()])) yield* asker.block(height);
  for (const everything of [asker, new Asker(new DataClient(url), expectation, "")]) yield* everything.latest();
}

class Asker {
  readonly #client: DataClient;
  readonly #expectation: Expectation;
  readonly #base: string;
  /** page sizes differ from list to list */
  #asked = 0;

  constructor(client: DataClient, expectation: Expectation, base: string) {
    this.#client = client;
    this.#expectation = expectation;
    this.#base = base;
  }

  async *ofAddress(address: string): AsyncGenerator<CheckResult> {
    yield* this.transactions(address);
    const base = `/addresses/${address}/transactions`;
    const isNative = (tx: PlacedTransaction) => tx.from === address || receiver(tx) === address;
    yield* this.#list(`${base}:listNative`, "transactions", nativeAnswered, this.#expectation.natives(isNative));
    for (const kind of TRANSFER_KINDS) {
      yield* this.#list(
        `${base}:${LISTS[kind]}`,
        "transactions",
        (item) => transferAnswered(item),
        this.#expectation.transfers(kind, address),
      );
    }
    yield* this.#list(`${base}:listInternals`, "transactions", (item) => internalAnswered(item), this.#expectation.internals(address));
  }

  transactions(address: string): AsyncGenerator<CheckResult> {
    return this.#list(`/addresses/${address}/transactions`, "transactions", wholeAnswered, this.#expectation.addressTransactions(address));
  }

  /** Also asked of what is no contract. */
  async *ofContract(address: string): AsyncGenerator<CheckResult> {
    const transfers = this.#expectation.tokenTransfers(address);
    yield* this.#list(`/tokens/${address}/transfers`, "transfers", (item) => transferAnswered(item), transfers);
    yield* this.#list(`/contracts/${address}/deployments`, "contracts", deploymentAnswered, this.#expectation.deployments(address));
    const path = `/contracts/${address}/transactions:getDeployment`;
    const { status, body } = await this.#client.ask(`${this.#base}${path}`);
    const deployed = this.#expectation.transactions.find((tx) => tx.deployments.some((deployment) => deployment.address === address));
    if (deployed === undefined) yield check(path, status === 404 ? undefined : `got ${status}, there is no such contract`);
    else yield* this.#whole(path, status === 200 ? body : undefined, deployed);
  }

  async *one(tx: PlacedTransaction): AsyncGenerator<CheckResult> {
    const path = `/transactions/${tx.hash}`;
    const whole = await this.#client.get(`${this.#base}${path}`);
    yield* this.#whole(path, whole, tx);
  }

  /** By number and by hash. */
  async *block(height: number): AsyncGenerator<CheckResult> {
    const expected = this.#expectation.natives((tx) => tx.height === height).reverse();
    for (const blockId of [height, this.#expectation.recording.blockHashes[height]!]) {
      const path = `/blocks/${blockId}/transactions`;
      const { transactions } = (await this.#client.get(`${this.#base}${path}`)) as { transactions: Json[] };
      yield* sameItems(`${path} all`, transactions.map(nativeAnswered), expected);
      yield* this.#list(path, "transactions", nativeAnswered, expected);
    }
  }

  async *latest(): AsyncGenerator<CheckResult> {
    const withStatus = (status: 0 | 1) => this.#expectation.natives((tx) => tx.status === status);
    yield* this.#list(
      "/transactions",
      "transactions",
      nativeAnswered,
      this.#expectation.natives(() => true),
    );
    yield* this.#list("/transactions", "transactions", nativeAnswered, withStatus(1), { status: "success" });
    yield* this.#list("/transactions", "transactions", nativeAnswered, withStatus(0), { status: "failed" });
  }

  async *#list(
    path: string,
    member: string,
    textOf: (item: Json) => string | string[],
    expected: readonly string[],
    params: Params = {},
  ): AsyncGenerator<CheckResult> {
    const pageSize = pageSizeFor(expected.length, 100, this.#asked++);
    const items = (await this.#client.walk(`${this.#base}${path}`, member, { ...params, pageSize })) as Json[];
    const query = Object.entries(params).map(([key, value]) => ` ${key} ${value}`);
    yield* sameItems(`${path}${query.join("")}`, this.#texts(items.flatMap(textOf)), expected);
  }

  *#whole(path: string, whole: Json | undefined, tx: PlacedTransaction): Generator<CheckResult> {
    const answered = whole === undefined ? [] : this.#texts(wholeAnswered(whole));
    yield* sameItems(path, answered, [native(tx), ...this.#expectation.parts(tx)]);
    const { input = "0x" } = (whole?.nativeTransaction ?? {}) as { input?: `0x${string}` };
    const expected = tx.inputHash ?? keccak256(tx.input!);
    yield check(`${path}: input`, keccak256(input) === expected ? undefined : `got ${input}, whose hash is not ${expected}`);
  }

  #texts(answered: readonly string[]): string[] {
    return answered.map((text) => this.#expectation.withoutStrangers(text));
  }
}
