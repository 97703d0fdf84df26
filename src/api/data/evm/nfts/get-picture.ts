import Type from "typebox";
import { ERC1155 } from "../../../../evm/facts.ts";
import { tokenIdKey } from "../../../../evm/index/holding-rows.ts";
import { evmNftMetadata } from "../../../../evm/index/token-tables.ts";
import { PICTURE_TYPES, type PictureType } from "../../../../evm/nft/picture-type.ts";
import { MAX_PICTURE_BYTES, type PictureProblem } from "../../../../evm/nft/pictures.ts";
import { uriOfToken } from "../../../../evm/tokens/token-uri.ts";
import { DataError, notFound } from "../../errors.ts";
import { namedObject } from "../../named-object.ts";
import { dataRoute } from "../../route.ts";
import type { EvmReading, NftId } from "../present-token.ts";
import { nftParams, readNft } from "./read-nft.ts";

export const getNftPicture = dataRoute({
  method: "GET",
  path: "/chains/{chainId}/nfts/collections/{address}/tokens/{tokenId}/picture",
  operationId: "getNftPicture",
  tag: "EVM: NFTs",
  summary: "The picture that the metadata of an NFT names.",
  description:
    "PNG, JPEG, GIF, WebP, AVIF or SVG, up to 1 MiB. One in a `data:` URI is always shown. Others are fetched by this server, with the care and " +
    "under the conditions of metadata (`nfts.fetches`), few at a time, and kept for an hour; what could not be fetched is tried again after ten " +
    "minutes. 404 if there is no picture, 502 if it could not be fetched, 503 if too many are asked for. Strangers make these pictures: an SVG " +
    "can contain scripts, so show it only as an image.",
  cost: "4 rows, and at most one request to the picture's server",
  computeUnits: 50,
  evm: "chain",
  params: nftParams,
  query: Type.Object({}),
  response: namedObject("NftPicture", {
    contentType: Type.Unsafe<PictureType>(
      Type.Union(
        PICTURE_TYPES.map((type) => Type.Literal(type)),
        { description: "What the bytes are, whatever their server says." },
      ),
    ),
    data: Type.String({ description: "base64" }),
  }),
  async handle({ params }, context) {
    const nft = await readNft(params, context);
    const pictured = await context.pictures.get(await pictureUri(nft, context), context.evmChain.settings.nfts);
    if ("problem" in pictured) throw refusal(pictured.problem, nft, context);
    return { contentType: pictured.contentType, data: pictured.content.toString("base64") };
  },
});

/** Throws 404. In URIs of ERC-1155, also in those of pictures, `{id}` stands for the token. */
async function pictureUri({ kind, token, tokenId }: NftId, { reader, evmChain }: EvmReading): Promise<string> {
  const row = await reader.get(evmNftMetadata, { chain: evmChain.chain, token, tokenId: tokenIdKey(tokenId) });
  const metadata = row === undefined || row.metadata.length === 0 ? {} : (JSON.parse(Buffer.from(row.metadata).toString()) as object);
  const uri = "imageUri" in metadata && typeof metadata.imageUri === "string" ? metadata.imageUri : undefined;
  if (uri === undefined) throw notFound(`the metadata of NFT ${tokenId}, as far as it is known here, names no picture`);
  return kind === ERC1155 ? uriOfToken(uri, tokenId) : uri;
}

function refusal(problem: PictureProblem, { tokenId }: NftId, { evmChain }: EvmReading): DataError {
  const picture = `the picture of NFT ${tokenId}`;
  switch (problem) {
    case "BUSY":
      return new DataError(503, "too many pictures of NFTs are being fetched; ask again in a minute");
    case "UNINDEXED": {
      const setting = evmChain.settings.nfts.fetches ? "nfts.ipfsGateway" : "nfts.fetches";
      return notFound(
        `${picture} is not in the contract, and is not fetched; the operator can allow that with ${setting} of the chain's settings`,
      );
    }
    case "NO_PICTURE":
      return notFound(`${picture} is not one: PNG, JPEG, GIF, WebP, AVIF and SVG are shown`);
    case "METADATA_CONTENT_TOO_LARGE":
      return notFound(`${picture} has more than ${MAX_PICTURE_BYTES} bytes; larger ones are not shown`);
    case "THROTTLED_TOKEN_URI":
    case "UNREACHABLE_TOKEN_URI":
      return new DataError(502, `${picture} could not be fetched from its server; it is tried again after ten minutes`);
    default:
      return notFound(`the URI of ${picture} is not one that is fetched: use http, https or ipfs`);
  }
}
