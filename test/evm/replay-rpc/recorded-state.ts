/**
 * A replayed node's account state: the recorded values at the recorded heights. For other heights it answers like a node that has pruned
 * their state. Contracts' metadata (name, interfaces …) was recorded once and is returned at any height.
 */
import { encodeFunctionResult, parseAbi } from "viem";
import { keccak256 } from "../../../src/base/bytes/hash.ts";
import { NodeError } from "./node-error.ts";
import type { AccountsAt, RecordedCall, Recording } from "./recording.ts";

const BALANCE_OF = "70a08231";
const BALANCE_OF_TOKEN = "00fdd58e";
const OWNER_OF = "6352211e";
const TOKEN_URI = "c87b56dd";
const URI = "0e89341c";
const uriAbi = parseAbi(["function uri() view returns (string)"]);
const ZERO_ADDRESS = `0x${"0".repeat(40)}`;

export class RecordedState {
  readonly #at: ReadonlyMap<number, AccountsAt>;
  readonly #final: AccountsAt;
  readonly #codes = new Map<string, { height: number; code: string }>();
  readonly #metadata: Recording["metadata"];
  /** field of `results` by call data */
  readonly #fields: ReadonlyMap<string, string>;

  constructor({ accounts, blocks, metadata }: Recording) {
    this.#at = new Map(accounts.map((at) => [at.height, at]));
    this.#final = accounts.at(-1)!;
    this.#metadata = metadata;
    this.#fields = new Map(Object.entries(metadata.selectors).map(([field, data]) => [data, field]));
    for (const { height, traces } of blocks) {
      const frames = (traces ?? []).map(({ result }) => result);
      for (const frame of frames) {
        frames.push(...(frame.calls ?? []));
        if (frame.type.startsWith("CREATE") && frame.to !== undefined) this.#codes.set(frame.to, { height, code: frame.output ?? "0x" });
      }
    }
  }

  balance(address: string, height: number): string {
    return `0x${BigInt(this.#accountsAt(height).accounts[address]?.balance ?? 0).toString(16)}`;
  }

  code(address: string, height: number): string {
    const created = this.#codes.get(address);
    const account = this.#final.accounts[address];
    if (created !== undefined) return created.height <= height && account?.codeHash !== null ? created.code : "0x";
    // its bytes were not recorded, and nothing depends on them
    return account === undefined ? "0x" : `0x${"fe".repeat(account.codeSize)}`;
  }

  call(to: string, data: string, height: number): string {
    const known = this.#metadata.contracts[to]?.results;
    const field = this.#fields.get(data);
    if (known !== undefined && field !== undefined) return field === "totalSupply" ? this.#supply(to, height) : answerOf(known[field]!);
    if (this.code(to, height) === "0x") return "0x";
    const answer = this.#ledgerCall(to, data.slice(2, 10), data.slice(10), height);
    if (answer === undefined) throw reverted();
    return answer;
  }

  /** Recorded at the end only: at the other heights it is what all holders have. Of tokens that answer, that is the same. */
  #supply(to: string, height: number): string {
    const recorded = answerOf(this.#metadata.contracts[to]!.results.totalSupply!);
    const ledger = this.#at.get(height)?.erc20[to];
    if (ledger === undefined || height === this.#final.height) return recorded;
    return wordOf(Object.values(ledger).reduce((sum, balance) => sum + BigInt(balance), 0n));
  }

  #ledgerCall(to: string, selector: string, words: string, height: number): string | undefined {
    const erc = this.#metadata.contracts[to]?.erc;
    const first = words.slice(0, 64);
    const holder = (word: string) => `0x${word.slice(24)}`;
    const id = tokenIdOf(first);
    const at = this.#accountsAt(height);
    switch (selector) {
      case BALANCE_OF:
        if (erc === "ERC-20") return wordOf(at.erc20[to]?.[holder(first)] ?? 0);
        if (erc === "ERC-721") return wordOf(Object.values(at.erc721[to] ?? {}).filter(({ owner }) => owner === holder(first)).length);
        return undefined;
      case BALANCE_OF_TOKEN:
        return erc === "ERC-1155" ? wordOf(at.erc1155[to]?.[tokenIdOf(words.slice(64))]?.[holder(first)] ?? 0) : undefined;
      case OWNER_OF: {
        const token = at.erc721[to]?.[id];
        if (token?.ownerOf !== undefined) return answerOf(token.ownerOf);
        return token?.owner == null || token.owner === ZERO_ADDRESS ? undefined : wordOf(token.owner);
      }
      case TOKEN_URI: {
        const token = at.erc721[to]?.[id];
        if (token?.tokenURI !== undefined) return answerOf(token.tokenURI);
        return token?.uri == null ? undefined : textOf(token.uri);
      }
      case URI: {
        const uri = at.uri1155[to]?.[id];
        return uri == null ? undefined : textOf(uri);
      }
      default:
        return undefined;
    }
  }

  #accountsAt(height: number): AccountsAt {
    const at = this.#at.get(height);
    if (at === undefined)
      throw new NodeError(-32000, `missing trie node ${"0".repeat(64)} (path ) state 0x${height.toString(16)} is not available`);
    return at;
  }
}

function answerOf(call: RecordedCall): string {
  if (typeof call === "string") return call;
  if ("error" in call) throw new NodeError(Number(call.error.code), String(call.error.message), call.error.data);
  // the recorded contracts repeat one byte
  const beginning = Buffer.from(call.first128.slice(2), "hex");
  const whole = Buffer.concat([beginning, Buffer.alloc(call.bytes - beginning.length, beginning.at(-1))]);
  const hash = `0x${keccak256(whole).toString("hex")}`;
  if (hash !== call.keccak256) throw new Error(`an answer of ${call.bytes} bytes has the hash ${call.keccak256}, not ${hash}`);
  return `0x${whole.toString("hex")}`;
}

function reverted(): NodeError {
  return new NodeError(-32000, "execution reverted");
}

function tokenIdOf(word: string): string {
  return word === "" ? "" : BigInt(`0x${word}`).toString();
}

function wordOf(value: string | number | bigint): string {
  return `0x${BigInt(value).toString(16).padStart(64, "0")}`;
}

function textOf(text: string): string {
  return encodeFunctionResult({ abi: uriAbi, functionName: "uri", result: text });
}
