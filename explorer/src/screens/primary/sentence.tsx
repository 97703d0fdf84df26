/** One sentence about a transaction of P or X, or an import or export of C: who did what to whom. It asks for nothing. */
import type { ComponentChildren } from "preact";
import { ChainName } from "../../components/chain-name.tsx";
import { ChainText } from "../../components/chain-text.tsx";
import { AddressId, Id } from "../../components/id.tsx";
import { Day, duration } from "../../components/time.tsx";
import { type PrimaryAlias, to } from "../../router.ts";
import { type Chains, EMPTY_ID, useChains } from "./chains.ts";
import { type AssetAmount, type Flow, type Flows, flowsOf, type PlatformTransaction, stakesOf, type Transaction } from "./flows.ts";
import type { Unsigned } from "./members.tsx";
import { type Move, movesOf, type Recipient, type Verb } from "./moves.ts";
import { Address, Asset } from "./pieces.tsx";
import { realType, txType } from "./tx-types.ts";

export interface SentenceProps {
  readonly chain: PrimaryAlias;
  readonly tx: Transaction;
  /** from the node's JSON, where it was asked for */
  readonly unsigned?: Unsigned | undefined;
}

export function PrimarySentence({ chain, tx, unsigned }: SentenceProps) {
  const chains = useChains();
  if (chains === undefined) return null;
  const flows = flowsOf(tx, stakesOf(unsigned));
  const told: Told = {
    chain,
    chains,
    flows,
    moves: movesOf(tx, flows, chains.idOf(chain)!),
    type: realType(tx.txType, unsigned),
    unsigned,
  };
  return (
    <>
      {("amountBurned" in tx ? platformSentence(tx, told) : undefined) ??
        assetSentence(tx, told) ??
        txType(chain, told.type).text.replace(/\.$/, "")}
    </>
  );
}

interface Told {
  readonly chain: PrimaryAlias;
  readonly chains: Chains;
  readonly flows: Flows;
  readonly moves: readonly Move[];
  readonly type: string;
  readonly unsigned: Unsigned | undefined;
}

function platformSentence(tx: PlatformTransaction, told: Told): ComponentChildren {
  const who = <Who {...told} />;
  const subnet = <OfSubnet id={tx.subnetId} />;
  switch (told.type) {
    case "AddValidatorTx":
    case "AddPermissionlessValidatorTx":
      return (
        <>
          {who} staked <Sum of="staked" {...told} /> so that <Node of={tx} /> validates {subnet}
          <Until of={tx} />
        </>
      );
    case "AddDelegatorTx":
    case "AddPermissionlessDelegatorTx":
      return (
        <>
          <Node of={tx} /> was delegated <Sum of="staked" {...told} /> by {who}
          {tx.subnetId !== undefined && tx.subnetId !== EMPTY_ID && <> on {subnet}</>}
          <Until of={tx} />
        </>
      );
    case "AddAutoRenewedValidatorTx":
      return (
        <>
          {who} staked <Sum of="staked" {...told} /> so that <Node of={tx} /> validates {subnet}
          {tx.period !== undefined && `, in cycles of ${duration(tx.period)}`}
        </>
      );
    case "SetAutoRenewedValidatorConfigTx":
      return (
        <>
          {who} changed how <Node of={tx} /> goes on after its cycle
        </>
      );
    case "RewardValidatorTx":
    case "RewardAutoRenewedValidatorTx":
      return (
        <>
          A {told.type === "RewardValidatorTx" ? "staking period" : "cycle"} of <Node of={tx} /> ended: <Rewarded {...told} />
        </>
      );
    case "AddSubnetValidatorTx":
      return (
        <>
          <Node of={tx} /> was made a validator of {subnet}
          <Until of={tx} />
        </>
      );
    case "RemoveSubnetValidatorTx":
      return (
        <>
          <Node of={tx} /> was removed from {subnet}
        </>
      );
    case "CreateSubnetTx":
      return (
        <>
          {who} created <OfSubnet id={tx.txHash} />
        </>
      );
    case "CreateChainTx":
      return (
        <>
          {who} created the blockchain{" "}
          <a href={to.blockchain(tx.txHash)}>{tx.blockchainInfo && <ChainText text={tx.blockchainInfo.chainName} longest={40} />}</a> in{" "}
          {subnet}
        </>
      );
    case "TransferSubnetOwnershipTx":
      return (
        <>
          {who} gave {subnet} to{" "}
          {tx.subnetOwnershipInfo && <Recipients of={[{ owners: tx.subnetOwnershipInfo.addresses, isAccount: false }]} chain="P" />}
        </>
      );
    case "TransformSubnetTx":
      return (
        <>
          {who} opened {subnet} to everybody who stakes
        </>
      );
    case "AdvanceTimeTx":
      return typeof told.unsigned?.time === "number" ? (
        <>
          The time of the P-chain moved to <Day seconds={told.unsigned.time} isWithTime />
        </>
      ) : undefined;
    default:
      return l1Sentence(tx, told);
  }
}

