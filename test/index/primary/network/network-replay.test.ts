/** Compares the rows of subnets, blockchains, L1 validators and totals with the state after every block of the recordings. */

import { expect, test } from "vitest";
import { type Id, PLATFORM_CHAIN_ID, PRIMARY_NETWORK_ID } from "../../../../src/base/bytes/id.ts";
import { assetUtxos } from "../../../../src/chains/asset/tables.ts";
import type { AtomicTx } from "../../../../src/chains/atomic/tx.ts";
import { parseGenesis } from "../../../../src/chains/platform/genesis/genesis.ts";
import { isActiveL1Validator } from "../../../../src/chains/platform/state/staker-set.ts";
import {
  platformChains,
  platformL1Validators,
  platformStakers,
  platformSubnets,
  platformUtxos,
} from "../../../../src/chains/platform/tables.ts";
import { parseTx } from "../../../../src/chains/platform/tx/registry.ts";
import { sharedElements } from "../../../../src/chains/shared-memory/tables.ts";
import { l1Projection } from "../../../../src/index/primary/l1s/l1-projection.ts";
import { l1ValidatorScopes } from "../../../../src/index/primary/l1s/l1-scope.ts";
import {
  blockchainCreations,
  blockchains,
  burnedFees,
  l1TxDetails,
  l1ValidatorLists,
  l1Validators,
  subnetCreations,
  subnetOwners,
  subnets,
  supplyTotals,
} from "../../../../src/index/primary/network/network-tables.ts";
import { NO_TOTALS, networkTotals, settled } from "../../../../src/index/primary/network/network-totals.ts";
import { subnetProjection } from "../../../../src/index/primary/network/subnet-projection.ts";
import { C_CHAIN, P_CHAIN, type PrimaryChain, X_CHAIN } from "../../../../src/index/primary/primary-chain.ts";
import type { Projection } from "../../../../src/index/primary/projection.ts";
import { decodeOutput } from "../../../../src/index/primary/utxos/utxo-codec.ts";
import { type NodeReplay, replayNode } from "../../../conformance/node-replay.ts";
import { recordingFolder } from "../../../conformance/recordings.ts";
import { drawn } from "../../../share.ts";

const sum = (amounts: Iterable<bigint>) => [...amounts].reduce((total, amount) => total + amount, 0n);
const sorted = (lines: Iterable<string>) => [...lines].sort();

function compareL1({ chains, rows }: NodeReplay): void {
  const state = [...chains.view.rows(platformL1Validators)];
  const index = [...rows.all(l1Validators)].map(({ key, value: { height: _, createdAt, ...value } }) => [
    key.validationId,
    { ...value, startTime: createdAt },
  ]);
  const expected = state.map(({ key, value: { minNonce: _, ...value } }) => [key.validationId, value]);
  expect(Object.fromEntries(index)).toEqual(Object.fromEntries(expected));
  const listed = [...rows.all(l1ValidatorLists)].map(({ key }) => Object.values(key).join());
  const inLists = state.flatMap(({ key: { validationId }, value }) =>
    l1ValidatorScopes(value).map((scope) => [scope, isActiveL1Validator(value), value.startTime, validationId].join()),
  );
  expect(sorted(listed)).toEqual(sorted(inLists));
  const { accruedFees } = chains.platform.state.scalars;
  const totals = settled(rows.get(supplyTotals, { slot: 0 }) ?? NO_TOTALS, accruedFees);
  const active = state.filter(({ value }) => isActiveL1Validator(value));
  expect(totals.l1ActiveCount).toBe(active.length);
  expect(totals.l1Balances).toBe(sum(active.map(({ value }) => value.endAccumulatedFee - accruedFees)));
}

