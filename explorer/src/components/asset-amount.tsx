/** An amount of an asset of the primary network. Anybody can name an asset AVAX, so the ID stands beside every asset but AVAX itself. */
import { rpc } from "../api/client.ts";
import { useAnswer } from "../api/queries.ts";
import { to } from "../router.ts";
import { Amount } from "./amount.tsx";
import { Id } from "./id.tsx";

export interface NamedAsset {
  readonly assetId: string;
  readonly symbol: string;
  /** decimal places */
  readonly denomination: number;
  readonly type: "secp256k1" | "nft";
}

/** The asset ID of AVAX in this network: undefined until it is known. One request for all of the explorer. */
export function useAvaxId(): string | undefined {
  return useAnswer(["platform.getStakingAssetID"], () => rpc<{ assetID: string }>("bc/P", "platform.getStakingAssetID")).data?.assetID;
}

export function AssetAmount({ amount, asset: { assetId, symbol, denomination, type } }: { amount: bigint; asset: NamedAsset }) {
  const isAvax = useAvaxId() === assetId;
  const isNft = type === "nft";
  return (
    <>
      <Amount value={amount} decimals={isNft ? 0 : denomination} symbol={symbol} />
      {isNft && <span class="quiet"> (NFT)</span>} {!isAvax && <Id value={assetId} href={to.asset(assetId)} />}
    </>
  );
}
