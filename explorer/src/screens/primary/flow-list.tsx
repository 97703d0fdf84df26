/** Inputs and outputs of a transaction, side by side. */
import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import { ChainText } from "../../components/chain-text.tsx";
import { Id } from "../../components/id.tsx";
import { Time, useNow } from "../../components/time.tsx";
import { type PrimaryAlias, to } from "../../router.ts";
import { type Chains, useChains } from "./chains.ts";
import { type Flow, type Flows, isChange } from "./flows.ts";
import { memoText } from "./memo.ts";
import { Address, Asset, TxLink } from "./pieces.tsx";

/** As many are shown at first, and more each time that somebody asks. */
const SHOWN = 20;
const MORE = 100;

export function FlowColumns({ flows: { inputs, outputs, rewards }, chain }: { readonly flows: Flows; readonly chain: PrimaryAlias }) {
  const chains = useChains();
  const common = { chain, chains };
  return (
    <section class="card">
      <h2 class="sr-only">Inputs and outputs</h2>
      <div class="flows">
        <div>
          <h3>Inputs ({inputs.length})</h3>
          {inputs.length === 0 && <p class="quiet">It consumes nothing.</p>}
          <Flowing of={inputs} {...common} is="input" notesOf={() => []} />
        </div>
        <div class="flow-arrow" aria-hidden="true">
          →
        </div>
        <div>
          <h3>Outputs ({outputs.length})</h3>
          {outputs.length === 0 && <p class="quiet">It creates no outputs of its own.</p>}
          <Flowing of={outputs} {...common} is="output" notesOf={(flow) => (isChange(flow, inputs) ? ["change"] : [])} />
          {rewards.length > 0 && (
            <>
              <h3>Rewards paid ({rewards.length})</h3>
              <Flowing of={rewards} {...common} is="output" notesOf={(flow) => [REWARDS[flow.reward!] ?? flow.reward!]} />
            </>
          )}
        </div>
      </div>
    </section>
  );
}

const REWARDS: Readonly<Record<string, string>> = {
  VALIDATOR: "validator's reward",
  DELEGATOR: "delegator's reward",
  VALIDATOR_FEE: "validator's share of delegators' rewards",
};

interface FlowingProps {
  readonly of: readonly Flow[];
  readonly is: "input" | "output";
  readonly chain: PrimaryAlias;
  readonly chains: Chains | undefined;
  notesOf(flow: Flow): readonly string[];
}

function Flowing({ of, ...item }: FlowingProps) {
  const [shown, setShown] = useState(SHOWN);
  if (of.length === 0) return null;
  return (
    <>
      <ol class="plain-list">
        {of.slice(0, shown).map((flow) => (
          <li key={flow.id} data-utxo={flow.id}>
            <FlowItem flow={flow} {...item} />
          </li>
        ))}
      </ol>
      {of.length > shown && (
        <button type="button" onClick={() => setShown(shown + MORE)}>
          Show {Math.min(MORE, of.length - shown)} more of {of.length - shown}
        </button>
      )}
    </>
  );
}

interface FlowItemProps extends Omit<FlowingProps, "of"> {
  readonly flow: Flow;
}

function FlowItem({ flow, is, chain, chains, notesOf }: FlowItemProps) {
  const { asset, account, owners, threshold, kind, consumedOn } = flow;
  const home = chains?.aliasOf(consumedOn);
  return (
    <>
      <div class="row">
        <strong>{isRight(kind) ? <Right of={flow} /> : <Asset of={asset} />}</strong>
        <span class="badges">
          {[...notesOf(flow), ...notes(flow, is, chain, chains)].map((note) => (
            <span key={note} class="badge">
              {note}
            </span>
          ))}
        </span>
      </div>
      {account !== undefined && (
        <div>
          account <Id value={account} href={to.address(account)} hasCopy />
        </div>
      )}
      {owners.length > 1 && (
        <div class="quiet">
          {threshold} of these {owners.length} must sign
        </div>
      )}
      {owners.map((address) => (
        <div key={address}>
          <Address address={address} chain={home} />
        </div>
      ))}
      <Locks of={flow} />
      {flow.nft !== undefined && <Nft of={flow.nft} />}
      {account === undefined && (is === "input" ? <Origin of={flow} chains={chains} /> : <Fate of={flow} chains={chains} />)}
      {is === "input" && flow.credentials.length > 0 && <Signatures of={flow} />}
    </>
  );
}