function compareSubnets({ chains, rows }: NodeReplay): void {
  for (const { key, value } of chains.view.rows(platformSubnets)) {
    const { owner, conversion } = rows.get(subnets, { subnetId: key.subnetId })!;
    expect(owner).toEqual(value.owner);
    expect(conversion?.managerChainId).toBe(value.conversion?.managerChainId);
    expect(conversion?.managerAddress).toEqual(value.conversion?.managerAddress);
  }
  const created = [...rows.all(subnetCreations)].sort((a, b) => Number(a.key.height - b.key.height) || a.key.place - b.key.place);
  const inState = [...chains.view.rows(platformSubnets)].sort((a, b) => Number(a.value.sequence - b.value.sequence));
  expect(created.map(({ value }) => value.subnetId)).toEqual([PRIMARY_NETWORK_ID, ...inState.map(({ key }) => key.subnetId)]);
  const chainsInState = [...chains.view.rows(platformChains)].sort((a, b) => Number(a.value.sequence - b.value.sequence));
  const createdChains = [...rows.all(blockchainCreations)].sort((a, b) => Number(a.key.height - b.key.height) || a.key.place - b.key.place);
  expect(createdChains.map(({ value }) => value.chainId)).toEqual([PLATFORM_CHAIN_ID, ...chainsInState.map(({ key }) => key.chainId)]);
  for (const { key, value } of chainsInState) {
    expect(rows.get(blockchains, { chainId: key.chainId })).toMatchObject({ subnetId: value.subnetId, name: value.name, vmId: value.vmId });
  }
}

/** Notes who owned what after which block, and what the C-chain took in. */
class Noted implements Projection {
  readonly residentTables = [];
  readonly owners = new Map<string, object>();
  intoC = 0n;
  readonly #avax: Id;

  constructor(avaxAssetId: Id) {
    this.#avax = avaxAssetId;
  }

  async fetch(): Promise<void> {}

