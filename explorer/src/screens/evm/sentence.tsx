/** One sentence about a transaction of an EVM chain: who did what to whom, and which tokens went where. It asks for nothing. */
import type { ComponentChildren } from "preact";
import type { components } from "../../api/data-api.d.ts";
import { Amount, count } from "../../components/amount.tsx";
import type { Coin } from "./evm-chain.tsx";
import { Coins, Method, NamedParty } from "./parts.tsx";
import { movementsOf, type TokenMovement, type Transfer } from "./token-movements.ts";
import { NftLink, TokenLink } from "./transfers.tsx";

interface EvmSentenceProps {
  readonly chain: Coin;
  readonly of: components["schemas"]["NativeTransaction"];
  readonly transfers?: readonly Transfer[];
}

export function EvmSentence({ chain, of, transfers = [] }: EvmSentenceProps) {
  const { chainId } = chain;
  const isFailed = of.txStatus === "0";
  const from = <NamedParty chainId={chainId} of={of.from} />;
  const to = <NamedParty chainId={chainId} of={of.to} />;
  const coins = of.value === "0" ? null : <Coins value={of.value} chain={chain} />;
  switch (of.method?.callType) {
    case "NATIVE_TRANSFER":
      return (
        <>
          {from} {isFailed ? "tried to send" : "sent"} {coins ?? <Coins value="0" chain={chain} />} to {to}
        </>
      );
    case "CONTRACT_CREATION":
      return (
        <>
          {from} {isFailed ? "tried to create a contract, and failed" : <>created the contract {to}</>}
          {coins && <> with {coins}</>}
        </>
      );
    default:
      return (
        <>
          {from} called{" "}
          <code>
            <Method of={of.method} chainId={chainId} contract={of.to.address} />
          </code>{" "}
          of {to}
          {coins && <> with {coins}</>}
          {isFailed ? ", which failed" : <Movements chainId={chainId} of={movementsOf(transfers)} />}
        </>
      );
  }
}

const MOST_TOKENS = 2;

function Movements({ chainId, of }: { readonly chainId: string; readonly of: readonly TokenMovement[] }) {
  if (of.length === 0) return null;
  return (
    <>
      :{" "}
      {of.slice(0, MOST_TOKENS).map((movement, i) => (
        <span key={movement.key}>
          {i > 0 && (of.length > MOST_TOKENS ? ", " : " and ")}
          <Movement chainId={chainId} of={movement} />
        </span>
      ))}
      {of.length > MOST_TOKENS && `, and ${of.length - MOST_TOKENS} more`}
    </>
  );
}

function Movement({ chainId, of }: { readonly chainId: string; readonly of: TokenMovement }) {
  const [recipient, ...others] = of.recipients;
  const recipients: ComponentChildren =
    recipient === undefined ? null : others.length > 0 ? (
      <> to {of.recipients.length} addresses</>
    ) : (
      <>
        {" "}
        to <NamedParty chainId={chainId} of={recipient} />
      </>
    );
  return (
    <>
      {of.verb} <Moved chainId={chainId} of={of} />
      {of.verb === "burned" ? null : recipients}
    </>
  );
}

function Moved({ chainId, of: { token, amount, tokenId } }: { readonly chainId: string; readonly of: TokenMovement }) {
  if (token.decimals !== undefined) {
    return (
      <>
        <Amount value={amount} decimals={token.decimals} /> <TokenLink chainId={chainId} of={token} />
      </>
    );
  }
  return (
    <>
      {amount > 1n && `${count(amount)} `}
      <TokenLink chainId={chainId} of={token} />{" "}
      {tokenId !== undefined && <NftLink chainId={chainId} address={token.address} tokenId={tokenId} />}
    </>
  );
}
