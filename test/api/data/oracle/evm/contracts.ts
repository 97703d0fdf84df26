/** Metadata of contracts, read one call at a time, and the class of those whose logs are ambiguous. */
import { encodeFunctionData, parseAbi } from "viem";
import { type Ask, hexOf, Refused } from "./chain-answers.ts";
import type { Doubts } from "./token-logs.ts";

const abi = parseAbi([
  "function name() view returns (string)",
  "function symbol() view returns (string)",
  "function decimals() view returns (uint8)",
  "function supportsInterface(bytes4) view returns (bool)",
  "function ownerOf(uint256) view returns (address)",
  "function tokenURI(uint256) view returns (string)",
  "function uri(uint256) view returns (string)",
  "function balanceOf(address) view returns (uint256)",
  "function deposit() payable",
]);

const ERC165 = "0x01ffc9a7";
const ERC721 = "0x80ac58cd";
const NO_INTERFACE = "0xffffffff";

/** Nobody reads longer names. */
export const LONGEST_TEXT = 100;

export interface Description {
  readonly name?: string;
  readonly symbol?: string;
  readonly decimals?: number;
}

export class Contracts implements Doubts {
  readonly #ask: Ask;
  readonly #height: number;
  readonly #known = new Map<string, Promise<string | undefined>>();

  /** @param height at which everything is asked */
  constructor(ask: Ask, height: number) {
    this.#ask = ask;
    this.#height = height;
  }

  async describe(contract: string): Promise<Description> {
    const [name, symbol, decimals] = await Promise.all([
      this.#call(contract, encodeFunctionData({ abi, functionName: "name" })).then(text),
      this.#call(contract, encodeFunctionData({ abi, functionName: "symbol" })).then(text),
      this.#decimals(contract),
    ]);
    return { ...(name && { name }), ...(symbol && { symbol }), ...(decimals !== undefined && { decimals }) };
  }

  async allIndexed(token: string): Promise<"erc20" | "erc721"> {
    return !(await this.#isErc721(token)) && (await this.#hasDecimals(token)) ? "erc20" : "erc721";
  }

  async noneIndexed(token: string): Promise<"erc20" | "erc721" | undefined> {
    if (await this.#hasDecimals(token)) return "erc20";
    return (await this.#isErc721(token)) || (await this.#call(token, "0x06fdde03")) !== undefined ? "erc721" : undefined;
  }

  /** `Deposit` without a transfer moves balances of a token that takes `deposit()`. */
  async isWrapped(token: string): Promise<boolean> {
    return this.#hasDecimals(token);
  }

  tokenUri(kind: "erc721" | "erc1155", token: string, tokenId: bigint): Promise<string | undefined> {
    const functionName = kind === "erc721" ? "tokenURI" : "uri";
    return this.#call(token, encodeFunctionData({ abi, functionName, args: [tokenId] })).then(text);
  }

  async #hasDecimals(token: string): Promise<boolean> {
    return (await this.#call(token, encodeFunctionData({ abi, functionName: "decimals" })))?.length === 66;
  }

  async #decimals(token: string): Promise<number | undefined> {
    const word = await this.#call(token, encodeFunctionData({ abi, functionName: "decimals" }));
    return word?.length === 66 && BigInt(word) < 256n ? Number(word) : undefined;
  }

  async #isErc721(token: string): Promise<boolean> {
    const [erc165, erc721, all] = await Promise.all([ERC165, ERC721, NO_INTERFACE].map((id) => this.#supports(token, id as `0x${string}`)));
    return erc165! && erc721! && !all!;
  }

  async #supports(token: string, id: `0x${string}`): Promise<boolean> {
    const word = await this.#call(token, encodeFunctionData({ abi, functionName: "supportsInterface", args: [id] }));
    return word?.length === 66 && BigInt(word) === 1n;
  }

  /** undefined: it answers nothing, or refuses. */
  #call(to: string, data: string): Promise<string | undefined> {
    const known = this.#known.get(to + data);
    if (known !== undefined) return known;
    const answer = this.#ask("eth_call", [{ to, data, gas: "0x1312d00" }, hexOf(this.#height)]).then(
      (result) => (result === "0x" ? undefined : (result as string)),
      (error) => {
        if (error instanceof Refused) return undefined;
        throw error;
      },
    );
    this.#known.set(to + data, answer);
    return answer;
  }
}

/** An ABI string, or one word of text that ends with zero bytes. Undefined if it is neither, or no UTF-8. */
function text(answer: string | undefined): string | undefined {
  if (answer === undefined) return undefined;
  const bytes = Buffer.from(answer.slice(2), "hex");
  if (bytes.length === 32) return utf8(trimmed(bytes));
  if (bytes.length < 64 || BigInt(`0x${bytes.toString("hex", 0, 32)}`) !== 32n) return undefined;
  const length = BigInt(`0x${bytes.toString("hex", 32, 64)}`);
  return length > BigInt(bytes.length - 64) ? undefined : utf8(bytes.subarray(64, 64 + Number(length)));
}

function trimmed(bytes: Buffer): Buffer {
  let end = bytes.length;
  while (end > 0 && bytes[end - 1] === 0) end--;
  return bytes.subarray(0, end);
}

function utf8(bytes: Buffer): string | undefined {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return undefined;
  }
}
