/** What the sentence of a transaction of an EVM chain must say, made as text from the API's answer by other code than the explorer's. */
import type { components } from "../../explorer/src/api/data-api.d.ts";
import { digits, short } from "./sentences.ts";

type EvmAnswer = components["schemas"]["GetTransactionResponse"];
type Party = EvmAnswer["nativeTransaction"]["from"];

const ZERO = `0x${"0".repeat(40)}`;
/** Characters that nobody sees are spelled; long names are cut. */
function shown(text: string, longest: number): string {
  const cut = text.length > longest ? text.slice(0, longest) : text;
  const spelled = [...cut].map((each) =>
    /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/u.test(each) ? `\\u{${each.codePointAt(0)!.toString(16)}}` : each,
  );
  return `${spelled.join("")}${text.length > longest ? `… (${text.length} characters)` : ""}`;
}

export interface EvmNetwork {
  readonly symbol: string;
  readonly decimals: number;
  /** names of a devnet's accounts, by address */
  readonly accounts?: ReadonlyMap<string, string>;
}

interface Movement {
  readonly verb: string;
  readonly token: { readonly name?: string; readonly symbol?: string; readonly address: string };
  readonly decimals?: number;
  readonly amounts: bigint[];
  readonly ids: (string | undefined)[];
  readonly to: Party[];
}

/** Without the full stop. */
export function evmSentenceOf(answer: EvmAnswer, network: EvmNetwork): string {
  const { from, to, value, txStatus, method } = answer.nativeTransaction;
  const name = ({ name: given, address }: Party) => (given ? shown(given, 40) : (network.accounts?.get(address) ?? short(address)));
  const coins = `${digits(value, network.decimals)} ${network.symbol}`;
  const isFailed = txStatus === "0";
  const withCoins = value === "0" ? "" : ` with ${coins}`;
  if (method?.callType === "NATIVE_TRANSFER") return `${name(from)} ${isFailed ? "tried to send" : "sent"} ${coins} to ${name(to)}`;
  if (method?.callType === "CONTRACT_CREATION") {
    return `${name(from)} ${isFailed ? "tried to create a contract, and failed" : `created the contract ${name(to)}`}${withCoins}`;
  }
  const called = shown(method?.methodName?.split("(", 1)[0] || (method?.methodHash ?? ""), 40);
  const moved = isFailed ? ", which failed" : movementsText(movementsOf(answer), name);
  return `${name(from)} called ${called} of ${name(to)}${withCoins}${moved}`;
}

function movementsOf({ erc20Transfers = [], erc721Transfers = [], erc1155Transfers = [] }: EvmAnswer): readonly Movement[] {
  const all = [
    ...erc20Transfers.map(({ from, to, logIndex, value, erc20Token }) => ({
      from,
      to,
      logIndex,
      value,
      token: erc20Token,
      decimals: erc20Token.decimals,
      id: undefined,
    })),
    ...erc721Transfers.map(({ from, to, logIndex, erc721Token }) => ({
      from,
      to,
      logIndex,
      value: "1",
      token: erc721Token,
      decimals: undefined,
      id: erc721Token.tokenId,
    })),
    ...erc1155Transfers.map(({ from, to, logIndex, value, erc1155Token: { address, metadata, tokenId } }) => ({
      from,
      to,
      logIndex,
      value,
      token: { ...metadata, address },
      decimals: undefined,
      id: tokenId,
    })),
  ].sort((a, b) => a.logIndex - b.logIndex);
  const movements: Movement[] = [];
  for (const { from, to, value, token, decimals, id } of all) {
    const verb = from.address === ZERO ? "minted" : to.address === ZERO ? "burned" : "sent";
    let known = movements.find((each) => each.verb === verb && each.token.address === token.address);
    if (known === undefined) {
      known = { verb, token, ...(decimals !== undefined && { decimals }), amounts: [], ids: [], to: [] };
      movements.push(known);
    }
    known.amounts.push(BigInt(value));
    known.ids.push(id);
    if (!known.to.some(({ address }) => address === to.address)) known.to.push(to);
  }
  return movements;
}

function movementsText(movements: readonly Movement[], name: (party: Party) => string): string {
  const texts = movements.map(({ verb, token, decimals, amounts: all, ids, to }) => {
    const sum = all.reduce((a, b) => a + b, 0n);
    const called = token.symbol || token.name;
    const link = called ? shown(called, 24) : short(token.address);
    const [id] = ids;
    const number = id === undefined || new Set(ids).size > 1 ? "" : ` #${id.length > 24 ? `${id.slice(0, 8)}…${id.slice(-8)}` : id}`;
    const what =
      decimals !== undefined ? `${digits(sum, decimals)} ${link}` : `${sum > 1n ? `${sum.toLocaleString("en")} ` : ""}${link}${number}`;
    const recipient = verb === "burned" ? "" : ` to ${to.length === 1 ? name(to[0]!) : `${to.length} addresses`}`;
    return `${verb} ${what}${recipient}`;
  });
  if (texts.length === 0) return "";
  return texts.length > 2 ? `: ${texts[0]}, ${texts[1]}, and ${texts.length - 2} more` : `: ${texts.join(" and ")}`;
}
