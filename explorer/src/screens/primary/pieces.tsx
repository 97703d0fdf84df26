/** Small parts that the screens of P, X and C share. */
import type { ComponentChildren } from "preact";
import { Amount } from "../../components/amount.tsx";
import { useAvaxId } from "../../components/asset-amount.tsx";
import { ChainName } from "../../components/chain-name.tsx";
import { ChainText } from "../../components/chain-text.tsx";
import { AddressId, Id } from "../../components/id.tsx";
import { Time } from "../../components/time.tsx";
import { type PrimaryAlias, to } from "../../router.ts";
import { EMPTY_ID, useChains } from "./chains.ts";
import type { AssetAmount } from "./flows.ts";

/** An amount in the asset's unit. An asset other than AVAX is named with its ID too: anybody can call an asset AVAX. */
export function Asset({ of: { assetId, amount, denomination, symbol, type } }: { readonly of: AssetAmount }) {
  const isAvax = useAvaxId() === assetId;
  if (isAvax) return <Amount value={amount} decimals={denomination} symbol={symbol} />;
  return (
    <>
      <Amount value={amount} decimals={type === "nft" ? 0 : denomination} /> {type === "nft" && "NFT "}
      <a href={to.asset(assetId)} class="unit" title={assetId}>
        {symbol === "" ? "of asset" : <ChainText text={symbol} longest={24} />} <code>{assetId.slice(0, 6)}…</code>
      </a>
    </>
  );
}

/** Amounts of several assets, one in a line; nothing if there is none. */
export function assets(amounts: readonly AssetAmount[]): ComponentChildren {
  if (amounts.length === 0) return undefined;
  return amounts.map((amount) => (
    <div key={`${amount.assetId} ${amount.type}`}>
      <Asset of={amount} />
    </div>
  ));
}

interface AddressProps {
  readonly address: string;
  readonly chain: PrimaryAlias | undefined;
  readonly hasCopy?: boolean;
}

/** An address of UTXOs with the letter of the chain on which they can be spent. */
export function Address({ address, chain, hasCopy = true }: AddressProps) {
  const text = chain === undefined || /^[PXC]-/.test(address) ? address : `${chain}-${address}`;
  return <AddressId value={text} href={to.address(text)} hasCopy={hasCopy} />;
}

export interface OwnersProps {
  readonly addresses: readonly string[];
  readonly threshold: number;
  /** Unix seconds from which they can sign */
  readonly locktime?: bigint | number | string | undefined;
  readonly chain?: PrimaryAlias | undefined;
}

/** Who must sign, and from when on. */
export function Owners({ addresses, threshold, locktime = 0, chain = "P" }: OwnersProps) {
  return (
    <>
      {addresses.length === 0 && <span class="quiet">nobody</span>}
      {addresses.length > 1 && (
        <div class="quiet">
          {threshold} of these {addresses.length} must sign
        </div>
      )}
      {addresses.map((address) => (
        <div key={address}>
          <Address address={address} chain={chain} />
        </div>
      ))}
      {BigInt(locktime) > 0n && (
        <div>
          who can sign from this time on: <Time seconds={locktime} />
        </div>
      )}
    </>
  );
}

export function Subnet({ id }: { readonly id: string }) {
  return id === EMPTY_ID ? <>the primary network</> : <Id value={id} href={to.subnet(id)} hasCopy />;
}

/** A chain of the primary network by its name, any other by its ID. */
export function Blockchain({ id }: { readonly id: string }) {
  const alias = useChains()?.aliasOf(id);
  return alias === undefined ? <Id value={id} href={to.blockchain(id)} hasCopy /> : <ChainName alias={alias} />;
}

/** A transaction, on whichever of the chains it is; without a link if that chain is not indexed here. */
export function TxLink({ id, chain }: { readonly id: string; readonly chain: PrimaryAlias | undefined }) {
  if (id === EMPTY_ID) return <>the genesis</>;
  return <Id value={id} href={chain && to.transaction(chain, id)} />;
}
