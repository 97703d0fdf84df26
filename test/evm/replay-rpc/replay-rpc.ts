/** A node that answers from a recording over HTTP and WebSocket, with the faults that a test asks for. */
import { Execution } from "../../sources/upstream/execution.ts";
import { faultsOf } from "./faults.ts";
import { methodsOf } from "./node-methods.ts";
import { RecordedState } from "./recorded-state.ts";
import { type RecordedBlock, readRecording } from "./recording.ts";
import { ReplayServer } from "./replay-server.ts";
import { ServedChain } from "./served-chain.ts";

/** Probabilities of what goes wrong with a message; at most one thing does. */
export interface ReplayFaults {
  /** of one seed the same faults for the same number of messages */
  readonly seed?: number;
  readonly late?: number;
  readonly inPieces?: number;
  /** 429 over HTTP, −32005 over WebSocket */
  readonly rateLimited?: number;
  /** 500 over HTTP, a closed connection over WebSocket */
  readonly serverError?: number;
  readonly wrongIds?: number;
  /** the connection ends within the answer */
  readonly cutOff?: number;
  /** no JSON */
  readonly garbage?: number;
}

export interface ReplayOptions {
  /** folder with C.jsonl, accounts.json, metadata.json, network.json */
  readonly recording: string;
  /** height of the newest block that is served; default all */
  readonly head?: number;
  readonly faults?: ReplayFaults;
  /** what the node can; default all but `trace_block`, as the recorded C-chain */
  readonly features?: {
    readonly blockReceipts?: boolean;
    readonly callTracer?: boolean;
    readonly traceBlock?: boolean;
    readonly batches?: boolean;
    /** answers null for this block, its receipts or its traces, if they are asked for together */
    readonly withheld?: { readonly height: number; readonly method: string };
    /** newest blocks whose states it keeps for call traces; default all */
    readonly tracedBlocks?: number;
  };
  /**
   * The node executes the blocks up to `head`, which it has accepted, when the test says so, as the C-chain since Helicon; this height at first.
   * Default: at once.
   */
  readonly executed?: number;
  /** default: any free one */
  readonly port?: number;
}

export interface ReplayRpc {
  readonly url: string;
  readonly wsUrl: string;
  /** height of the newest block that is served */
  readonly head: number;
  /** the blocks that are served at present */
  readonly blocks: readonly RecordedBlock[];
  /** More or fewer blocks of the same branch. Subscribers are told. */
  setHead(height: number): void;
  /** undefined: the node executes what it accepts at once */
  readonly execution: Execution | undefined;
  /** Blocks are executed up to this height. Subscribers are told. */
  execute(height: number): void;
  /** The newest `depth` blocks are replaced by `length` (default depth + 1) made-up ones with most of their transactions. */
  reorganise(depth: number, options?: { readonly length?: number; readonly seed?: number }): void;
  /** The recorded blocks again, up to this height (default: all). */
  restore(head?: number): void;
  setFaults(faults: ReplayFaults): void;
  /** calls answered so far, by method */
  readonly counts: ReadonlyMap<string, number>;
  close(): Promise<void>;
}

export async function startReplayRpc({ recording: folder, head, faults, features, executed, port = 0 }: ReplayOptions): Promise<ReplayRpc> {
  const recording = readRecording(folder);
  const newest = recording.blocks.length - 1;
  const chain = new ServedChain(recording.blocks, head ?? newest);
  const execution = executed === undefined ? undefined : new Execution(executed);
  const methods = methodsOf(chain, new RecordedState(recording), recording, { ...features, execution });
  const server = new ReplayServer(methods, { takesBatches: features?.batches !== false });
  if (faults !== undefined) server.nextFault = faultsOf(faults);
  const at = `127.0.0.1:${await server.listen(port)}`;
  const announce = (height: number) => {
    const { transactions, ...header } = chain.block(height)!.block;
    server.announce(header);
  };
  const announced = (change: () => void) => {
    change();
    if (execution === undefined) announce(chain.head);
  };
  return {
    url: `http://${at}`,
    wsUrl: `ws://${at}`,
    get head() {
      return chain.head;
    },
    get blocks() {
      return chain.blocks;
    },
    counts: server.counts,
    execution,
    execute(height) {
      execution!.to(height);
      announce(height);
    },
    setHead: (height) => announced(() => chain.setHead(height)),
    reorganise: (depth, { length = depth + 1, seed } = {}) => announced(() => chain.reorganise(depth, length, seed)),
    restore: (height = newest) => announced(() => chain.restore(height)),
    setFaults(changed) {
      server.nextFault = faultsOf(changed);
    },
    close: () => server.close(),
  };
}