function l1Sentence(tx: PlatformTransaction, told: Told): ComponentChildren {
  const [validator] = tx.l1ValidatorDetails ?? [];
  const subnet = <OfSubnet id={tx.subnetId ?? validator?.subnetId} kind="L1" />;
  const node = validator && <Id value={validator.nodeId} href={to.l1Validator(validator.validationId)} />;
  switch (told.type) {
    case "ConvertSubnetToL1Tx": {
      const count = tx.l1ValidatorDetails?.length ?? 0;
      return (
        <>
          <Who {...told} /> made {subnet} of a subnet, with {count === 1 ? "1 validator" : `${count} validators`} and{" "}
          <Sum of="paid in" {...told} /> for them
        </>
      );
    }
    case "RegisterL1ValidatorTx":
      return (
        <>
          {node} became a validator of {subnet}, with <Sum of="paid in" {...told} /> paid in
        </>
      );
    case "SetL1ValidatorWeightTx":
      return validator === undefined || `${validator.weight}` === "0" ? (
        <>
          {node ?? "A validator"} was removed from {subnet}
        </>
      ) : (
        <>
          The weight of {node} in {subnet} was set to {BigInt(validator.weight).toLocaleString("en")}
        </>
      );
    case "IncreaseL1ValidatorBalanceTx":
      return (
        <>
          <Who {...told} /> paid <Sum of="paid in" {...told} /> into the balance of {node} in {subnet}
        </>
      );
    case "DisableL1ValidatorTx":
      return (
        <>
          {node} was disabled in {subnet}
          {told.moves.some(({ verb }) => verb === "returned") && (
            <>
              , and <Sum of="returned" {...told} /> of its balance returned
            </>
          )}
        </>
      );
    default:
      return undefined;
  }
}

/** Kinds that P, X and C have in common, and those of X. */
function assetSentence(tx: Transaction, told: Told): ComponentChildren {
  const { chain, type, moves } = told;
  const [source, destination] = "sourceChain" in tx ? [tx.sourceChain, tx.destinationChain] : [undefined, undefined];
  const between = (verb: Verb) => (
    <>
      <Who {...told} /> moved <Sum of={verb} {...told} /> from <NameOf id={source} {...told} /> to <NameOf id={destination} {...told} />
    </>
  );
  switch (type) {
    case "BaseTx":
      return moves.some(({ verb }) => verb === "paid") ? (
        <>
          <Who {...told} /> sent <Sum of="paid" {...told} /> to <Recipients of={recipientsOf("paid", moves)} chain={chain} />
        </>
      ) : (
        <>
          <Who {...told} /> sent outputs to itself
        </>
      );
    case "ImportTx":
      return between("imported");
    case "ExportTx":
      return between("exported");
    case "CreateAssetTx":
      return (
        <>
          <Who {...told} /> created the asset{" "}
          <a href={to.asset(tx.txHash)}>
            {"assetCreated" in tx && tx.assetCreated && <ChainText text={tx.assetCreated.name} longest={40} />}
          </a>
          {moves.some(({ verb }) => verb === "minted") && (
            <>
              , of which <Sum of="minted" {...told} /> were minted
            </>
          )}
        </>
      );
    case "OperationTx":
      return operation(told);
    default:
      return undefined;
  }
}

