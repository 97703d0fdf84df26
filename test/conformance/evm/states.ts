/**
 * Compares what addresses own according to the Data API with the node's state at a recorded height: when the chain is indexed up to that
 * height, and later where the route accepts `blockNumber`. Nonces are derived from lists: that of the newest transaction or export, plus
 * one.
 */
import { DataClient, type Params, pageSizeFor } from "../../api/data/oracle/client.ts";
import { type CheckResult, check } from "../check.ts";
import { type Expectation, ZERO_ADDRESS } from "./expectation.ts";
import type { RecordedState } from "./recording.ts";
import { sameItems } from "./same-items.ts";

type Token = Readonly<Record<string, string>> & { readonly ercType: string };

const MOST_BALANCES = 500;

export class StateChecker {
  readonly #client: DataClient;
  readonly #chain: string;
  readonly #expectation: Expectation;
  #asked = 0;

  constructor(url: string, expectation: Expectation) {
    this.#client = new DataClient(url);
    this.#chain = `/chains/${expectation.recording.chainId}`;
    this.#expectation = expectation;
  }

  /** What is shown of the newest block only, which must be the state's. */
  async *now(state: RecordedState): AsyncGenerator<CheckResult> {
    for (const address of this.#owners()) {
      const owned = [...ownedErc721(state, address)].sort();
      const held = [...heldErc1155(state, address)].sort();
      yield* this.#balances(`${address}/balances:listErc20`, "erc20TokenBalances", [...heldErc20(state, address)].sort(), state);
      yield* this.#balances(`${address}/balances:listErc721`, "erc721TokenBalances", owned, state);
      yield* this.#balances(`${address}/balances:listErc1155`, "erc1155TokenBalances", held, state);
      yield* this.#balances(`${address}/balances:listCollectibles`, "collectibleBalances", [...owned, ...held].sort(), state);
      yield* this.#nativeBalance(address, state);
      for (const contract of this.#collections()) {
        const ofContract = (item: string) => item.startsWith(`${contract} `);
        const params = { contractAddress: contract };
        yield* this.#balances(`${address}/balances:listErc721`, "erc721TokenBalances", owned.filter(ofContract), state, params);
        yield* this.#balances(`${address}/balances:listErc1155`, "erc1155TokenBalances", held.filter(ofContract), state, params);
      }
    }
  }

  /** What is shown of any block. */
  async *at(state: RecordedState): AsyncGenerator<CheckResult> {
    const params = { blockNumber: state.height };
    for (const address of this.#owners()) {
      yield* this.#nativeBalance(address, state, params);
      yield* this.#balances(`${address}/balances:listErc20`, "erc20TokenBalances", [...heldErc20(state, address)].sort(), state, params);
      const two = Object.keys(state.erc20).slice(0, 2);
      const some = [...heldErc20(state, address)].filter((item) => two.some((token) => item.startsWith(token))).sort();
      const contractAddresses = two.join(", ");
      yield* this.#balances(`${address}/balances:listErc20`, "erc20TokenBalances", some, state, { ...params, contractAddresses });
      yield* this.#balances(
        `${address}/balances:listErc1155`,
        "erc1155TokenBalances",
        [...heldErc1155(state, address)].sort(),
        state,
        params,
      );
      yield* this.#nonce(address, state);
    }
  }

  #owners(): readonly string[] {
    return this.#expectation.some(this.#expectation.addresses.filter((address) => address !== ZERO_ADDRESS));
  }

  #collections(): string[] {
    return this.#expectation.recording.contracts.filter(({ erc }) => erc === "ERC-721" || erc === "ERC-1155").map(({ address }) => address);
  }

  /** The order of balances is the server's own. */
  async *#balances(
    path: string,
    member: string,
    expected: readonly string[],
    { height }: RecordedState,
    params: Params = {},
  ): AsyncGenerator<CheckResult> {
    const pageSize = pageSizeFor(expected.length, MOST_BALANCES, this.#asked++);
    const items = (await this.#client.walk(`${this.#chain}/addresses/${path}`, member, { ...params, pageSize })) as Token[];
    const query = Object.entries(params).map(([key, value]) => ` ${key} ${value}`);
    yield* sameItems(`height ${height}: ${path}${query.join("")}`, items.map(balanceText).sort(), expected);
  }

  async *#nativeBalance(address: string, { height, accounts }: RecordedState, params: Params = {}): AsyncGenerator<CheckResult> {
    const expected = accounts[address]?.balance;
    if (expected === undefined) return;
    const { nativeTokenBalance } = await this.#client.get(`${this.#chain}/addresses/${address}/balances:getNative`, params);
    const { balance } = nativeTokenBalance as { balance: string };
    yield check(
      `height ${height}: native balance of ${address}`,
      balance === expected ? undefined : `got ${balance}, expected ${expected}`,
    );
  }

  /** Of accounts that nobody created: a contract's rises with what it creates, and one without code is still a contract. */
  async *#nonce(address: string, { height, accounts }: RecordedState): AsyncGenerator<CheckResult> {
    const account = accounts[address];
    if (account === undefined || account.codeSize > 0 || this.#expectation.isContract(address)) return;
    const path = `${this.#chain}/addresses/${address}/transactions:listNative`;
    const listed = (await this.#client.walk(path, "transactions", { endBlock: height + 1, pageSize: 100 })) as {
      from: { address: string };
      nonce: string;
    }[];
    const sent = listed.filter(({ from }) => from.address.toLowerCase() === address).map(({ nonce }) => Number(nonce));
    const exported = this.#expectation.recording.exports
      .filter((exported) => exported.height <= height)
      .flatMap(({ inputs }) => inputs.filter((input) => input.address === address).map(({ nonce }) => Number(nonce)));
    const nonce = Math.max(-1, ...sent, ...exported) + 1;
    yield check(`height ${height}: nonce of ${address}`, nonce === account.nonce ? undefined : `got ${nonce}, expected ${account.nonce}`);
  }
}

function balanceText({ address, ercType, tokenId, balance }: Token): string {
  const item = `${address!.toLowerCase()} ${ercType}`;
  return ercType === "ERC-20" ? `${item} ${balance}` : `${item} ${tokenId} ${ercType === "ERC-721" ? "owned" : balance}`;
}

function* heldErc20({ erc20 }: RecordedState, holder: string): Generator<string> {
  for (const [token, balances] of Object.entries(erc20)) if (balances[holder] !== undefined) yield `${token} ERC-20 ${balances[holder]}`;
}

function* ownedErc721({ erc721 }: RecordedState, holder: string): Generator<string> {
  for (const [token, ids] of Object.entries(erc721)) {
    for (const [id, { owner }] of Object.entries(ids)) if (owner === holder) yield `${token} ERC-721 ${id} owned`;
  }
}

function* heldErc1155({ erc1155 }: RecordedState, holder: string): Generator<string> {
  for (const [token, ids] of Object.entries(erc1155)) {
    for (const [id, balances] of Object.entries(ids))
      if (balances[holder] !== undefined) yield `${token} ERC-1155 ${id} ${balances[holder]}`;
  }
}
