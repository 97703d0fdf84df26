/** Services of one chain's endpoints over rows in memory. Requests and answers are the texts that clients see. */

import { answerRequest } from "../../../src/api/rpc/dispatcher.ts";
import type { Development } from "../../../src/api/rpc/firn/development.ts";
import type { IssueContext, Method, RpcContext } from "../../../src/api/rpc/method.ts";
import { Service } from "../../../src/api/rpc/service.ts";
import type { EndpointChain } from "../../../src/api/state/committed-states.ts";
import { KeptAnswers } from "../../../src/api/state/kept-answers.ts";
import { RequestWork } from "../../../src/base/work/work.ts";
import type { NetworkInstance } from "../../../src/network/network.ts";
import { localNetwork } from "../../../src/network/presets.ts";
import { MemoryReader } from "./memory-reader.ts";

export const id = (n: number) => n.toString(16).padStart(64, "0");
export const shortId = (n: number) => n.toString(16).padStart(40, "0");

export class ChainNode {
  readonly reader = new MemoryReader();
  readonly network: NetworkInstance;
  readonly chain: EndpointChain;
  clock = 1_700_000_000n;
  issueContext: IssueContext = { issue: async () => id(1), status: () => undefined, isPendingChain: () => false };
  development: Development | undefined;
  readonly #service: Service;
  readonly #kept = new KeptAnswers(2 ** 20);

  constructor(methods: readonly Method[], chain: Partial<EndpointChain> = {}, network: Partial<NetworkInstance> = {}) {
    const ids = { genesisBytes: new Uint8Array(0), genesisId: id(0xf0), xChainId: id(0xf1), cChainId: id(0xf2), avaxAssetId: id(0xaa) };
    this.network = { ...localNetwork(), ...ids, ...network };
    this.chain = { chainId: this.network.xChainId, chain: 0, alias: "X", ...chain };
    this.#service = new Service(methods);
  }

  /** The answer's body without its envelope: result, or message of the error. */
  async ask(method: string, params: object = {}): Promise<string> {
    const body = `{"jsonrpc":"2.0","id":1,"method":"${method}","params":${JSON.stringify(params)}}`;
    const options = {
      onDefect: (error: unknown) => {
        throw error;
      },
    };
    const answer = await answerRequest(this.#service, body, async (use) => use(this.#context()), options);
    const text = typeof answer.body === "string" ? answer.body : Buffer.concat(answer.body ?? []).toString();
    const [, result] = /^\{"jsonrpc":"2\.0","result":(.*),"id":1\}\n$/s.exec(text) ?? [];
    return result ?? JSON.parse(text).error.message;
  }

  async result<T>(method: string, params: object = {}): Promise<T> {
    return JSON.parse(await this.ask(method, params)) as T;
  }

  #context(): RpcContext {
    const { reader, network, clock, chain, issueContext, development } = this;
    const cache = new Map<string, Promise<unknown>>();
    return {
      reader,
      work: new RequestWork(),
      network,
      chain,
      isDevnet: development !== undefined,
      kept: this.#kept,
      beyondState: () => ({ clock, now: clock * 1_000_000_000n, issueContext, development }),
      node: { nodeId: shortId(0xee), blsPublicKey: "", proofOfPossession: "" },
      cached<T>(name: string, make: () => Promise<T>): Promise<T> {
        if (!cache.has(name)) cache.set(name, make());
        return cache.get(name) as Promise<T>;
      },
    } as unknown as RpcContext;
  }
}
