/** Keeps the rows with the state of a chain's nodes (`evm_upstreams`, `evm_upstream_nodes`): the newest head, a problem, a sign of life, each node. */
import type { Logger } from "pino";
import type { Change, TableValue } from "../../base/table/table.ts";
import type { EvmBatch } from "../../sources/evm/evm-source.ts";
import type { UpstreamState } from "../../sources/upstream/upstream-rpc.ts";
import { LiveRows, nodesJson } from "../../store/live-rows.ts";
import type { Store } from "../../store/store.ts";
import { evmChainStates, evmUpstreamNodes, evmUpstreams } from "../index/tables.ts";

type Upstream = TableValue<typeof evmUpstreams>;
const NOTHING: Upstream = { headHeight: 0n, headTimestamp: 0n, seenAt: 0n, problem: "" };

/** What else is known of a chain's nodes. */
export interface ChainNodes {
  readonly nodes: readonly UpstreamState[];
  /** blocks that were read and are not indexed yet */
  readonly prefetched: number;
}

interface Known {
  readonly upstream: Upstream;
  readonly others: ChainNodes;
}

const NO_NODES: ChainNodes = { nodes: [], prefetched: 0 };
const LOOK_EVERY_MS = 500;

export class UpstreamLog {
  readonly #row: LiveRows<Known>;
  readonly #looking: NodeJS.Timeout;
  /** newest indexed block */
  #indexed: bigint;

  private constructor(store: Store, chain: number, log: Logger, upstream: Upstream, indexed: bigint, look: () => ChainNodes) {
    this.#row = new LiveRows({
      store,
      written: { upstream, others: NO_NODES },
      log: log.child({ chain }),
      changes: (value) => rowsOf(chain, value),
      isDue: differ,
    });
    this.#indexed = indexed;
    const lookAgain = () => {
      this.#row.current = { ...this.#row.current, others: look() };
    };
    lookAgain();
    this.#looking = setInterval(lookAgain, LOOK_EVERY_MS);
    this.#looking.unref();
  }

  /** @param look tells the rest; asked now and then */
  static async open(store: Store, chain: number, log: Logger, look: () => ChainNodes = () => NO_NODES): Promise<UpstreamLog> {
    const indexed = (await store.get(evmChainStates, { chain }))?.height ?? -1n;
    return new UpstreamLog(store, chain, log, (await store.get(evmUpstreams, { chain })) ?? NOTHING, indexed, look);
  }

  get problem(): string {
    return this.#row.current.upstream.problem;
  }

  /** Notes the newest block of a node. A problem is over if everything up to it is indexed. */
  head({ height, timestamp }: EvmBatch["head"]): void {
    const isFirst = this.#row.current.upstream === NOTHING;
    const problem = height <= this.#indexed ? "" : this.problem;
    this.#set({ headHeight: height, headTimestamp: timestamp, seenAt: BigInt(Math.floor(Date.now() / 1000)), problem });
    // Write the first head at once: blocks follow soon, and freshness needs it.
    if (isFirst) this.#row.writeIfDue();
  }

  /** Notes that blocks up to this height are indexed, so any problem is over. */
  committed(height: bigint, head: EvmBatch["head"]): void {
    this.#indexed = height;
    this.head(head);
    this.tell("");
  }

  /** @param problem a sentence for people */
  tell(problem: string): void {
    this.#set({ ...this.#row.current.upstream, problem });
  }

  /** Writes the last change; nothing is written afterwards. */
  close(): Promise<void> {
    clearInterval(this.#looking);
    return this.#row.close();
  }

  #set(upstream: Upstream): void {
    this.#row.current = { ...this.#row.current, upstream };
  }
}

function rowsOf(chain: number, { upstream, others: { nodes, prefetched } }: Known): Change[] {
  const about = { table: evmUpstreamNodes, key: { chain }, value: { nodes: nodesJson(nodes), prefetched } };
  // nothing is said of a head that no node has told
  const heard = upstream === NOTHING ? [] : [{ table: evmUpstreams, key: { chain }, value: upstream }];
  return [...heard, about] as Change[];
}

function differ({ upstream, others }: Known, written: Known): boolean {
  return (
    upstream.headHeight !== written.upstream.headHeight ||
    upstream.problem !== written.upstream.problem ||
    others.nodes.some(({ state }, place) => state !== written.others.nodes[place]?.state)
  );
}
