/** A P-chain service over rows in memory. Requests and answers are the texts that clients see. */

import { answerRequest } from "../../../../src/api/rpc/dispatcher.ts";
import type { IssueContext, RpcContext } from "../../../../src/api/rpc/method.ts";
import { platformMethods } from "../../../../src/api/rpc/platform/methods.ts";
import { Service } from "../../../../src/api/rpc/service.ts";
import { KeptAnswers } from "../../../../src/api/state/kept-answers.ts";
import { NO_PEERS, type NodeFacts } from "../../../../src/api/state/node-facts.ts";
import { PLATFORM_CHAIN_ID } from "../../../../src/base/bytes/id.ts";
import { RequestWork } from "../../../../src/base/work/work.ts";
import { platformChain } from "../../../../src/chains/platform/tables.ts";
import { parseTx } from "../../../../src/chains/platform/tx/registry.ts";
import type { NetworkInstance } from "../../../../src/network/network.ts";
import { localNetwork } from "../../../../src/network/presets.ts";
import { MemoryReader } from "../memory-reader.ts";

const service = new Service(platformMethods);
let states = 0;

export const id = (n: number) => n.toString(16).padStart(64, "0");
export const shortId = (n: number) => n.toString(16).padStart(40, "0");

export class PlatformNode {
  readonly reader = new MemoryReader();
  readonly network: NetworkInstance;
  clock = 1_700_000_000n;
  nodeId = shortId(0xee);
  facts: NodeFacts = { peerSource: NO_PEERS, publicIp: "" };
  readonly #kept = new KeptAnswers(2 ** 20);
  issueContext: IssueContext = { issue: async (_, bytes) => parseTx(bytes).id, status: () => undefined, isPendingChain: () => false };

  constructor(network: Partial<NetworkInstance> = {}) {
    const ids = { genesisBytes: new Uint8Array(0), genesisId: id(0xf0), xChainId: id(0xf1), cChainId: id(0xf2), avaxAssetId: id(0xaa) };
    this.network = { ...localNetwork(), ...ids, ...network };
    this.moveTo({});
  }

  /** Starts a new state of the chain: derived values are kept under its last block. */
  moveTo(changes: {
    height?: bigint;
    timestamp?: bigint;
    feeCapacity?: bigint;
    feeExcess?: bigint;
    l1Excess?: bigint;
    accruedFees?: bigint;
  }): this {
    const scalars = { height: 0n, timestamp: 0n, feeCapacity: 0n, feeExcess: 0n, l1Excess: 0n, accruedFees: 0n, ...changes };
    this.reader.put(platformChain, { slot: 0 }, { ...scalars, lastAccepted: id(0xb10c0000 + states++) });
    return this;
  }

  /** of the store's history */
  generation: number | undefined = 0;

  /** The answer's body without its envelope: result, or message of the error. */
  async ask(method: string, params: string | object = {}): Promise<string> {
    const sent = typeof params === "string" ? params : JSON.stringify(params);
    const body = `{"jsonrpc":"2.0","id":1,"method":"platform.${method}","params":${sent}}`;
    const options = {
      onDefect: (error: unknown) => {
        throw error;
      },
    };
    const answer = await answerRequest(service, body, async (use) => use(this.#context()), options);
    const text = typeof answer.body === "string" ? answer.body : Buffer.concat(answer.body ?? []).toString();
    const [, result] = /^\{"jsonrpc":"2\.0","result":(.*),"id":1\}\n$/s.exec(text) ?? [];
    return result ?? JSON.parse(text).error.message;
  }

  #context(): RpcContext {
    const cache = new Map<string, Promise<unknown>>();
    return {
      reader: this.reader,
      generation: this.generation,
      work: new RequestWork(),
      network: this.network,
      chain: { chainId: PLATFORM_CHAIN_ID, alias: "P" },
      node: { nodeId: this.nodeId, blsPublicKey: "", proofOfPossession: "" },
      kept: this.#kept,
      beyondState: () => ({ clock: this.clock, now: this.clock * 1_000_000_000n, issueContext: this.issueContext, facts: this.facts }),
      cached<T>(name: string, make: () => Promise<T>): Promise<T> {
        if (!cache.has(name)) cache.set(name, make());
        return cache.get(name) as Promise<T>;
      },
    } as unknown as RpcContext;
  }
}
