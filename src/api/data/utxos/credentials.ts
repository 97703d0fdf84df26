/** Who signed for a spent UTXO: the credentials of the consuming transaction, with the public keys recovered from the signatures. */

import { sha256 } from "../../../base/bytes/hash.ts";
import type { Id } from "../../../base/bytes/id.ts";
import { Recent } from "../../../base/collections/bounded-cache.ts";
import { recoverPublicKey, SignatureError } from "../../../base/signatures/secp256k1.ts";
import { eachInTurns, mapInTurns } from "../../../base/work/work.ts";
import { atomicTxs } from "../../../chains/atomic/tables.ts";
import { parseAtomicTx } from "../../../chains/atomic/tx.ts";
import { parseTx } from "../../../chains/platform/tx/registry.ts";
import { P_CHAIN, type PrimaryChain, X_CHAIN } from "../../../index/primary/primary-chain.ts";
import type { UtxoRecord } from "../../../index/primary/transactions/tx-effects.ts";
import { xChainCodec } from "../../../index/primary/utxos/utxo-codec.ts";
import { readAssetTxs, readPlatformTxs } from "../../../index/stored-txs.ts";
import type { DataContext } from "../context.ts";

export interface Credential {
  readonly signature?: string;
  readonly publicKey?: string;
}

type Spent = NonNullable<UtxoRecord["spent"]>;
type CredentialContext = Pick<DataContext, "reader" | "network" | "work">;

/** Recovering a key takes about 50 µs, so credentials of recently shown UTXOs are kept. */
const recent = new Recent<string, readonly Credential[]>(20_000);

function nameOf({ txId, inputIndex }: Spent): string {
  return `${txId}${inputIndex}`;
}

/** In the order of `spent`; undefined if the store does not have the transaction. One read for all. */
export async function credentialsOf(
  spent: readonly (Spent | undefined)[],
  context: CredentialContext,
): Promise<(readonly Credential[] | undefined)[]> {
  const unknown = spent.filter((one): one is Spent => one !== undefined && recent.get(nameOf(one)) === undefined);
  const txs = await signedTxs(unknown, context);
  return mapInTurns(context.work, spent, (one) => {
    if (one === undefined) return undefined;
    const kept = recent.get(nameOf(one));
    if (kept !== undefined) return kept;
    const tx = txs.get(one.txId);
    if (tx === undefined) return undefined;
    const credentials = readCredential(tx, one.inputIndex);
    recent.set(nameOf(one), credentials);
    return credentials;
  });
}

interface Signatures {
  readonly unsignedBytes: Uint8Array;
  readonly credentials: readonly object[];
}

async function signedTxs(spent: readonly Spent[], { reader, network, work }: CredentialContext): Promise<ReadonlyMap<Id, Signatures>> {
  const txs = new Map<Id, Signatures>();
  const chains = new Map(spent.map(({ txId, chain }) => [txId, chain as PrimaryChain]));
  const txIds = [...chains.keys()];
  const read = async (chain: PrimaryChain) => {
    const ofChain = txIds.filter((txId) => chains.get(txId) === chain);
    return { chain, ofChain, rows: await readTxs(chain, ofChain, { reader, network }) };
  };
  for (const { chain, ofChain, rows } of await Promise.all([...new Set(chains.values())].map(read))) {
    await eachInTurns(work, rows.entries(), ([i, row]) => row && txs.set(ofChain[i]!, parse(chain, row.bytes, network)));
  }
  return txs;
}

async function readTxs(
  chain: PrimaryChain,
  txIds: readonly Id[],
  { reader, network }: Pick<CredentialContext, "reader" | "network">,
): Promise<({ bytes: Uint8Array } | undefined)[]> {
  if (chain === P_CHAIN) return readPlatformTxs(reader, txIds);
  if (chain === X_CHAIN) return readAssetTxs(reader, { chain: 0, chainId: network.xChainId }, txIds);
  return reader.getMany(
    atomicTxs,
    txIds.map((txId) => ({ txId })),
  );
}

function parse(chain: PrimaryChain, bytes: Uint8Array, network: DataContext["network"]): Signatures {
  if (chain === P_CHAIN) return parseTx(bytes);
  return chain === X_CHAIN ? xChainCodec(network).parseTx(bytes) : parseAtomicTx(bytes);
}

export function readCredential({ credentials, unsignedBytes }: Signatures, inputIndex: number): Credential[] {
  const { signatures = [] } = (credentials[inputIndex] ?? {}) as { signatures?: readonly (Uint8Array | string)[] };
  const digest = sha256(unsignedBytes);
  return signatures.map((signature) => {
    const bytes = typeof signature === "string" ? Buffer.from(signature, "hex") : signature;
    const publicKey = recover(digest, bytes);
    return { signature: base64(bytes), ...(publicKey !== undefined && { publicKey: base64(publicKey) }) };
  });
}

/** Returns undefined for an invalid signature, which a store that was imported without verification may have. */
function recover(digest: Uint8Array, signature: Uint8Array): Uint8Array | undefined {
  try {
    return recoverPublicKey(digest, signature);
  } catch (error) {
    if (error instanceof SignatureError) return undefined;
    throw error;
  }
}

function base64(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString("base64").replace(/=+$/, "");
}
