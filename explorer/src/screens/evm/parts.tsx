/** What several screens of EVM chains show in the same way. */
import type { ComponentChildren } from "preact";
import type { components } from "../../api/data-api.d.ts";
import { ApiError } from "../../api/errors.ts";
import { Amount } from "../../components/amount.tsx";
import { ChainText } from "../../components/chain-text.tsx";
import { AddressId } from "../../components/id.tsx";
import { to } from "../../router.ts";
import { signatureOf } from "./abi/abi-item.ts";
import { useAbi } from "./abi/abi-store.ts";
import type { Coin } from "./evm-chain.tsx";
import { isNobody } from "./token-movements.ts";

type RichAddress = components["schemas"]["RichAddress"];

const LONGEST_NAME = 40;

/** An address with the name that it is known by. */
export function Party({ chainId, of: { address, name }, isWhole }: { chainId: string; of: RichAddress; isWhole?: boolean }) {
  return (
    <>
      <AddressId value={address} href={to.evmAddress(chainId, address)} {...(isWhole && { isWhole })} />
      {name !== undefined && name !== "" && (
        <>
          {" "}
          <span class="quiet">
            <ChainText text={name} longest={LONGEST_NAME} />
          </span>
        </>
      )}
    </>
  );
}

interface HolderProps {
  readonly chainId: string;
  readonly of: RichAddress;
  /** what it means that tokens come from, or go to, the zero address */
  readonly ifNobody: "mint" | "burn";
}

/** One end of a token transfer. */
export function Holder({ chainId, of, ifNobody }: HolderProps) {
  return isNobody(of.address) ? (
    <span class="badge" title={of.address}>
      {ifNobody}
    </span>
  ) : (
    <Party chainId={chainId} of={of} />
  );
}

/** A contract by its name, if it has one, else by its address; for sentences. */
export function NamedParty({ chainId, of: { address, name } }: { readonly chainId: string; readonly of: RichAddress }) {
  if (!name) return <AddressId value={address} href={to.evmAddress(chainId, address)} />;
  return (
    <a href={to.evmAddress(chainId, address)} title={address}>
      <ChainText text={name} longest={LONGEST_NAME} />
    </a>
  );
}

/** An amount of the chain's coin. */
export function Coins({ value, chain: { decimals, symbol } }: { readonly value: string | bigint; readonly chain: Coin }) {
  return <Amount value={value} decimals={decimals} symbol={symbol} />;
}

const GWEI_DECIMALS = 9;

/** A price of gas, in wei. */
export function GasPrice({ value, hasUnit = true }: { readonly value: string | bigint; readonly hasUnit?: boolean }) {
  return <Amount value={value} decimals={GWEI_DECIMALS} symbol={hasUnit ? "gwei" : undefined} />;
}

interface BaseFeeProps {
  /** wei */
  readonly value: string;
  readonly isBound?: boolean | undefined;
  readonly hasUnit?: boolean;
}

/** The price that a block names; some headers give only a bound of it. */
export function BaseFee({ value, isBound = false, hasUnit = true }: BaseFeeProps) {
  return (
    <>
      {isBound && <span class="quiet">at most </span>}
      <GasPrice value={value} hasUnit={hasUnit} />
    </>
  );
}

export interface MethodProps {
  readonly of: components["schemas"]["Method"] | undefined;
  readonly chainId: string;
  readonly contract: string;
  /** with its parameters' types */
  readonly isWhole?: boolean;
}

/** What a transaction called: the name, by the ABI that the user gave for the contract, or else by what the server knows. */
export function Method({ of, chainId, contract, isWhole = false }: MethodProps) {
  const given = useAbi(chainId, contract)?.index.functions.get(of?.methodHash ?? "");
  if (of === undefined) return null;
  if (of.callType === "NATIVE_TRANSFER") return <>transfer of coins</>;
  if (of.callType === "CONTRACT_CREATION") return <>contract creation</>;
  const name = given === undefined ? of.methodName : signatureOf(given);
  if (isWhole) return <ChainText text={name ?? of.methodHash} />;
  return (
    <span title={name}>
      <ChainText text={name?.split("(", 1)[0] || of.methodHash} longest={LONGEST_NAME} />
    </span>
  );
}

/** The part of a second that a block's time has beyond `Time`. */
export function Milliseconds({ of }: { readonly of: number | undefined }) {
  const rest = (of ?? 0) % 1000;
  return rest === 0 ? null : <span class="quiet"> and {rest} ms</span>;
}

export function Outcome({ status }: { readonly status: "0" | "1" }) {
  return status === "1" ? <span class="badge good">succeeded</span> : <span class="badge bad">failed</span>;
}

/** What this server may not have: logs of blocks that an older Firn indexed, calls without a node. Its sentence then says why. */
export function IfAvailable({ of: { data, error }, children }: { of: { data: unknown; error: unknown }; children: ComponentChildren }) {
  if (data === undefined && error instanceof ApiError && error.status === 503) return <p class="notice">{sentence(error.message)}</p>;
  return <>{children}</>;
}

function sentence(message: string): string {
  return `${message.slice(0, 1).toUpperCase()}${message.slice(1)}${message.endsWith(".") ? "" : "."}`;
}
