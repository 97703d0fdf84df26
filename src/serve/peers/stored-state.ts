/** What a source of peers asks of the store into which its blocks are executed. */
import { validatorSetAt } from "../../api/rpc/platform/validator-sets.ts";
import { EMPTY_ID, type Id, type NodeId, PRIMARY_NETWORK_ID } from "../../base/bytes/id.ts";
import { RequestWork } from "../../base/work/work.ts";
import { isValidator, stakerOf } from "../../chains/platform/state/staker.ts";
import { platformChain, platformStakers } from "../../chains/platform/tables.ts";
import { blocks } from "../../index/tables.ts";
import type { Voters } from "../../p2p/accepted-frontier.ts";
import type { ExecutedState } from "../../sources/peers/peer-source.ts";
import { type StoreReader, scanAll } from "../../store/store.ts";

export class StoredState implements ExecutedState {
  readonly #reader: StoreReader;
  #validators: { readonly height: bigint; readonly voters: Voters } | undefined;

  constructor(reader: StoreReader) {
    this.#reader = reader;
  }

  async validators(): Promise<{ readonly height: bigint; readonly voters: Voters }> {
    const height = (await this.#reader.get(platformChain, { slot: 0 }))?.height ?? 0n;
    const known = this.#validators;
    if (known?.height === height) return known;
    const set = await validatorSetAt({ reader: this.#reader, work: new RequestWork() }, PRIMARY_NETWORK_ID, height);
    const voters: Voters = new Map([...set].map(([nodeId, { weight }]) => [nodeId, weight]));
    this.#validators = { height, voters: known !== undefined && areSame(known.voters, voters) ? known.voters : voters };
    return this.#validators;
  }

  /** When the validators of the primary network began to validate, Unix seconds. O(stakers) */
  async startTimes(): Promise<ReadonlyMap<NodeId, bigint>> {
    const starts = new Map<NodeId, bigint>();
    for await (const { key, value } of scanAll(this.#reader, platformStakers)) {
      const staker = stakerOf(key.txId, value);
      if (value.isCurrent && staker.subnetId === PRIMARY_NETWORK_ID && isValidator(staker)) starts.set(staker.nodeId, staker.startTime);
    }
    return starts;
  }

  async containerAt(chainId: Id, height: bigint): Promise<Id | undefined> {
    const id = (await this.#reader.get(blocks, { chainId, height }))?.containerId;
    return id === EMPTY_ID ? undefined : id;
  }
}

function areSame(a: Voters, b: Voters): boolean {
  return a.size === b.size && [...a].every(([nodeId, stake]) => b.get(nodeId) === stake);
}
