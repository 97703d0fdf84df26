/** The name of a chain in its colour. */
import { ChainText } from "./chain-text.tsx";

export function ChainName({ alias, name }: { readonly alias: string; readonly name?: string }) {
  return (
    <span class={/^[PXC]$/.test(alias) ? `chain-name ${alias}` : "chain-name"}>
      {name === undefined ? /^[PXC]$/.test(alias) ? `${alias}-chain` : `chain ${alias}` : <ChainText text={name} longest={40} />}
    </span>
  );
}