function operation({ moves, ...told }: Told): ComponentChildren {
  const did = (["minted", "paid"] as const).filter((verb) => moves.some((move) => move.verb === verb));
  if (did.length === 0) {
    return (
      <>
        <Who {...told} /> used rights of an asset
      </>
    );
  }
  return (
    <>
      <Who {...told} />{" "}
      {did.map((verb, i) => (
        <span key={verb}>
          {i > 0 && " and "}
          {verb === "paid" ? "sent" : "minted"} <Sum of={verb} moves={moves} />
          {verb === "paid" && (
            <>
              {" "}
              to <Recipients of={recipientsOf("paid", moves)} chain="X" />
            </>
          )}
        </span>
      ))}
    </>
  );
}

function recipientsOf(verb: Verb, moves: readonly Move[]): readonly Recipient[] {
  return moves.find((move) => move.verb === verb)?.recipients ?? [];
}

/** Whose outputs it consumes; on the C-chain, whose balance. */
function Who({ flows: { inputs }, chain }: { readonly flows: Flows; readonly chain: PrimaryAlias }) {
  const senders = new Map(inputs.map((input): [string, Flow] => [input.account ?? input.owners.join(), input]));
  return <Recipients of={[...senders.values()].map(ownersOf)} chain={chain} />;
}

function ownersOf({ account, owners }: Flow): Recipient {
  return account === undefined ? { owners, isAccount: false } : { owners: [account], isAccount: true };
}

function Recipients({ of, chain }: { readonly of: readonly Recipient[]; readonly chain: PrimaryAlias }) {
  const [first, ...rest] = of;
  if (first === undefined) return <>nobody</>;
  if (rest.length > 0) return <>{of.length} addresses</>;
  const [owner, ...others] = first.owners;
  if (owner === undefined) return <>nobody</>;
  if (others.length > 0) return <>{first.owners.length} owners together</>;
  return first.isAccount ? <AddressId value={owner} href={to.address(owner)} /> : <Address address={owner} chain={chain} hasCopy={false} />;
}

const MOST_AMOUNTS = 2;

function Sum({ of: verb, moves }: { readonly of: Verb; readonly moves: readonly Move[] }) {
  const amounts = moves.find((move) => move.verb === verb)?.amounts ?? [];
  return amounts.length === 0 ? <>nothing</> : <Amounts of={amounts} />;
}

function Amounts({ of }: { readonly of: readonly AssetAmount[] }) {
  return (
    <>
      {of.slice(0, MOST_AMOUNTS).map((amount, i) => (
        <span key={`${amount.assetId} ${amount.type}`}>
          {i > 0 && (of.length > MOST_AMOUNTS ? ", " : " and ")}
          <Asset of={amount} />
        </span>
      ))}
      {of.length > MOST_AMOUNTS && ` and ${of.length - MOST_AMOUNTS} more assets`}
    </>
  );
}

function Rewarded({ moves }: { readonly moves: readonly Move[] }) {
  const has = (verb: Verb) => moves.some((move) => move.verb === verb);
  return (
    <>
      {has("rewarded") ? (
        <>
          <Sum of="rewarded" moves={moves} /> earned
        </>
      ) : (
        "no reward"
      )}
      {has("returned") && (
        <>
          , <Sum of="returned" moves={moves} /> returned
        </>
      )}
    </>
  );
}

function Node({ of: { nodeId } }: { readonly of: PlatformTransaction }) {
  return nodeId === undefined ? <>a validator</> : <Id value={nodeId} href={to.validator(nodeId)} />;
}

function OfSubnet({ id, kind = "subnet" }: { readonly id: string | undefined; readonly kind?: "subnet" | "L1" }) {
  if (id === undefined || id === EMPTY_ID) return <>the primary network</>;
  return (
    <>
      {kind === "L1" ? "the L1" : "the subnet"} <Id value={id} href={to.subnet(id)} />
    </>
  );
}

function Until({ of: { endTimestamp } }: { readonly of: PlatformTransaction }) {
  if (BigInt(endTimestamp ?? 0) === 0n) return null;
  return (
    <>
      {" "}
      until <Day seconds={endTimestamp!} />
    </>
  );
}

function NameOf({ id, chains }: { readonly id: string | undefined; readonly chains: Chains }) {
  const alias = chains.aliasOf(id);
  return alias === undefined ? <>another chain</> : <ChainName alias={alias} isShort />;
}
