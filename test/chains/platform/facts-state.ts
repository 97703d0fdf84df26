/**
 * State derived from facts alone, which is what a projection can know. It follows the documentation of the facts literally, without reading
 * any row.
 */

import type { Id } from "../../../src/base/bytes/id.ts";
import type { PlatformEvent, PlatformFacts, TxEvent } from "../../../src/chains/platform/facts.ts";
import type { Staker } from "../../../src/chains/platform/state/staker.ts";
import type { L1ValidatorRow, SubnetRow } from "../../../src/chains/platform/tables.ts";

export class FactsState {
  readonly pending = new Map<Id, Staker>();
  readonly current = new Map<Id, Staker>();
  readonly l1Validators = new Map<Id, L1ValidatorRow>();
  readonly subnets = new Map<Id, Pick<SubnetRow, "owner"> & { transformedBy: Id | undefined; manager: Id | undefined }>();
  readonly chains = new Map<Id, { subnetId: Id; name: string; vmId: Id }>();
  readonly utxos = new Map<Id, Uint8Array>();
  /** reward UTXOs in order of payment */
  readonly rewards: Uint8Array[] = [];
  readonly txs: TxEvent[] = [];
  /** what contradicts the documentation of the facts */
  readonly mistakes: string[] = [];

  apply(facts: PlatformFacts): void {
    const txs = facts.events.filter((event) => event.kind === "tx");
    const own = txs.flatMap(({ produced }) => produced);
    this.#expect(
      txs.every(({ index }, i) => index === i),
      "the indices of transactions are not 0, 1, 2 …",
    );
    if (facts.height === 0n) for (const { utxoId, bytes } of facts.produced) this.utxos.set(utxoId, bytes);
    else this.#expect(sameItems(own, facts.produced), "transactions did not produce what the block did");
    const consumed = txs.flatMap((tx) => tx.consumed);
    this.#expect(sameItems(consumed, facts.consumed), "transactions did not consume what the block did");
    for (const event of facts.events) this.#apply(event, facts);
  }

  #apply(event: PlatformEvent, facts: PlatformFacts): void {
    switch (event.kind) {
      case "tx":
        for (const { utxoId, bytes } of event.produced) this.utxos.set(utxoId, bytes);
        for (const { utxoId } of event.consumed) this.#expect(this.utxos.delete(utxoId), `${utxoId} was consumed and was not there`);
        this.txs.push(event);
        return;
      case "staker-added":
        (event.isPending ? this.pending : this.current).set(event.staker.txId, event.staker);
        return;
      case "staker-promoted":
        this.#expect(this.pending.delete(event.staker.txId), "a staker was promoted that was not pending");
        this.current.set(event.staker.txId, event.staker);
        return;
      case "staker-renewed":
        this.#expect(this.current.get(event.before.txId) === event.before, "a staker was renewed that was not current");
        this.#expectLater(facts, event, event.txId);
        this.current.set(event.after.txId, event.after);
        return;
      case "staker-left": {
        const { txId } = event.staker;
        this.#expect(this.pending.delete(txId) !== this.current.delete(txId), "a staker left that was in no set");
        this.#expect(
          (event.reason === "expired") === (event.txId === undefined),
          "an expired staker has a transaction, or another has none",
        );
        this.#expectLater(facts, event, event.txId);
        return;
      }
      case "reward":
        this.#expect(this.current.has(event.staker.txId), "a reward was paid after its staker left");
        this.#expectLater(facts, event, event.txId);
        this.rewards.push(event.utxo.bytes);
        return;
      case "l1-validator":
        this.#expectLater(facts, event, event.txId);
        this.#applyL1(event);
        return;
      case "subnet-created":
        this.#expectLater(facts, event, event.subnetId);
        this.subnets.set(event.subnetId, { owner: event.owner, transformedBy: undefined, manager: undefined });
        return;
      case "subnet-owner":
      case "subnet-transformed":
      case "subnet-converted":
        this.#expectLater(facts, event, event.txId);
        Object.assign(this.subnets.get(event.subnetId)!, {
          ...(event.kind === "subnet-owner" && { owner: event.owner }),
          ...(event.kind === "subnet-transformed" && { transformedBy: event.txId }),
          ...(event.kind === "subnet-converted" && { manager: event.managerChainId }),
        });
        return;
      case "chain-created":
        this.#expectLater(facts, event, event.chainId);
        this.chains.set(event.chainId, { subnetId: event.subnetId, name: event.name, vmId: event.vmId });
    }
  }

  #applyL1({ validationId, txId, before, after }: Extract<PlatformEvent, { kind: "l1-validator" }>): void {
    const known = this.l1Validators.get(validationId);
    this.#expect(known?.weight === before?.weight && known?.endAccumulatedFee === before?.endAccumulatedFee, "another L1 validator before");
    const hasRunDry = before !== undefined && before.endAccumulatedFee !== 0n && after?.endAccumulatedFee === 0n;
    this.#expect(txId !== undefined || hasRunDry, "an L1 validator changed without a transaction");
    if (after === undefined) this.l1Validators.delete(validationId);
    else this.l1Validators.set(validationId, after);
  }

  /** What a transaction caused comes before it and after the one that precedes it. */
  #expectLater({ events }: PlatformFacts, event: PlatformEvent, txId: Id | undefined): void {
    const next = events.slice(events.indexOf(event)).find((later) => later.kind === "tx");
    if (txId !== undefined) this.#expect(next?.kind === "tx" && next.tx.id === txId, `${event.kind} stands before another transaction`);
  }

  #expect(isTrue: boolean, mistake: string): void {
    if (!isTrue) this.mistakes.push(mistake);
  }
}

function sameItems(a: readonly unknown[], b: readonly unknown[]): boolean {
  return a.length === b.length && a.every((item, i) => item === b[i]);
}
