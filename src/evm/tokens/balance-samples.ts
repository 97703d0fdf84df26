/** Which balances of a token are compared with the contract's own, and what the comparison says of the token. */
import { NO_TOKEN_ID, tokenIdKey } from "../../index/evm/holding-rows.ts";
import { evmChainStates, evmHoldings, evmNfts, evmTokens, evmTokenTransfers, evmTransfers } from "../../index/evm/tables.ts";
import type { TableValue } from "../../primitives/table.ts";
import type { StoreReader } from "../../store/store.ts";
import type { Address, Hash } from "../block.ts";
import { ERC20, ERC721, type TransferKind } from "../facts.ts";
import { callData, readNumber } from "./abi.ts";
import type { Answer, ContractCall } from "./multicall.ts";

/** so many of the newest transfers are looked at for holders, who are compared */
const TRANSFERS = 100;
const MAX_SAMPLES = 32;
const ZERO_ADDRESS: Address = "00".repeat(20);

export const AGREES = 0;
export const DIFFERS = 1;
export const NO_SUCH_TOKEN = 2;

export interface Sample {
  readonly question: ContractCall;
  /** what the index has; of an ERC-721 token its owner, as a number */
  readonly expected: bigint;
}

export interface TokenSamples {
  /** block that the samples are of */
  readonly height: bigint;
  readonly hash: Hash;
  readonly hasDebts: boolean;
  readonly samples: readonly Sample[];
}

/** Costs two rows for each of the newest transfers. Undefined: it is no token, or nothing is indexed. @param rows of one committed state */
export async function collectSamples(rows: StoreReader, chain: number, token: Address): Promise<TokenSamples | undefined> {
  const [state, row, newest] = await Promise.all([
    rows.get(evmChainStates, { chain }),
    rows.get(evmTokens, { chain, token }),
    rows.scan(evmTokenTransfers, { prefix: { chain, token }, reverse: true, limit: TRANSFERS }),
  ]);
  if (state === undefined || row === undefined || row.kind === 0) return undefined;
  const transfers = await rows.getMany(
    evmTransfers,
    newest.map(({ key: { height, index, logIndex, batchIndex } }) => ({ chain, height, index, logIndex, batchIndex })),
  );
  const ofKind = transfers.filter((transfer) => transfer?.kind === row.kind) as TableValue<typeof evmTransfers>[];
  const samples = row.kind === ERC721 ? await ownerSamples(rows, chain, token, ofKind) : await balanceSamples(rows, chain, token, ofKind);
  return { height: state.height, hash: state.hash, hasDebts: row.hasDebts, samples };
}

async function ownerSamples(rows: StoreReader, chain: number, token: Address, transfers: readonly TableValue<typeof evmTransfers>[]) {
  const ids = [...new Set(transfers.map(({ tokenId }) => tokenId))].slice(0, MAX_SAMPLES);
  const nfts = await rows.getMany(
    evmNfts,
    ids.map((id) => ({ chain, token, tokenId: tokenIdKey(id) })),
  );
  return ids.flatMap((id, i): Sample[] => {
    const owner = nfts[i]?.owner;
    if (owner === undefined) return [];
    return [{ question: { to: token, data: callData("ownerOf(uint256)", id) }, expected: BigInt(`0x${owner}`) }];
  });
}

async function balanceSamples(rows: StoreReader, chain: number, token: Address, transfers: readonly TableValue<typeof evmTransfers>[]) {
  const held = new Map<string, { holder: Address; kind: TransferKind; tokenId: bigint }>();
  for (const { from, to, kind, tokenId } of transfers) {
    for (const holder of [to, from]) {
      if (holder !== ZERO_ADDRESS) held.set(`${holder}${tokenId}`, { holder, kind: kind as TransferKind, tokenId });
    }
  }
  const chosen = [...held.values()].slice(0, MAX_SAMPLES);
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
    const data = kind === ERC20 ? callData("balanceOf(address)", holder) : callData("balanceOf(address,uint256)", holder, tokenId);
    return { question: { to: token, data }, expected: holdings[i]?.balance ?? 0n };
  });
}

/** A token that was found to lie stays one: others of its balances may be wrong even where these agree again. */
export function judge({ samples, hasDebts }: TokenSamples, answers: readonly Answer[], before: number | undefined): number {
  const said = answers.map((answer) => readNumber(answer));
  if (said.every((value) => value === undefined)) return NO_SUCH_TOKEN;
  const differs = samples.some(({ expected }, i) => (said[i] ?? 0n) !== expected);
  return differs || hasDebts || before === DIFFERS ? DIFFERS : AGREES;
}
