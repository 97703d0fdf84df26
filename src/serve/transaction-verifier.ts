/**
 * Verifies issued transactions as the chains do, against a committed state, on servers that make no blocks. The first such request after a
 * new height loads the chains' resident rows; other rows that a transaction reads are fetched for it.
 */

import { RpcError } from "../api/rpc/errors.ts";
import type { CommittedState } from "../api/state/committed-states.ts";
import { sha256 } from "../base/bytes/hash.ts";
import { type Id, PLATFORM_CHAIN_ID } from "../base/bytes/id.ts";
import type { Possession } from "../base/signatures/possession-equation.ts";
import { verifyProofsOfPossession } from "../base/signatures/proofs-ahead.ts";
import { recoverAddress, SignatureError } from "../base/signatures/secp256k1.ts";
import type { RowKey } from "../base/table/view.ts";
import { eachInTurns, type RequestWork, type Work } from "../base/work/work.ts";
import { signaturesIn } from "../chains/asset/fx/fx.ts";
import { parseAtomicTx } from "../chains/atomic/tx.ts";
import { txProofs } from "../chains/platform/block.ts";
import { parseTx } from "../chains/platform/tx/registry.ts";
import { type NodeChains, openChains } from "../ingest/chains.ts";
import { fetchRows } from "../ingest/steps.ts";
import type { ExecutionContext } from "../network/execution.ts";
import type { NetworkInstance } from "../network/network.ts";
import { isStandalone } from "../network/standalone.ts";
import { BudgetedReader, type ReadLimits } from "../store/budgeted-reader.ts";
import type { StoreReader } from "../store/store.ts";

interface LoadedChains {
  readonly chains: NodeChains;
  /** verifications that have fetched rows and still use them */
  pending: number;
}

interface VerifyingRequest {
  readonly network: NetworkInstance;
  /** Unix seconds */
  readonly clock: bigint;
  readonly work: RequestWork;
  /** limits on what it reads */
  readonly limits: ReadLimits;
}

/** Throws a RuleError with the node's text if the transaction is invalid. For the C-chain it checks all that needs no EVM. */
export async function verifyIssued(
  state: CommittedState,
  { network, clock, work, limits }: VerifyingRequest,
  chainId: Id,
  txBytes: Uint8Array,
): Promise<void> {
  if (isStandalone(network)) throw new RpcError("couldn't issue tx: this node holds only EVM chains, and none of them can verify it");
  const reader = new BudgetedReader(state.reader, work, limits);
  const loaded = await state.cache.get<LoadedChains>("chains for verification", work, async () => ({
    chains: await openChains(reader, { network, level: "full", projections: [] }),
    pending: 0,
  }));
  loaded.pending++;
  try {
    await verify(loaded.chains, { reader, work, chainId, txBytes }, { network, level: "full", clock });
  } finally {
    // Rows of other running verifications must stay until those are done
    if (--loaded.pending === 0) loaded.chains.view.evict();
  }
}

interface Verified {
  readonly reader: StoreReader;
  readonly work: RequestWork;
  readonly chainId: Id;
  readonly txBytes: Uint8Array;
}

async function verify(chains: NodeChains, { reader, work, chainId, txBytes }: Verified, context: ExecutionContext): Promise<unknown> {
  const { view, network, platform, evm } = chains;
  const fetch = (keys: readonly RowKey[]) => fetchRows(reader, view, keys);
  if (chainId === PLATFORM_CHAIN_ID) {
    const tx = parseTx(txBytes);
    await recoverAhead(work, tx.digest, signaturesOf(tx.credentials));
    await verifyProofsAhead(txProofs(tx.unsigned));
    await fetch(platform.txKeysRead(tx));
    return platform.verifyTx(tx, context);
  }
  if (chainId === network.cChainId) {
    const tx = parseAtomicTx(txBytes);
    const signatures = signaturesOf(tx.credentials).map((signature) => Buffer.from(signature, "hex"));
    await recoverAhead(work, sha256(tx.unsignedBytes), signatures);
    await fetch(evm.txKeysRead(tx));
    return evm.verifyTx(tx, context);
  }
  const asset = chains.assetChain(chainId);
  if (asset === undefined) throw new RpcError("this node does not execute the chain, so it cannot verify its transactions");
  const tx = asset.codec.parseTx(txBytes);
  await recoverAhead(work, sha256(tx.unsignedBytes), tx.credentials.flatMap(signaturesIn));
  await fetch(asset.keysRead(tx));
  return asset.verifyTx(tx, context);
}

interface Signatures<S> {
  readonly signatures: readonly S[];
}

function signaturesOf<S>(credentials: readonly Signatures<S>[]): S[] {
  return credentials.flatMap(({ signatures }) => signatures);
}

// Does the expensive parts of verifying a transaction in advance: recovers signature keys in turns, and verifies proofs of possession on
// other threads. Verification itself cannot pause; it finds these results and reports what is wrong with them.

/** A transaction may have 4,000 signatures, which take 50 µs each. @param digest the hash that they sign */
export async function recoverAhead(work: Work, digest: Uint8Array, signatures: Iterable<Uint8Array>): Promise<void> {
  await eachInTurns(work, signatures, (signature) => {
    try {
      recoverAddress(digest, signature);
    } catch (error) {
      if (!(error instanceof SignatureError)) throw error;
    }
  });
}

/** A single proof is verified faster on this thread. */
async function verifyProofsAhead(proofs: readonly Possession[]): Promise<void> {
  if (proofs.length > 1) await verifyProofsOfPossession(proofs);
}
