/** What becomes of transactions that clients issue to a server that makes no blocks: verified, then passed to the nodes that it follows. */

import type { LiveNode } from "../api/live-node/live-node.ts";
import { RpcError } from "../api/rpc/errors.ts";
import type { IssueContext } from "../api/rpc/method.ts";
import { sha256 } from "../base/bytes/hash.ts";
import type { Id } from "../base/bytes/id.ts";
import type { Limits } from "../base/limits.ts";
import type { NetworkInstance } from "../network/network.ts";
import type { IssuingRequest } from "./node-server.ts";

export interface IssuingParts {
  readonly network: NetworkInstance;
  readonly limits: Limits;
  /** undefined: this server follows no node */
  readonly live: LiveNode | undefined;
}

export function issuingTo({ network, limits, live }: IssuingParts): (request: IssuingRequest) => IssueContext {
  return ({ states, clock, work }) => ({
    async issue(chainId, txBytes) {
      // Chains are large and few requests verify transactions, so they are loaded by the first one that does
      const { verifyIssued } = await import("./transaction-verifier.ts");
      await states.use((state) => verifyIssued(state, { network, clock, work, limits }, chainId, txBytes));
      if (live === undefined) throw withoutNodes(chainId, network);
      const txId = Buffer.from(sha256(txBytes)).toString("hex");
      const refusal = await live.issue({ chainId, txId, bytes: Buffer.from(txBytes).toString("hex") });
      if (refusal !== undefined) throw new RpcError(refusal.sentence);
      return txId;
    },
    status: (chainId, txId) => live?.status(chainId, txId),
    isPendingChain: () => false,
  });
}

function withoutNodes(chainId: Id, { cChainId }: NetworkInstance): RpcError {
  return new RpcError(
    chainId === cChainId
      ? "couldn't issue tx: this node does not run the C-chain's EVM and has no peers to send it to"
      : "couldn't issue tx: it is valid, but this node follows an archive and has no peers to send it to",
  );
}
