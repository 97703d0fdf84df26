/**
 * Verifies issued transactions as the chains do, against a committed state, where nobody makes blocks of them. The chains are loaded at
 * the first such request after a height has moved: resident rows only, what a transaction reads besides them is fetched for it.
 */

import { parseAtomicTx } from "../atomic/tx.ts";
import { type NodeChains, openChains } from "../ingest/chains.ts";
import { fetchRows } from "../ingest/execute.ts";
import type { ExecutionContext } from "../network/execution.ts";
import type { NetworkInstance } from "../network/network.ts";
import { isStandalone } from "../network/standalone.ts";
import { parseTx } from "../platform/tx/signed-tx.ts";
import { type Id, PLATFORM_CHAIN_ID } from "../primitives/id.ts";
import type { RowKey } from "../primitives/view.ts";
import { RpcError } from "../rpc/errors.ts";
import type { CommittedState } from "./committed-states.ts";

interface LoadedChains {
  readonly chains: NodeChains;
  /** verifications between fetching their rows and using them */
  pending: number;
}

/** Throws a RuleError with the node's text, or, of a valid transaction, why it goes nowhere. */
export async function refuseToIssue(
  state: CommittedState,
  { network, clock }: { network: NetworkInstance; clock: bigint },
  chainId: Id,
  txBytes: Uint8Array,
): Promise<never> {
  if (isStandalone(network)) throw new RpcError("couldn't issue tx: this node holds EVM chains only, and no chain that could verify it");
  const loaded = await state.cache.get<LoadedChains>("chains for verification", async () => ({
    chains: await openChains(state.reader, { network, level: "full", projections: [] }),
    pending: 0,
  }));
  loaded.pending++;
  try {
    await verify(loaded.chains, state, chainId, txBytes, { network, level: "full", clock });
  } finally {
    // Rows of other verifications must stay until they are done
    if (--loaded.pending === 0) loaded.chains.view.evict();
  }
  throw new RpcError(
    chainId === network.cChainId
      ? "couldn't issue tx: this node does not run the C-chain's EVM and has no peers to send it to"
      : "couldn't issue tx: it is valid, but this node follows an archive and has no peers to send it to",
  );
}

async function verify(
  chains: NodeChains,
  { reader }: CommittedState,
  chainId: Id,
  txBytes: Uint8Array,
  context: ExecutionContext,
): Promise<unknown> {
  const { view, network, platform, evm } = chains;
  const fetch = (keys: readonly RowKey[]) => fetchRows(reader, view, keys);
  if (chainId === PLATFORM_CHAIN_ID) {
    const tx = parseTx(txBytes);
    await fetch(platform.txKeysRead(tx));
    return platform.verifyTx(tx, context);
  }
  if (chainId === network.cChainId) {
    const tx = parseAtomicTx(txBytes);
    await fetch(evm.txKeysRead(tx));
    return evm.verifyTx(tx, context);
  }
  const asset = chains.assetChain(chainId);
  if (asset === undefined) throw new RpcError("this node does not execute the chain, so it cannot verify its transactions");
  const tx = asset.codec.parseTx(txBytes);
  await fetch(asset.keysRead(tx));
  return asset.verifyTx(tx, context);
}
