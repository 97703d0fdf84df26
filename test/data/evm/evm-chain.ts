/** An EVM chain as routes see it, with nothing that the operator said but what a test says. */
import type { EvmChain } from "../../../src/data/evm/evm-chain.ts";
import type { EvmLabels } from "../../../src/evm/labels/labels.ts";
import type { EvmRpc, RpcCall } from "../../../src/evm/rpc/evm-rpc.ts";
import { network } from "../../index/primary/utxo-world.ts";
import type { Asked } from "../staking/request.ts";

export const silentLabels: EvmLabels = { token: () => undefined, price: () => undefined, methodName: () => undefined };

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
      files: { tokenList: undefined, prices: undefined, abis: [] },
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
export function modelRpc(answer: (call: RpcCall) => unknown): EvmRpc {
  return {
    request: async (method, params) => answer({ method, params }),
    requestAll: async (calls) =>
      calls.map((call) => {
        try {
          return { result: answer(call) };
        } catch (error) {
          return { error: error as Error };
        }
      }),
  };
}

export function askedOf(chain: EvmChain): Asked {
  return { network, clock: 0n, evmChain: chain };
}
