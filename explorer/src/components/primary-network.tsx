/** Screens of the primary network, on servers that have it. */
import type { ComponentChildren } from "preact";
import { useOverview } from "../api/overview.ts";
import { Answer } from "./states.tsx";
import { Title } from "./title.tsx";

export function OfPrimaryNetwork({ children }: { readonly children: ComponentChildren }) {
  return <Answer of={useOverview()}>{({ chains }) => (chains.length === 0 ? <NoPrimaryNetwork /> : children)}</Answer>;
}

function NoPrimaryNetwork() {
  return (
    <>
      <Title text="Not on this server" />
      <p>This server has EVM chains only. Blocks, transactions and validators of P, X and C are on one that follows the primary network.</p>
    </>
  );
}
