/** The route of an NFT's picture: which URI is asked for, and how each failure is told. */
import { expect, test } from "vitest";
import { getNftPicture } from "../../../../src/api/data/evm/nfts/get-picture.ts";
import { formatAddress } from "../../../../src/api/data/evm/present-token.ts";
import type { Change } from "../../../../src/base/table/table.ts";
import { ERC721, ERC1155 } from "../../../../src/evm/facts.ts";
import { tokenIdKey } from "../../../../src/evm/index/holding-rows.ts";
import { evmNfts } from "../../../../src/evm/index/tables.ts";
import { evmNftMetadata } from "../../../../src/evm/index/token-tables.ts";
import { statusNumber } from "../../../../src/evm/nft/nft-status.ts";
import { type Pictured, Pictures } from "../../../../src/evm/nft/pictures.ts";
import { network } from "../../../index/primary/utxos/utxo-world.ts";
import { ask } from "../staking/request.ts";
import { evmChain } from "./evm-chain.ts";
import { withIndexedChains } from "./indexed-store.ts";

const TOKEN = "71".repeat(20);
const CHAIN = 3;
const PNG = Buffer.from("89504e470d0a1a0a", "hex");

/** Remembers what was asked for, and answers with what a test says. */
class ToldPictures extends Pictures {
  readonly asked: string[] = [];
  answer: Pictured = { contentType: "image/png", content: PNG };

  override async get(...[uri]: Parameters<Pictures["get"]>): Promise<Pictured> {
    this.asked.push(uri);
    return this.answer;
  }
}

interface Nft {
  readonly tokenId: bigint;
  readonly kind: number;
  readonly metadata: object | undefined;
}

function rowsOf({ tokenId, kind, metadata }: Nft): Change[] {
  const key = { chain: CHAIN, token: TOKEN, tokenId: tokenIdKey(tokenId) };
  const nft = { table: evmNfts, key, value: { kind, owner: "a1".repeat(20), supply: 1n } } as Change;
  if (metadata === undefined) return [nft];
  const said = { tokenUri: Buffer.from("x"), status: statusNumber("INDEXED"), updatedAt: 0n, requestedAt: 0n };
  return [nft, { table: evmNftMetadata, key, value: { ...said, metadata: Buffer.from(JSON.stringify(metadata)) } } as Change];
}

const NFTS: readonly Nft[] = [
  { tokenId: 1n, kind: ERC721, metadata: { name: "One", imageUri: "https://pictures.example/{id}.png" } },
  { tokenId: 2n, kind: ERC1155, metadata: { imageUri: "ipfs://bafy/{id}.png" } },
  { tokenId: 3n, kind: ERC721, metadata: { name: "Three" } },
  { tokenId: 4n, kind: ERC721, metadata: undefined },
];

test("The picture is that of the metadata, and every reason why there is none is told", async () => {
  await withIndexedChains(new Map(), async (store) => {
    await store.commit(NFTS.flatMap(rowsOf));
    const pictures = new ToldPictures();
    const picture = (tokenId: string, chain = evmChain({ chain: CHAIN })) =>
      ask(
        getNftPicture,
        store,
        { network, clock: 0n, evmChain: chain, pictures },
        {},
        { params: { address: formatAddress(TOKEN), tokenId } },
      );

    expect((await picture("1")).body).toEqual({ contentType: "image/png", data: PNG.toString("base64") });
    await picture("2");
    expect(pictures.asked).toEqual(["https://pictures.example/{id}.png", `ipfs://bafy/${"2".padStart(64, "0")}.png`]);
    for (const tokenId of ["3", "4"])
      await expect(picture(tokenId)).rejects.toMatchObject({ status: 404, message: expect.stringContaining("names no picture") });
    await expect(picture("5")).rejects.toMatchObject({ status: 404, message: expect.stringContaining("has no NFT 5") });
    await expect(picture("x")).rejects.toMatchObject({ status: 400 });
    expect(pictures.asked.length).toBe(2);

    const { settings } = evmChain();
    const fetching = evmChain({ chain: CHAIN });
    const chains = { off: fetching, on: { ...fetching, settings: { ...settings, nfts: { ...settings.nfts, fetches: true } } } };
    for (const [problem, chain, status, words] of [
      ["UNINDEXED", chains.off, 404, "nfts.fetches"],
      ["UNINDEXED", chains.on, 404, "nfts.ipfsGateway"],
      ["BUSY", chains.on, 503, "ask again in a minute"],
      ["NO_PICTURE", chains.on, 404, "PNG, JPEG"],
      ["METADATA_CONTENT_TOO_LARGE", chains.on, 404, "1048576 bytes"],
      ["UNREACHABLE_TOKEN_URI", chains.on, 502, "tried again after ten minutes"],
      ["THROTTLED_TOKEN_URI", chains.on, 502, "tried again after ten minutes"],
      ["INVALID_TOKEN_URI_SCHEME", chains.on, 404, "use http, https or ipfs"],
    ] as const) {
      pictures.answer = { problem };
      await expect(picture("1", chain), problem).rejects.toMatchObject({ status, message: expect.stringContaining(words) });
    }
  });
});