function isRight(kind: string): boolean {
  return kind === "mint" || kind === "nft mint" || kind === "property mint" || kind === "property owned";
}

const RIGHTS: Readonly<Record<string, string>> = {
  mint: "The right to mint",
  "nft mint": "The right to mint NFTs of",
  "property mint": "The right to grant the property",
  "property owned": "The property",
};

function Right({ of: { kind, asset } }: { readonly of: Flow }) {
  return (
    <>
      {RIGHTS[kind]}{" "}
      <a href={to.asset(asset.assetId)} class="unit" title={asset.assetId}>
        {asset.symbol === "" ? "an asset" : <ChainText text={asset.symbol} longest={24} />} <code>{asset.assetId.slice(0, 6)}…</code>
      </a>
    </>
  );
}

function notes({ isStake, isStaked, createdOn, consumedOn, account }: Flow, is: FlowItemProps["is"], chain: PrimaryAlias, chains?: Chains) {
  const own = chains?.idOf(chain);
  const name = (id: string | undefined) => (chains?.aliasOf(id) === undefined ? "another chain" : `the ${chains.aliasOf(id)}-chain`);
  return [
    ...(isStake ? [isStaked ? "staked now" : "stake"] : []),
    ...(is === "input" && account === undefined && own !== undefined && createdOn !== own ? [`from ${name(createdOn)}`] : []),
    ...(is === "output" && account === undefined && own !== undefined && consumedOn !== own ? [`to ${name(consumedOn)}`] : []),
  ];
}

function Locks({ of: { locktime, stakeableLocktime } }: { readonly of: Flow }) {
  const now = BigInt(useNow());
  return (
    <>
      {locktime > 0n && (
        <div>
          {locktime > now ? "locked; the lock ends" : "its lock ended"} <Time seconds={locktime} />
        </div>
      )}
      {stakeableLocktime !== undefined && (
        <div>
          {stakeableLocktime > now ? "only for staking; this lock ends" : "was only for staking; this lock ended"}{" "}
          <Time seconds={stakeableLocktime} />
        </div>
      )}
    </>
  );
}

function Nft({ of: { groupId, payload } }: { readonly of: NonNullable<Flow["nft"]> }) {
  const text = payload === undefined ? undefined : memoText(payload);
  return (
    <div>
      group {groupId}
      {payload !== undefined && payload !== "" && (
        <>
          , payload{" "}
          {text === undefined ? (
            <code class="hex">
              0x{payload.slice(0, 64)}
              {payload.length > 64 && "…"}
            </code>
          ) : (
            <ChainText text={text} />
          )}
        </>
      )}
    </div>
  );
}

function Origin({ of: { createdBy, outputIndex, createdOn }, chains }: { readonly of: Flow; readonly chains: Chains | undefined }) {
  const href: ComponentChildren = <TxLink id={createdBy!} chain={chains?.aliasOf(createdOn)} />;
  return (
    <div class="quiet">
      output {outputIndex} of {href}
    </div>
  );
}

function Fate({ of: { spentBy, spentAt, consumedOn, isStaked }, chains }: { readonly of: Flow; readonly chains: Chains | undefined }) {
  if (spentBy !== undefined) {
    return (
      <div class="quiet">
        spent by <TxLink id={spentBy} chain={chains?.aliasOf(consumedOn)} />
      </div>
    );
  }
  return <div class="quiet">{spentAt !== undefined ? "spent" : isStaked ? "not spent: it is staked" : "not spent"}</div>;
}

function Signatures({ of: { credentials } }: { readonly of: Flow }) {
  return (
    <details>
      <summary>
        {credentials.length} {credentials.length === 1 ? "signature" : "signatures"}
      </summary>
      {credentials.map(({ publicKey, signature }) => (
        <div key={`${publicKey} ${signature}`}>
          <div>
            <span class="quiet">key</span> <code class="hex">{publicKey}</code>
          </div>
          <div>
            <span class="quiet">signature</span> <code class="hex">{signature}</code>
          </div>
        </div>
      ))}
    </details>
  );
}
