/**
 * A P-chain that builds its own blocks over rows in memory, and a wallet that issues transactions of all kinds: valid, chained, conflicting
 * and nonsensical ones. Blocks built from admitted transactions must execute, and must only read rows that were requested.
 */

import { expect } from "vitest";
import { utxoId } from "../../../../src/base/bytes/utxo-id.ts";
import { encodeVersioned } from "../../../../src/base/codec/codec.ts";
import type { BuildContext, BuiltBlock } from "../../../../src/chains/mempool/issuer.ts";
import { PlatformIssuer } from "../../../../src/chains/platform/builder/platform-issuer.ts";
import { buildGenesis } from "../../../../src/chains/platform/genesis/genesis-config.ts";
import { outputAddresses, type TransferableOutput, utxo } from "../../../../src/chains/platform/output.ts";
import type { SignedTx } from "../../../../src/chains/platform/tx/registry.ts";
import { networkInstance } from "../../../../src/ingest/network-instance.ts";
import { RuleError } from "../../../../src/network/execution.ts";
import { LOCAL_EPOCH, localGenesis } from "../../../../src/network/local-genesis.ts";
import { type Network, type NetworkInstance, UPGRADE_NAMES, type UpgradeName } from "../../../../src/network/network.ts";
import { localNetwork, UNSCHEDULED } from "../../../../src/network/presets.ts";
import { PlatformReplay } from "../../../conformance/platform/platform-replay.ts";
import type { Coin } from "./issuing-wallet.ts";

export const START = LOCAL_EPOCH;

/** The local network with short stakes, room for little gas and few L1 validators. @param times upgrades that are not active at START */
export function smallNetwork(times: Partial<Record<UpgradeName, bigint>>): NetworkInstance {
  const base = localNetwork();
  const fromStart = Object.fromEntries(UPGRADE_NAMES.map((name) => [name, START])) as Record<UpgradeName, bigint>;
  const network: Network = {
    ...base,
    upgrades: { ...base.upgrades, times: { ...fromStart, ...times } },
    staking: { ...base.staking, minStakeDuration: 10n, heliconMinStakeDuration: 10n, minValidatorStake: 2_000n, minDelegatorStake: 100n },
    dynamicFees: { ...base.dynamicFees, maxGasCapacity: 60_000n, maxGasPerSecond: 5_000n, targetGasPerSecond: 2_500n },
    validatorFees: { capacity: 4n, target: 2n, minPrice: 512n, excessConversionConstant: 500n },
  };
  return networkInstance(network, buildGenesis(localGenesis({ startTime: START })));
}

/** Upgrades from this one on are not scheduled, or at a time. */
export function until(upgrade: UpgradeName, time = UNSCHEDULED): Partial<Record<UpgradeName, bigint>> {
  const from = UPGRADE_NAMES.indexOf(upgrade);
  return Object.fromEntries(UPGRADE_NAMES.slice(from).map((name) => [name, time]));
}

export class IssuingWorld {
  readonly replay: PlatformReplay;
  readonly issuer: PlatformIssuer;
  readonly accepted = new Set<string>();
  readonly blockKinds = new Map<string, number>();
  clock = START;
  /** whether the next reward is paid */
  prefersCommit = true;

  constructor(network: NetworkInstance) {
    this.replay = new PlatformReplay(network);
    this.issuer = new PlatformIssuer(this.replay.chain);
  }

  get state() {
    return this.replay.chain.state;
  }

  /** The node's text if it was refused. */
  issue(tx: SignedTx, { skipsMempoolRules = true } = {}): string | undefined {
    this.replay.fetch(this.issuer.admissionKeys(tx));
    try {
      this.issuer.admit(tx, this.#context(), { skipsMempoolRules });
      return undefined;
    } catch (error) {
      if (error instanceof RuleError) return error.message;
      throw error;
    }
  }

  /** The X-chain exports to P. */
  export(source: Coin, { assetId, output }: TransferableOutput): void {
    const { txId, outputIndex } = source;
    const bytes = encodeVersioned(utxo, { txId, outputIndex, assetId, output });
    this.replay.share(this.replay.network.xChainId, { key: utxoId(txId, outputIndex), bytes, traits: [...outputAddresses(output)] });
  }

  /** Builds and executes until nothing is due. Then the next thing due is later. */
  settle(): void {
    for (let blocks = 0; this.mine() !== undefined; blocks++) expect(blocks).toBeLessThan(1000);
    const next = this.issuer.nextChange(this.clock);
    if (next !== undefined) expect(next).toBeGreaterThan(this.clock);
  }

  /** One block, executed at level full. */
  mine(): BuiltBlock | undefined {
    const { replay, issuer } = this;
    replay.fetch(issuer.buildKeys());
    const rowsBefore = replay.view.mark();
    const built = issuer.build(this.#context());
    expect(replay.view.mark()).toBe(rowsBefore);
    if (built === undefined) return undefined;
    const block = replay.chain.parse(built.bytes);
    const { pChainHeight } = this.#context();
    replay.execute(
      built.bytes,
      { level: "full", clock: this.clock },
      { parentId: block.parentId, timestamp: built.timestamp, pChainHeight },
    );
    issuer.accepted(built);
    for (const txId of built.txIds) this.accepted.add(txId);
    this.blockKinds.set(block.kind, (this.blockKinds.get(block.kind) ?? 0) + 1);
    return built;
  }

  /** Walks to a time, from one thing that is due to the next. */
  walk(to: bigint): void {
    for (let next = this.issuer.nextChange(this.clock); next !== undefined && next <= to; next = this.issuer.nextChange(this.clock)) {
      this.clock = next;
      this.settle();
    }
    this.clock = to;
    this.settle();
  }

  #context(): BuildContext {
    const { network } = this.replay;
    const pChainHeight = this.state.scalars.height;
    return { network, level: "full", clock: this.clock, pChainHeight, prefersCommit: () => this.prefersCommit };
  }
}
