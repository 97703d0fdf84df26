/** Compares the metadata of recorded contracts that the token service stores with what the workload's driver deployed. */
import { describe, expect, test } from "vitest";
import { ERC20, ERC721, ERC1155 } from "../../../src/evm/facts.ts";
import { tokenIdKey } from "../../../src/evm/index/holding-rows.ts";
import { evmHoldings, evmNfts, evmTokens } from "../../../src/evm/index/tables.ts";
import { evmContractMetadata, evmNftMetadata, evmTokenChecks } from "../../../src/evm/index/token-tables.ts";
import { NFT_STATUSES } from "../../../src/evm/nft/nft-status.ts";
import { scanAll } from "../../../src/store/store.ts";
import { readJson } from "../../conformance/json-lines.ts";
import { EVM_RECORDINGS } from "../../conformance/recordings.ts";
import { eventuallyHolds } from "../../patience.ts";
import { CHAIN, type FollowedRecording, withFollowedRecording } from "./followed-recording.ts";

type Text = string | null | { readonly byte: string; readonly length: number };

interface Meta {
  readonly name: Text;
  readonly symbol: Text;
  readonly decimals: number | string | null;
}

interface Deployed {
  readonly name: string;
  readonly address: string;
  readonly erc: "ERC-20" | "ERC-721" | "ERC-1155" | "UNKNOWN";
  readonly meta?: Meta;
  /** once renamed */
  readonly metaAfter?: Meta;
}

const KINDS = { "ERC-20": ERC20, "ERC-721": ERC721, "ERC-1155": ERC1155, UNKNOWN: 0 };
const MAX_TEXT = 256;

function textOf(text: Text): string | undefined {
  if (text === null) return undefined;
  const whole = typeof text === "string" ? text : text.byte.repeat(text.length);
  return whole.slice(0, MAX_TEXT);
}

function decimalsOf(decimals: Meta["decimals"]): number | undefined {
  return decimals === null || Number(decimals) > 255 ? undefined : Number(decimals);
}

function shown(latin1: string | undefined): string | undefined {
  return latin1 === undefined ? undefined : Buffer.from(latin1, "latin1").toString("utf8");
}

async function checkContracts({ store, folder }: FollowedRecording): Promise<void> {
  const { contracts } = readJson<{ contracts: readonly Deployed[] }>(folder, "expected.json");
  expect(contracts).toHaveLength(50);
  for (const { name, address, erc, meta, metaAfter } of contracts) {
    const row = await store.get(evmContractMetadata, { chain: CHAIN, contract: address.slice(2) });
    const { name: text = null, symbol = null, decimals = null } = metaAfter ?? meta ?? {};
    expect({ kind: row?.kind, name: shown(row?.name), symbol: shown(row?.symbol), decimals: row?.decimals }, name).toEqual({
      kind: KINDS[erc],
      name: textOf(text),
      symbol: textOf(symbol),
      decimals: decimalsOf(decimals),
    });
  }
}

async function checkClasses({ store, folder }: FollowedRecording): Promise<void> {
  const { contracts } = readJson<{ contracts: readonly Deployed[] }>(folder, "expected.json");
  const addressOf = (name: string) => contracts.find((contract) => contract.name === name)!.address.slice(2);
  const classed = [];
  for (const name of ["tri", "nix", "beasts", "nft", "wnat", "anon"]) {
    const row = await store.get(evmTokens, { chain: CHAIN, token: addressOf(name) });
    classed.push([name, row?.kind, row?.isWrapped]);
  }
  expect(classed).toEqual([
    ["tri", ERC20, false],
    ["nix", ERC20, false],
    ["beasts", ERC721, false],
    ["nft", ERC721, false],
    ["wnat", ERC20, true],
    // on the wire its log is an NFT's; nothing of the contract says otherwise
    ["anon", 0, false],
  ]);
}

/** By all recorded balances, not by samples. */
async function checkVerdicts({ store, folder, recording }: FollowedRecording): Promise<void> {
  const final = recording.accounts.at(-1)!;
  const { contracts } = readJson<{ contracts: readonly Deployed[] }>(folder, "expected.json");
  const verdictOf = async (token: string) => (await store.get(evmTokenChecks, { chain: CHAIN, token }))?.verdict;
  for await (const { key, value } of scanAll(store, evmTokens, { chain: CHAIN })) {
    const contract = contracts.find(({ address }) => address === `0x${key.token}`);
    if (contract === undefined || contract.erc === "UNKNOWN") {
      expect(await verdictOf(key.token), contract?.name ?? key.token).toBe(value.kind === 0 ? undefined : 2);
    } else if (contract.erc === "ERC-20") {
      const differences = [];
      for (const holder of Object.keys(final.accounts)) {
        const holding = { chain: CHAIN, holder: holder.slice(2), kind: ERC20, token: key.token, tokenId: tokenIdKey(0n) };
        const indexed = (await store.get(evmHoldings, holding))?.balance ?? 0n;
        if (indexed !== BigInt(final.erc20[contract.address]?.[holder] ?? 0)) differences.push(holder);
      }
      expect([await verdictOf(key.token), differences], contract.name).toEqual([differences.length > 0 ? 1 : 0, differences]);
    } else expect(await verdictOf(key.token), contract.name).toBe(0);
  }
}

async function checkNfts({ store, recording }: FollowedRecording): Promise<void> {
  const { erc721, uri1155 } = recording.accounts.at(-1)!;
  let read = 0;
  for await (const { key, value } of scanAll(store, evmNfts, { chain: CHAIN })) {
    const row = await store.get(evmNftMetadata, { ...key });
    const id = BigInt(`0x${key.tokenId}`).toString();
    const recorded = value.kind === ERC721 ? erc721[`0x${key.token}`]?.[id]?.uri : uri1155[`0x${key.token}`]?.[id];
    const uri = Buffer.from(row?.tokenUri ?? []).toString();
    expect(uri, `${key.token} ${id}`).toBe(recorded ?? "");
    const status = NFT_STATUSES[row!.status];
    if (uri.startsWith("data:")) {
      expect([status, Buffer.from(row!.metadata).toString()]).toEqual(["INDEXED", '{"name":"inline"}']);
      read++;
    } else if (recorded === "") expect(status).toBe("INVALID_TOKEN_URI");
    else expect(status).toBe(recorded == null ? "MISSING_TOKEN" : "UNINDEXED");
  }
  expect(read).toBeGreaterThan(0);
}

describe.each(EVM_RECORDINGS)("Contracts of %s", (name) => {
  test("are known by what they are, and named as they name themselves, whatever they answer", async () => {
    await withFollowedRecording(name, async (followed) => {
      await followed.quiet();
      await checkContracts(followed);
      await checkClasses(followed);
      await checkNfts(followed);
      await eventuallyHolds(() => checkVerdicts(followed));
    });
  });
});
