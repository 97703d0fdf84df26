/** Chooses the balances of a token that are compared with the contract's, and judges the result. */

import type { Address, Hash } from "../../sources/evm/parser/block.ts";
import type { StoreReader } from "../../store/store.ts";
import { callData, readNumber } from "../abi.ts";
import { ERC20, ERC721, type Transfer, type TransferKind } from "../facts.ts";
import { NO_TOKEN_ID, tokenIdKey } from "../index/holding-rows.ts";
import { newestTokenTransfers } from "../index/read-lists.ts";
import { evmChainStates, evmHoldings, evmNfts, evmTokens } from "../index/tables.ts";
import type { CallAnswer, ContractCall } from "./multicall.ts";

/** number of newest transfers that are searched for holders */
const TRANSFERS = 100;
const MAX_SAMPLES = 32;
const ZERO_ADDRESS: Address = "00".repeat(20);
/** asked if transfers name no holder; some contracts refuse the zero address */
const SOMEBODY: Address = "1".padStart(40, "0");

export const AGREES = 0;
export const DIFFERS = 1;
export const NO_SUCH_TOKEN = 2;

export interface Sample {
  readonly question: ContractCall;
  /** the index's balance, or the owner of an ERC-721 token as a number; undefined: any answer will do */
  readonly expected: bigint | undefined;
}

export interface TokenSamples {
  /** the block that the samples belong to */
  readonly height: bigint;
  readonly hash: Hash;
  readonly hasDebts: boolean;
  readonly samples: readonly Sample[];
}

/**
 * Costs two rows for each of the newest transfers. Undefined: it is not a token, or nothing is indexed. @param rows of one committed state
 */
export async function collectSamples(rows: StoreReader, chain: number, token: Address): Promise<TokenSamples | undefined> {
  const [state, row, known] = await Promise.all([
    rows.get(evmChainStates, { chain }),
    rows.get(evmTokens, { chain, token }),
    newestTokenTransfers(rows, { chain, token }, TRANSFERS),
  ]);
  if (state === undefined || row === undefined || row.kind === 0) return undefined;
  // A contract may be fungible and a collection at once, or pretend to be either.
  const [owners, balances] = await Promise.all([
    ownerSamples(
      rows,
      chain,
      token,
      known.filter(({ kind }) => kind === ERC721),
    ),
    balanceSamples(
      rows,
      chain,
      token,
      known.filter(({ kind }) => kind !== ERC721),
    ),
  ]);
  return { height: state.height, hash: state.hash, hasDebts: row.hasDebts, samples: [...owners, ...balances] };
}

async function ownerSamples(rows: StoreReader, chain: number, token: Address, transfers: readonly Transfer[]): Promise<Sample[]> {
  const parties = new Map(transfers.map(({ tokenId, from, to }) => [tokenId, from === ZERO_ADDRESS ? to : from]));
  const ids = [...parties.keys()].slice(0, MAX_SAMPLES);
  const nfts = await rows.getMany(
    evmNfts,
    ids.map((id) => ({ chain, token, tokenId: tokenIdKey(id) })),
  );
  const owned = ids.flatMap((id, i): Sample[] => {
    const owner = nfts[i]?.owner;
    if (owner === undefined) return [];
    return [{ question: { to: token, data: callData("ownerOf(uint256)", id) }, expected: BigInt(`0x${owner}`) }];
  });
  if (owned.length > 0 || ids.length === 0) return owned;
  // If all NFTs are burned, there is no owner to ask for. A collection still answers how many an address has.
  const party = parties.get(ids[0]!)!;
  const somebody = party === ZERO_ADDRESS ? SOMEBODY : party;
  return [{ question: { to: token, data: callData("balanceOf(address)", somebody) }, expected: undefined }];
}

async function balanceSamples(rows: StoreReader, chain: number, token: Address, transfers: readonly Transfer[]): Promise<Sample[]> {
  const held = new Map<string, { holder: Address; kind: TransferKind; tokenId: bigint }>();
  for (const { from, to, kind, tokenId } of transfers) {
    for (const holder of [to, from]) {
      if (holder !== ZERO_ADDRESS) held.set(`${holder}${kind}${tokenId}`, { holder, kind, tokenId });
    }
  }
  const chosen = [...held.values()].slice(0, MAX_SAMPLES);
  const [newest] = transfers;
  // Transfers that only go from the zero address to itself leave no balance to compare. A token still answers for any address.
  if (chosen.length === 0 && newest !== undefined) {
    return [{ question: balanceQuestion(token, SOMEBODY, newest.kind, newest.tokenId), expected: undefined }];
  }
  const holdings = await rows.getMany(
    evmHoldings,
    chosen.map(({ holder, kind, tokenId }) => ({
      chain,
      holder,
      kind,
      token,
      tokenId: kind === ERC20 ? NO_TOKEN_ID : tokenIdKey(tokenId),
    })),
  );
  return chosen.map(({ holder, kind, tokenId }, i): Sample => {
    return { question: balanceQuestion(token, holder, kind, tokenId), expected: holdings[i]?.balance ?? 0n };
  });
}

function balanceQuestion(token: Address, holder: Address, kind: TransferKind, tokenId: bigint): ContractCall {
  const data = kind === ERC20 ? callData("balanceOf(address)", holder) : callData("balanceOf(address,uint256)", holder, tokenId);
  return { to: token, data };
}

/** Once a token's balances differ, the verdict stays: other balances may be wrong even if these agree again. */
export function judge({ samples, hasDebts }: TokenSamples, answers: readonly CallAnswer[], before: number | undefined): number {
  const said = answers.map((answer) => readNumber(answer));
  if (said.every((value) => value === undefined)) return NO_SUCH_TOKEN;
  const differs = samples.some(({ expected }, i) => expected !== undefined && (said[i] ?? 0n) !== expected);
  return differs || hasDebts || before === DIFFERS ? DIFFERS : AGREES;
}
