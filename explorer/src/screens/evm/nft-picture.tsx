/**
 * The picture of an NFT, which a stranger made. Only the server fetches it, if it is allowed to; here it is shown as an image, in which
 * nothing runs. One request, if there can be a picture.
 */
import { answerOf, data } from "../../api/client.ts";
import type { components } from "../../api/data-api.d.ts";
import { ApiError } from "../../api/errors.ts";
import { useOverview } from "../../api/overview.ts";
import { useAnswer } from "../../api/queries.ts";
import { spelled } from "../../components/chain-text.tsx";
import { Answer } from "../../components/states.tsx";

interface NftPictureProps {
  readonly chainId: string;
  readonly of: components["schemas"]["Token"];
}

export function NftPicture({ chainId, of: { address, tokenId, metadata } }: NftPictureProps) {
  const { data: overview } = useOverview();
  const { imageUri = "", name } = metadata;
  const isFetched = overview?.evmChains.find(({ evmChainId }) => evmChainId === chainId)?.nftPictures ?? false;
  const canBeHad = imageUri !== "" && (isFetched || imageUri.startsWith("data:"));
  const picture = useAnswer(
    ["nftPicture", chainId, address, tokenId, imageUri],
    () =>
      answerOf(
        data.GET("/v1/chains/{chainId}/nfts/collections/{address}/tokens/{tokenId}/picture", {
          params: { path: { chainId, address, tokenId } },
        }),
      ),
    { isWanted: canBeHad, isRetried: false },
  );
  if (imageUri === "" || overview === undefined) return null;
  return (
    <section class="card">
      <h2>Picture</h2>
      {!canBeHad ? (
        <p>This server does not fetch pictures. Its operator can allow that with nfts.fetches of the chain's settings.</p>
      ) : picture.error instanceof ApiError && !picture.data ? (
        <p>{picture.error.message}</p>
      ) : (
        <Answer of={picture}>
          {({ contentType, data: base64 }) => (
            <img
              class="nft-picture"
              src={`data:${contentType};base64,${base64}`}
              alt={name ? `Picture of ${spelled(name)}` : `Picture of NFT ${tokenId}`}
            />
          )}
        </Answer>
      )}
    </section>
  );
}
