/** What belongs to an address, in any form: one screen for the P-, X- and C-chain's bech32 and for the 0x of EVM chains. */
import type { ComponentType } from "preact";
import { type Overview, useOverview } from "../../api/overview.ts";
import { Id, shortened } from "../../components/id.tsx";
import { useLabel } from "../../components/labels.ts";
import type { Params } from "../../components/screen.tsx";
import { Answer } from "../../components/states.tsx";
import { Tabs } from "../../components/tabs.tsx";
import { Title } from "../../components/title.tsx";
import { to } from "../../router.ts";
import { type Bech32Address, type EvmAddress, readAddress } from "./address-form.ts";
import { Bech32Balances } from "./bech32-balances.tsx";
import { EvmBalances } from "./evm-balances.tsx";
import { EvmContract } from "./evm-contract.tsx";
import { Bech32History, EvmHistory } from "./history.tsx";
import { Internals } from "./internals.tsx";
import { Nfts } from "./nfts.tsx";
import { SameKey } from "./same-key.tsx";
import { Staking } from "./staking.tsx";
import type { TabProps } from "./tab-props.ts";
import { Utxos } from "./utxos.tsx";

interface AddressTab {
  readonly path: string;
  readonly name: string;
  readonly Content: ComponentType<TabProps>;
}

const BECH32_TABS: readonly AddressTab[] = [
  { path: "", name: "Balances", Content: Bech32Balances },
  { path: "utxos", name: "UTXOs", Content: Utxos },
  { path: "history", name: "History", Content: Bech32History },
  { path: "staking", name: "Staking", Content: Staking },
];

const EVM_TABS: readonly AddressTab[] = [
  { path: "", name: "Balances", Content: EvmBalances },
  { path: "history", name: "History", Content: EvmHistory },
  { path: "nfts", name: "NFTs", Content: Nfts },
  { path: "internal", name: "Internal transactions", Content: Internals },
  { path: "contract", name: "Contract", Content: EvmContract },
];

export function Address({ params }: { readonly params: Params }) {
  const overview = useOverview();
  return <Answer of={overview}>{(known) => <AnyForm overview={known} params={params} />}</Answer>;
}

function AnyForm({ overview, params }: { readonly overview: Overview; readonly params: Params }) {
  const text = params.address!.trim();
  const form = readAddress(text, overview.chains.length > 0 ? overview.hrp : undefined);
  if (form.kind === "none") {
    return (
      <>
        <Title text="Not an address" />
        <div class="notice bad" role="alert">
          <p>{form.problem}</p>
          <p>
            <a href={to.search(text)}>Search for this text</a> among everything else.
          </p>
        </div>
      </>
    );
  }
  return <OneAddress form={form} overview={overview} params={params} />;
}

/** The same owner on the other chains. */
function Switch({ of: address, current }: { readonly of: string; readonly current: "P" | "X" | "C" }) {
  return (
    <p class="quiet">
      The same owner as{" "}
      {LETTERS.filter((letter) => letter !== current).map((letter, i) => (
        <span key={letter}>
          {i > 0 && " and "}
          <Id value={`${letter}-${address}`} href={to.address(`${letter}-${address}`)} hasCopy />
        </span>
      ))}
    </p>
  );
}

/** No method takes a bech32 address without one of them. */
const LETTERS = ["P", "X", "C"] as const;

interface OneAddressProps {
  readonly form: Bech32Address | EvmAddress;
  readonly overview: Overview;
  readonly params: Params;
}

function OneAddress({ form, overview, params: { chainId, tab = "" } }: OneAddressProps) {
  const { address, kind } = form;
  const label = useLabel(address);
  const tabs = kind === "bech32" ? BECH32_TABS : EVM_TABS;
  const base = chainId !== undefined && kind === "evm" ? to.evmAddress(chainId, address) : to.address(address);
  const { Content } = tabs.find(({ path }) => path === tab) ?? tabs[0]!;
  return (
    <>
      <Title text={label ?? shortened(kind === "bech32" && form.chain !== undefined ? `${form.chain}-${address}` : address)}>
        Address{" "}
        <small>
          {kind === "bech32" && overview.chains.length > 0 ? (
            (form.chain === undefined ? LETTERS : [form.chain]).map((letter) => (
              <div key={letter}>
                <Id value={`${letter}-${address}`} isWhole />
              </div>
            ))
          ) : (
            <Id value={address} isWhole />
          )}
        </small>
      </Title>
      {kind === "bech32" && form.chain !== undefined && <Switch of={address} current={form.chain} />}
      {kind === "evm" && form.isChecksumWrong && (
        <p class="notice bad" role="alert">
          The capital letters of this address are not those of its checksum, so a letter or digit may be mistyped. This page shows the
          address that its digits name.
        </p>
      )}
      <SameKey address={address} overview={overview} />
      <Tabs label="Of this address" base={base} tabs={tabs} current={tab} />
      {kind === "bech32" && overview.chains.length === 0 ? (
        <p class="notice">This server has EVM chains only; an address in bech32 belongs to the P-, X- and C-chain of a primary network.</p>
      ) : kind === "evm" && overview.evmChains.length === 0 ? (
        <p class="notice">This server has no EVM chain. A 0x address is shown where one is indexed.</p>
      ) : (
        <Content address={address} overview={overview} chainId={chainId} />
      )}
    </>
  );
}
