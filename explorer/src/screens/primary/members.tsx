/** What the node's JSON of a P-chain transaction says and the Data API does not: its own members, by their names in that JSON. */
import type { ComponentChildren } from "preact";
import { count } from "../../components/amount.tsx";
import { ChainText } from "../../components/chain-text.tsx";
import { Fact } from "../../components/facts.tsx";
import { Id } from "../../components/id.tsx";
import { duration, Time } from "../../components/time.tsx";
import { to } from "../../router.ts";
import { useChains } from "./chains.ts";
import type { PlatformTransaction } from "./flows.ts";
import { Blockchain, Owners } from "./pieces.tsx";
import { Warp } from "./warp.tsx";
import { addressOfCb58, addressText, bytesOf, hexOf, nodeId } from "./warp-message.ts";

export type Unsigned = Readonly<Record<string, unknown>>;

/** Shown elsewhere on the screen, or the same in every transaction of the chain. */
const ELSEWHERE: ReadonlySet<string> = new Set([
  ...["networkID", "blockchainID", "outputs", "inputs", "importedInputs", "exportedOutputs", "stake", "memo"],
  ...["sourceChain", "destinationChain", "subnetID", "nodeID", "signer", "shares", "delegationShares", "txID", "owner", "newOwner"],
  ...["chainName", "vmID", "genesisData", "chainID", "address", "balance"],
]);

interface Member {
  readonly name: string;
  show(value: never): ComponentChildren;
}

interface JsonOwners {
  readonly addresses: readonly string[];
  readonly threshold: number;
  readonly locktime?: number | string;
}

const owners = (name: string): Member => ({ name, show: (value: JsonOwners) => <Owners {...value} addresses={value.addresses ?? []} /> });
const authorization = (name: string): Member => ({ name, show: (value: { signatureIndices?: readonly number[] }) => signedBy(value) });
const units = (name: string): Member => ({
  name,
  show: (value: string | number) => (
    <>
      {count(value)} <span class="quiet">smallest units of the asset</span>
    </>
  ),
});
const seconds = (name: string): Member => ({ name, show: (value: number) => duration(value) });
const shares = (name: string): Member => ({ name, show: (value: number) => millionths(value) });

const MEMBERS: Readonly<Record<string, Member>> = {
  validator: { name: "Weight", show: ({ weight }: { weight: number | string }) => count(weight) },
  rewardsOwner: owners("Rewards go to"),
  validationRewardsOwner: owners("The validator's rewards go to"),
  delegationRewardsOwner: owners("Shares of delegators' rewards go to"),
  validatorAuthority: owners("Can change it"),
  subnetAuthorization: authorization("Signed for the subnet"),
  disableAuthorization: authorization("Signed for the validator"),
  auth: authorization("Signed for the validator"),
  validationID: { name: "L1 validator", show: (value: string) => <Id value={value} href={to.l1Validator(value)} hasCopy /> },
  proofOfPossession: { name: "Proof of possession", show: (value: readonly number[]) => <Id value={hexOf(value)} hasCopy /> },
  message: { name: "Message of the L1", show: (value: string) => <Warp hex={value} /> },
  validators: { name: "Owners of the validators", show: (value: readonly L1Validator[]) => <FirstValidators of={value} /> },
  period: seconds("Length of a cycle"),
  autoCompoundRewardShares: shares("Restaked part of rewards"),
  time: { name: "New time", show: (value: number) => <Time seconds={value} /> },
  timestamp: { name: "End of the cycle", show: (value: number) => <Time seconds={value} /> },
  fxIDs: { name: "Feature extensions", show: (value: readonly string[] | null) => list(value ?? []) },
  assetID: { name: "Staked asset", show: (value: string) => <Id value={value} href={to.asset(value)} hasCopy /> },
  initialSupply: units("Supply at the beginning"),
  maximumSupply: units("Supply at most"),
  minConsumptionRate: shares("Least yearly reward rate"),
  maxConsumptionRate: shares("Largest yearly reward rate"),
  minValidatorStake: units("Least stake of a validator"),
  maxValidatorStake: units("Largest stake of a validator"),
  minStakeDuration: seconds("Shortest period"),
  maxStakeDuration: seconds("Longest period"),
  minDelegationFee: shares("Least delegation fee"),
  minDelegatorStake: units("Least stake of a delegator"),
  maxValidatorWeightFactor: {
    name: "Delegations at most",
    show: (value: number) => `a validator's weight is at most ${value} times its own stake`,
  },
  uptimeRequirement: shares("Uptime for a reward"),
};

