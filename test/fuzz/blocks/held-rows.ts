/**
 * Compares holdings in the index's rows with loops over the oracle's transfers: contracts that do not answer show no balances to anybody.
 */
import { pino } from "pino";
import { ERC20, ERC721, ERC1155 } from "../../../src/evm/facts.ts";
import { evmBalances, evmHoldings, evmNfts } from "../../../src/evm/index/tables.ts";
import { ComparedBlocks } from "../../../src/sources/evm/compared-blocks.ts";
import { wholeBlock } from "../../../src/sources/evm/read-block.ts";
import { openUpstreamRpc } from "../../../src/sources/upstream/open-upstream-rpc.ts";
import type { OracleBlock } from "../../api/data/oracle/evm/world.ts";
import { IndexedRows } from "../../evm/index/indexed-rows.ts";

const KINDS = { erc20: ERC20, erc721: ERC721, erc1155: ERC1155 } as const;
const PIECE = 20;

/** Names of the rows that one side has and the other has not, or with another value. */
export async function heldDifferences(url: string, blocks: readonly OracleBlock[]): Promise<string[]> {
  const [indexed, expected] = [await indexedRows(url, blocks.length), expectedRows(blocks)];
  const names = new Set([...indexed.keys(), ...expected.keys()]);
  return [...names]
    .filter((name) => indexed.get(name) !== expected.get(name))
    .map((name) => `${name}: ${indexed.get(name)}, expected ${expected.get(name)}`);
}

async function indexedRows(url: string, count: number): Promise<Map<string, string>> {
  const log = pino({ level: "silent" });
  const rpc = openUpstreamRpc({ urls: [url], log });
  const fetcher = new ComparedBlocks(rpc, log, { traces: true });
  const index = new IndexedRows();
  try {
    for (let from = 0; from < count; ) {
      const fetched = await fetcher.fetch(BigInt(from), Math.min(PIECE, count - from), BigInt(count - 1), new AbortController().signal);
      index.add(fetched.map(wholeBlock), { recordsUndo: false });
      from += fetched.length;
    }
  } finally {
    await rpc.close();
  }
  const found = new Map<string, string>();
  const token = (key: { token: string; tokenId: string }) => `${key.token}/${BigInt(`0x${key.tokenId}`)}`;
  const { rows } = index;
  for (const { key, value } of rows.all(evmHoldings)) found.set(`held ${key.kind} ${token(key)} ${key.holder}`, `${value.balance}`);
  for (const { key, value } of rows.all(evmBalances))
    found.set(`held ${key.kind} ${token(key)} ${key.holder} at ${key.height}`, `${value.balance}`);
  for (const { key, value } of rows.all(evmNfts)) found.set(`nft ${token(key)}`, `${value.owner ?? ""} ${value.supply}`);
  return found;
}

function expectedRows(blocks: readonly OracleBlock[]): Map<string, string> {
  const balances = new Map<string, bigint>();
  const owners = new Map<string, string>();
  const rows = new Map<string, string>();
  for (const { height, transactions } of blocks) {
    const before = new Map(balances);
    for (const { kind, token, tokenId, from, to, value } of transactions.flatMap((tx) => tx.transfers)) {
      const nft = `${token.slice(2)}/${tokenId}`;
      if (kind === "erc721") owners.set(nft, to.slice(2));
      else {
        for (const [holder, change] of [
          [from, -value],
          [to, value],
        ] as const) {
          const name = `held ${KINDS[kind]} ${nft} ${holder.slice(2)}`;
          if (BigInt(holder) !== 0n) balances.set(name, (balances.get(name) ?? 0n) + change);
        }
      }
    }
    for (const [name, balance] of balances) if (balance !== (before.get(name) ?? 0n)) rows.set(`${name} at ${height}`, `${balance}`);
  }
  const supplies = new Map<string, bigint>();
  for (const [name, balance] of balances) {
    if (balance !== 0n) rows.set(name, `${balance}`);
    const [, kind, nft] = name.split(" ") as [string, string, string];
    if (kind === `${ERC1155}` && balance > 0n) supplies.set(nft, (supplies.get(nft) ?? 0n) + balance);
  }
  for (const nft of new Set([...owners.keys(), ...supplies.keys()])) {
    const owner = BigInt(`0x${owners.get(nft) ?? 0}`) === 0n ? "" : owners.get(nft)!;
    const supply = supplies.get(nft) ?? 0n;
    if (owner !== "") rows.set(`held ${ERC721} ${nft} ${owner}`, "1");
    if (owner !== "" || supply > 0n) rows.set(`nft ${nft}`, `${owner} ${supply}`);
  }
  return rows;
}
