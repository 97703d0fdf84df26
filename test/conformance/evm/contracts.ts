/**
 * Compares the Data API's answers about contracts and NFTs with what their deployers declared and what the node returned at the end of the
 * recording.
 */
import { DataClient, pageSizeFor } from "../../api/data/oracle/client.ts";
import { type CheckResult, check } from "../check.ts";
import { deploymentAnswered } from "./answered.ts";
import { deploymentText, type Expectation } from "./expectation.ts";
import type { ExpectedContract, ExpectedMetadata } from "./recording.ts";
import { sameItems } from "./same-items.ts";

type Json = Readonly<Record<string, unknown>>;

/** More than a contract can mean; such decimals are none. */
const MOST_DECIMALS = 255;

export async function* checkContracts(url: string, expectation: Expectation): AsyncGenerator<CheckResult> {
  const client = new DataClient(url);
  const { recording } = expectation;
  const chain = `/chains/${recording.chainId}`;
  for (const contract of recording.contracts) {
    const path = `/addresses/${contract.address}`;
    yield* checkMetadata(`${path} (${contract.name})`, await client.get(`${chain}${path}`), contract);
  }
  const state = recording.states.at(-1)!;
  for (const [collection, ids] of Object.entries(state.erc721)) {
    const expected = Object.entries(ids).flatMap(([id, { owner, uri }]) =>
      owner === null ? [] : [{ id, text: `ERC-721 ${id} of ${owner} at ${uri ?? ""}` }],
    );
    yield* checkCollection(client, chain, collection, expected);
  }
  for (const [collection, ids] of Object.entries(state.erc1155)) {
    const uris = state.uri1155[collection] ?? {};
    const expected = Object.keys(ids).map((id) => ({ id, text: `ERC-1155 ${id} of - at ${uris[id] ?? ""}` }));
    yield* checkCollection(client, chain, collection, expected);
  }
  for (const { address, erc } of recording.contracts) {
    if (erc === "ERC-20" || erc === "UNKNOWN") yield* checkCollection(client, chain, address, []);
  }
}

function* checkMetadata(name: string, answered: Json, contract: ExpectedContract): Generator<CheckResult> {
  const { erc, meta, metaAfter, address, deployTx, deployer, deployerContract } = contract;
  yield check(`${name}: ercType`, answered.ercType === erc ? undefined : `got ${answered.ercType}, expected ${erc}`);
  yield* sameItems(`${name}: deployment`, [deploymentAnswered(answered)], [deploymentText(address, deployTx, deployer, deployerContract)]);
  if (meta === undefined) return;
  const expected: ExpectedMetadata = metaAfter ?? meta;
  for (const member of ["name", "symbol"] as const) {
    // ERC-1155 has a symbol in this model too; an empty text and none look the same to clients
    const got = (answered[member] ?? "") as string;
    const wanted = expected[member];
    const isSame = wanted === null || typeof wanted === "string" ? got === (wanted ?? "") : isPartOf(got, wanted);
    yield check(`${name}: ${member}`, isSame ? undefined : `got ${JSON.stringify(got)}, expected ${JSON.stringify(wanted)}`);
  }
  const decimals = expected.decimals === null || Number(expected.decimals) > MOST_DECIMALS ? 0 : Number(expected.decimals);
  if (erc === "ERC-20")
    yield check(`${name}: decimals`, answered.decimals === decimals ? undefined : `got ${answered.decimals}, expected ${decimals}`);
}

/** A gigantic text is cut, or left out. */
function isPartOf(text: string, { byte, length }: { byte: string; length: number }): boolean {
  return text.length < length && [...text].every((letter) => letter === byte);
}

/** Tokens of a collection by rising ID, and each one alone. */
async function* checkCollection(
  client: DataClient,
  chain: string,
  collection: string,
  expected: readonly { readonly id: string; readonly text: string }[],
): AsyncGenerator<CheckResult> {
  const path = `/nfts/collections/${collection}/tokens`;
  const sorted = expected.toSorted((a, b) => (BigInt(a.id) < BigInt(b.id) ? -1 : 1));
  const items = (await client.walk(`${chain}${path}`, "tokens", { pageSize: pageSizeFor(expected.length, 100, 1) })) as Json[];
  yield* sameItems(
    path,
    items.map(nftText),
    sorted.map(({ text }) => text),
  );
  for (const { id, text } of sorted) {
    const one = nftText(await client.get(`${chain}${path}/${id}`));
    yield check(`${path}/${id}`, one === text ? undefined : `got ${one}\n  expected ${text}`);
  }
}

function nftText({ tokenId, ownerAddress, tokenUri, ercType }: Json): string {
  return `${ercType} ${tokenId} of ${(ownerAddress as string | undefined)?.toLowerCase() ?? "-"} at ${tokenUri}`;
}