  project(_view: unknown, item: Parameters<Projection["project"]>[1]): void {
    if (item.chain === C_CHAIN) this.intoC += sum(item.facts.atomicTxs.map((tx) => this.#flow(tx)));
    if (item.chain !== P_CHAIN) return;
    for (const event of item.facts.events) {
      if (event.kind === "subnet-created" || event.kind === "subnet-owner") {
        this.owners.set(`${event.subnetId} ${item.facts.height}`, event.owner);
      }
    }
  }

  #flow({ unsigned }: AtomicTx): bigint {
    const own = unsigned.kind === "ImportTx" ? unsigned.outputs : unsigned.inputs;
    const amount = sum(own.filter(({ assetId }) => assetId === this.#avax).map((each) => each.amount));
    return unsigned.kind === "ImportTx" ? amount : -amount;
  }
}

/** All AVAX that there is outside of the C-chain's accounts. */
function existing({ chains, rows }: NodeReplay): bigint {
  const { network } = chains;
  const avax = (bytes: Uint8Array, createdOn: PrimaryChain) => {
    const { assetId, amount } = decodeOutput({ bytes, createdOn }, network);
    return assetId === network.avaxAssetId ? amount : 0n;
  };
  const own = sum([...rows.all(platformUtxos)].map(({ value }) => avax(value.bytes, P_CHAIN)));
  const onX = sum([...rows.all(assetUtxos)].filter(({ key }) => key.chain === 0).map(({ value }) => avax(value.bytes, X_CHAIN)));
  const chainOf = (chainId: Id) => (chainId === network.xChainId ? X_CHAIN : chainId === network.cChainId ? C_CHAIN : P_CHAIN);
  const shared = [...rows.all(sharedElements)].filter(({ value }) => !value.isTombstone);
  const between = sum(shared.map(({ key, value }) => avax(value.bytes.subarray(2), chainOf(key.source))));
  const staked = sum([...chains.view.rows(platformStakers)].map(({ value }) => stakeOf(value.tx, network.avaxAssetId)));
  const { accruedFees } = chains.platform.state.scalars;
  const l1 = [...chains.view.rows(platformL1Validators)].filter(({ value }) => isActiveL1Validator(value));
  return own + onX + between + staked + sum(l1.map(({ value }) => value.endAccumulatedFee - accruedFees));
}

function stakeOf(bytes: Uint8Array, avaxAssetId: Id): bigint {
  const { unsigned } = parseTx(bytes);
  if (!("stake" in unsigned)) return 0n;
  return sum(
    unsigned.stake
      .filter(({ assetId }) => assetId === avaxAssetId)
      .map(({ output }) => (output.kind === "LockOut" ? output.output : output).amount),
  );
}

function supply({ chains, rows }: NodeReplay): bigint {
  const { network } = chains;
  const { rewards, l1Fees } = settled(rows.get(supplyTotals, { slot: 0 }) ?? NO_TOTALS, chains.platform.state.scalars.accruedFees);
  const burned = sum([...rows.all(burnedFees)].map(({ value }) => value.amount));
  return parseGenesis(network.genesisBytes).initialSupply + rewards - burned - l1Fees;
}

async function* replayed(name: "latest-1" | "eras-1" | "p-eras-old") {
  const noted: { current?: Noted } = {};
  const note: Projection = {
    residentTables: [],
    async fetch() {},
    project(view, item, _txs, network) {
      noted.current ??= new Noted(network.avaxAssetId);
      noted.current.project(view, item);
    },
  };
  const projections = [note, subnetProjection, l1Projection, networkTotals];
  for await (const replay of replayNode(recordingFolder(name), { projections })) yield { replay, noted: noted.current! };
}

test.each(drawn("rows of networks", ["latest-1", "eras-1", "p-eras-old"] as const, 1))(
  "L1 validators, subnets and blockchains are those of the state after every block of %s",
  async (name) => {
    let last: { replay: NodeReplay; noted: Noted } | undefined;
    for await (const after of replayed(name)) {
      last = after;
      compareL1(after.replay);
    }
    const { replay, noted } = last!;
    compareSubnets(replay);
    const history = [...replay.rows.all(subnetOwners)].filter(({ key }) => key.subnetId !== PRIMARY_NETWORK_ID);
    expect(new Map(history.map(({ key, value }) => [`${key.subnetId} ${key.height}`, value.owner]))).toEqual(noted.owners);
  },
);

test.each(drawn("all AVAX", ["latest-1", "eras-1"] as const, 1))(
  "no AVAX of %s is lost or made: what exists is what began, was paid and not burned",
  async (name) => {
    let checks = 0;
    let blocks = 0;
    let last: NodeReplay | undefined;
    for await (const { replay, noted } of replayed(name)) {
      last = replay;
      // an import that ran before its export cannot be told by its bytes
      const isSettled = [...replay.rows.all(sharedElements)].every(({ value }) => !value.isTombstone);
      if (blocks++ % 25 !== 0 || !isSettled) continue;
      expect(existing(replay) + noted.intoC).toBe(supply(replay));
      checks++;
    }
    expect(checks).toBeGreaterThan(10);
    const burned = [P_CHAIN, X_CHAIN, C_CHAIN].map((chain) => last!.rows.get(burnedFees, { chain })?.amount ?? 0n);
    expect(burned.every((amount) => amount > 0n)).toBe(true);
  },
);

test("transactions about L1 validators say whether they funded, paid back or removed", async () => {
  let last: NodeReplay | undefined;
  for await (const { replay } of replayed("latest-1")) last = replay;
  const details = [...last!.rows.all(l1TxDetails)].map(({ value }) => value);
  const kinds = new Set(
    details.map(({ weight, balanceBefore, remainingBalance }) => {
      const change = remainingBalance - balanceBefore;
      return `${weight === 0n ? "removed" : "stays"} ${change > 0n ? "funded" : change < 0n ? "refunded" : "unchanged"}`;
    }),
  );
  expect([...kinds].sort()).toEqual(["removed refunded", "removed unchanged", "stays funded", "stays refunded", "stays unchanged"]);
});
