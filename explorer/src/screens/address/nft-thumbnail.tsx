/**
 * A small picture of an NFT in a list, which a stranger made; nothing runs in it. It is asked for when it comes into view, two at a time. One
 * that cannot be had is left out: the NFT's own screen says why.
 */
import { useEffect, useRef, useState } from "preact/hooks";
import { answerOf, data } from "../../api/client.ts";
import type { components } from "../../api/data-api.d.ts";
import { useAnswer } from "../../api/queries.ts";
import { spelled } from "../../components/chain-text.tsx";
import { inTurn } from "./in-turn.ts";

interface NftThumbnailProps {
  readonly nft: components["schemas"]["CollectibleBalance"];
  /** whether the server fetches pictures for this chain */
  readonly isFetched: boolean;
}

export function NftThumbnail({ nft: { chainId, address, tokenId, metadata }, isFetched }: NftThumbnailProps) {
  const { imageUri = "", name } = metadata;
  const place = useRef<HTMLSpanElement>(null);
  const [isSeen, setSeen] = useState(false);
  const canBeHad = imageUri !== "" && (isFetched || imageUri.startsWith("data:"));
  useEffect(() => {
    if (!canBeHad || place.current === null) return;
    const observer = new IntersectionObserver((entries) => entries.some(({ isIntersecting }) => isIntersecting) && setSeen(true));
    observer.observe(place.current);
    return () => observer.disconnect();
  }, [canBeHad]);
  const path = { chainId, address, tokenId };
  const picture = useAnswer(
    ["nftPicture", chainId, address, tokenId, imageUri],
    () =>
      inTurn(() => answerOf(data.GET("/v1/chains/{chainId}/nfts/collections/{address}/tokens/{tokenId}/picture", { params: { path } }))),
    { isWanted: isSeen, isRetried: false },
  );
  return (
    <span ref={place} class="nft-thumbnail">
      {picture.data !== undefined && (
        <img
          src={`data:${picture.data.contentType};base64,${picture.data.data}`}
          alt={name ? `Picture of ${spelled(name.slice(0, 60))}` : `Picture of NFT ${tokenId}`}
        />
      )}
    </span>
  );
}
