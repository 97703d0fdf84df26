/** An EVM chain as routes get it, with only the settings that a test gives. */
import type { EvmChain } from "../../../../src/api/data/evm/evm-chain.ts";
import type { EvmLabels } from "../../../../src/evm/labels/labels.ts";
import type { RpcCall, UpstreamRpc } from "../../../../src/sources/upstream/upstream-rpc.ts";
import { network } from "../../../index/primary/utxos/utxo-world.ts";
import type { Asked } from "../staking/request.ts";

export const silentLabels: EvmLabels = {
  token: () => undefined,
  tokensNamed: () => [],
  name: () => undefined,
  addressesNamed: () => [],
  price: () => undefined,
  methodName: () => undefined,
};

export function evmChain(options: Partial<EvmChain> & { startBlock?: bigint } = {}): EvmChain {
  const { startBlock = 0n, ...known } = options;
  return {
    chain: 3,
    evmChainId: 43112n,
    settings: {
      name: "Test",
      description: "",
      blockchainId: undefined,
      subnetId: undefined,
      vmId: undefined,
      isTestnet: true,
      nativeToken: { name: "Avalanche", symbol: "AVAX", decimals: 18, logoUri: undefined, description: undefined },
      publicRpcUrl: "http://127.0.0.1:1",
      publicWsUrl: undefined,
      explorerUrl: undefined,
      logoUri: undefined,
      isPrivate: false,
      startBlock,
      maxReorgDepth: 0,
      multicall: undefined,
      traces: true,
      metrics: true,
      messengers: undefined,
      files: { tokenList: undefined, prices: undefined, names: undefined, abis: [] },
      nfts: { fetches: false, ipfsGateway: undefined, maxBytes: 1, timeoutMs: 1 },
    },
    rpc: undefined,
    multicall: undefined,
    labels: silentLabels,
    reindexNft: undefined,
    ...known,
  };
}

/** A node that answers each call with what `answer` returns, or fails with what it throws. */
export interface EvmCall extends RpcCall {
  readonly params: readonly unknown[];
}

export function modelRpc(answer: (call: EvmCall) => unknown): UpstreamRpc {
  return {
    request: async (method, params) => answer({ method, params } as EvmCall),
    requestAll: async (calls) =>
      calls.map((call) => {
        try {
          return { result: answer(call as EvmCall) };
        } catch (error) {
          return { error: error as Error };
        }
      }),
  };
}

export function askedOf(chain: EvmChain): Asked {
  return { network, clock: 0n, evmChain: chain };
}
