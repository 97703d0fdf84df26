/** L1s in answers of `firn.*`. */

import { formatId, formatNodeId } from "../../../base/bytes/cb58.ts";
import type { Id } from "../../../base/bytes/id.ts";
import type { JsonObject } from "../../../base/json/go-encode.ts";
import type { L1 } from "../../../devnet/evm/evm-chains.ts";
import type { CreatedL1 } from "../../../devnet/l1/create-l1.ts";

export function createdL1Json({ chainName, evmChainId, chainId, subnetId, validators }: CreatedL1): JsonObject {
  return {
    name: chainName,
    evmChainID: Number(evmChainId),
    blockchainID: formatId(chainId),
    subnetID: formatId(subnetId),
    ...pathsOf(chainId),
    validators: validators.map(({ nodeId, validationId, weight }) => ({
      nodeID: formatNodeId(nodeId),
      validationID: formatId(validationId),
      weight: `${weight}`,
    })),
  };
}

/** One that does not run has the reason instead of a chain ID. */
export function l1Json({ chainName, chainId, subnetId, running, problem }: L1): JsonObject {
  const known = { name: chainName, blockchainID: formatId(chainId), subnetID: formatId(subnetId) };
  if (running === undefined) return { ...known, isUp: false, problem: problem! };
  const { isUp, problem: evmProblem } = running.evm.health();
  return {
    ...known,
    evmChainID: Number(running.spec.evmChainId),
    ...pathsOf(chainId),
    isUp,
    ...(evmProblem !== undefined && { problem: evmProblem }),
  };
}

/** behind the URL that was asked */
function pathsOf(chainId: Id): { readonly rpcPath: string; readonly wsPath: string } {
  const base = `/ext/bc/${formatId(chainId)}`;
  return { rpcPath: `${base}/rpc`, wsPath: `${base}/ws` };
}