/** @param of from the node's JSON */
export function Members({ of: unsigned, tx }: { readonly of: Unsigned; readonly tx: PlatformTransaction }) {
  // a stake is the weight
  const isShown = (member: string) =>
    ELSEWHERE.has(member) || Object.hasOwn(tx, member) || (member === "validator" && tx.amountStaked.length > 0);
  return (
    <>
      {Object.entries(unsigned).map(([member, value]) => {
        if (isShown(member) || value === undefined) return null;
        const known = Object.hasOwn(MEMBERS, member) ? MEMBERS[member] : undefined;
        return (
          <Fact key={member} name={known?.name ?? member}>
            {known === undefined ? <ChainText text={JSON.stringify(value)} /> : known.show(value as never)}
          </Fact>
        );
      })}
    </>
  );
}

/** Millionths as a percentage, exactly. */
export function millionths(value: number): string {
  return `${value / 10_000} %`;
}

function signedBy({ signatureIndices = [] }: { signatureIndices?: readonly number[] }): ComponentChildren {
  if (signatureIndices.length === 0) return "no signature";
  const numbers = signatureIndices.map((index) => index + 1).join(", ");
  return `${signatureIndices.length === 1 ? "owner" : "owners"} number ${numbers}, in the order of their addresses`;
}

function list(ids: readonly string[]): ComponentChildren {
  if (ids.length === 0) return "none";
  return ids.map((id) => (
    <div key={id}>
      <Id value={id} hasCopy />
    </div>
  ));
}

interface L1Validator {
  /** hex */
  readonly nodeID: string;
  readonly remainingBalanceOwner: JsonOwners;
  readonly deactivationOwner: JsonOwners;
}

/** Validators with which a subnet becomes an L1. */
function FirstValidators({ of }: { readonly of: readonly L1Validator[] }) {
  const prefix = useChains()?.prefix;
  const text = ({ threshold, addresses }: JsonOwners) => ({ threshold, addresses: (addresses ?? []).map((each) => bech32(each, prefix)) });
  return (
    <ol class="plain-list">
      {of.map(({ nodeID, remainingBalanceOwner, deactivationOwner }) => (
        <li key={nodeID}>
          <div class="row">
            <Id value={nodeOf(nodeID)} hasCopy />
          </div>
          <details>
            <summary>owners</summary>
            <h3>Can disable it</h3>
            <Owners {...text(deactivationOwner)} />
            <h3>Get what is left of the balance</h3>
            <Owners {...text(remainingBalanceOwner)} />
          </details>
        </li>
      ))}
    </ol>
  );
}

function nodeOf(hex: string): string {
  const bytes = bytesOf(hex);
  return bytes === undefined ? hex : nodeId(bytes);
}

/** The node writes these owners in cb58. */
function bech32(text: string, prefix: string | undefined): string {
  const bytes = prefix === undefined ? undefined : addressOfCb58(text);
  return bytes === undefined ? text : addressText(prefix!, bytes);
}

/** Where a transfer between chains comes from and goes to. */
export function Between({ source, destination }: { readonly source: string | undefined; readonly destination: string | undefined }) {
  if (source === undefined || destination === undefined) return null;
  return (
    <Fact name="Between">
      <Blockchain id={source} /> → <Blockchain id={destination} />
    </Fact>
  );
}
