/**
 * An NFT: its metadata as text, who has it, and its picture as the server has it; no other host is asked. Three requests, one more
 * for the picture, and of ERC-1155 one for the first holders.
 */
import { answerOf, data } from "../../api/client.ts";
import type { components } from "../../api/data-api.d.ts";
import { useAnswer } from "../../api/queries.ts";
import { count } from "../../components/amount.tsx";
import { ChainText } from "../../components/chain-text.tsx";
import { Fact, Facts } from "../../components/facts.tsx";
import { Id } from "../../components/id.tsx";
import type { Params } from "../../components/screen.tsx";
import { Answer } from "../../components/states.tsx";
import type { Column } from "../../components/table.tsx";
import { Time } from "../../components/time.tsx";
import { Title } from "../../components/title.tsx";
import { to } from "../../router.ts";
import { type EvmChain, OfChain } from "./evm-chain.tsx";
import { FirstOf } from "./first-of.tsx";
import { attributesOf, type NftAttribute } from "./nft-attributes.ts";
import { NftPicture } from "./nft-picture.tsx";
import { TokenHolders, TokenTransfers } from "./token-lists.tsx";
import { TokenLink } from "./transfers.tsx";

type Nft = components["schemas"]["Token"];

export function NftScreen({ params }: { readonly params: Params }) {
  return (
    <OfChain chainId={params.chainId!}>
      {(chain) => <NftOfChain chain={chain} address={params.address!} tokenId={params.tokenId!} />}
    </OfChain>
  );
}

interface NftProps {
  readonly chain: EvmChain;
  readonly address: string;
  readonly tokenId: string;
}

function NftOfChain({ chain: { chainId }, address, tokenId }: NftProps) {
  const nft = useAnswer(
    ["evmNft", chainId, address, tokenId],
    () =>
      answerOf(
        data.GET("/v1/chains/{chainId}/nfts/collections/{address}/tokens/{tokenId}", { params: { path: { chainId, address, tokenId } } }),
      ),
    { follows: chainId },
  );
  const name = nft.data?.metadata.name;
  return (
    <>
      <Title text={name ? `NFT ${name}` : "NFT"}>{name ? <ChainText text={name} longest={80} /> : "NFT"}</Title>
      <Answer of={nft}>
        {(answer) => (
          <>
            <div class="nft">
              <NftPicture chainId={chainId} of={answer} />
              <section class="card">
                <NftFacts chainId={chainId} of={answer} />
              </section>
            </div>
            <Attributes of={answer} />
            {answer.ercType === "ERC-1155" && (
              <section class="card">
                <h2>Holders</h2>
                <TokenHolders chainId={chainId} address={address} token={undefined} tokenId={tokenId} />
              </section>
            )}
            <section class="card">
              <h2>Transfers</h2>
              <TokenTransfers chainId={chainId} address={address} tokenId={tokenId} />
            </section>
          </>
        )}
      </Answer>
    </>
  );
}

const STATUS: Readonly<Record<Nft["metadata"]["indexStatus"], string>> = {
  UNKNOWN: "not read yet",
  MISSING_TOKEN: "the contract has no such token",
  INVALID_TOKEN_URI: "the contract returned no valid URI",
  INVALID_TOKEN_URI_SCHEME: "the URI has a scheme that this server does not read",
  UNREACHABLE_TOKEN_URI: "the URI could not be read",
  THROTTLED_TOKEN_URI: "the URI's server wants to be asked later",
  METADATA_CONTENT_TOO_LARGE: "too long to be read",
  INVALID_METADATA: "not as the standard says",
  INVALID_METADATA_JSON: "not JSON",
  INDEXED: "read",
  UNINDEXED: "not read: this server does not fetch from other servers",
};

function NftFacts({ chainId, of }: { readonly chainId: string; readonly of: Nft }) {
  const { address, tokenId, tokenUri, ercType, metadata } = of;
  const collection = "name" in of ? { address, name: of.name, symbol: of.symbol } : { address };
  const owner = "ownerAddress" in of ? of.ownerAddress : undefined;
  return (
    <Facts>
      <Fact name="Token ID">
        <Id value={tokenId} isWhole />
      </Fact>
      <Fact name="Collection">
        <TokenLink chainId={chainId} of={collection} />
      </Fact>
      <Fact name="Contract">
        <Id value={address} href={to.contract(chainId, address)} isWhole />
      </Fact>
      <Fact name="Standard">{ercType}</Fact>
      {ercType === "ERC-721" && (
        <Fact name="Owner">
          {owner === undefined ? "nobody: it was burned" : <Id value={owner} href={to.evmAddress(chainId, owner)} isWhole />}
        </Fact>
      )}
      <Fact name="Description">{metadata.description && <ChainText text={metadata.description} longest={2000} />}</Fact>
      {/* URIs are text: a link to any server that a contract names would be a trap */}
      <Fact name="Token URI">{tokenUri === "" ? "none" : <Uri text={tokenUri} />}</Fact>
      <Fact name="Image">{metadata.imageUri && <Uri text={metadata.imageUri} />}</Fact>
      <Fact name="Animation">{metadata.animationUri && <Uri text={metadata.animationUri} />}</Fact>
      <Fact name="Web page">{metadata.externalUrl && <ChainText text={metadata.externalUrl} />}</Fact>
      <Fact name="Metadata">
        {STATUS[metadata.indexStatus]}
        {metadata.metadataLastUpdatedTimestamp !== undefined && (
          <>
            , <Time seconds={metadata.metadataLastUpdatedTimestamp} />
          </>
        )}
      </Fact>
    </Facts>
  );
}

/** One that contains its data is long, and nobody reads it. */
function Uri({ text }: { readonly text: string }) {
  const [, type] = /^data:([^,;]*)[^,]*,/.exec(text) ?? [];
  if (type === undefined) return <ChainText text={text} />;
  return (
    <details>
      <summary>
        <ChainText text={type || "text"} longest={60} /> in the contract, {count(text.length)} characters
      </summary>
      <ChainText text={text} longest={4000} />
    </details>
  );
}

const COLUMNS: readonly Column<NftAttribute>[] = [
  { name: "Name", cell: ({ name }) => <ChainText text={name} /> },
  { name: "Value", cell: ({ value }) => <ChainText text={value} /> },
];

function Attributes({ of: { metadata } }: { readonly of: Nft }) {
  const attributes = attributesOf(
    "attributes" in metadata ? metadata.attributes : "properties" in metadata ? metadata.properties : undefined,
  );
  if (attributes.length === 0) return null;
  return (
    <section class="card">
      <h2>Attributes</h2>
      <FirstOf label="Attributes" columns={COLUMNS} items={attributes} keyOf={({ key }) => key} />
    </section>
  );
}
