/** Admits issued transactions to the mempools of their chains. */

import type { Logger } from "pino";
import { formatId } from "../base/bytes/cb58.ts";
import type { Id } from "../base/bytes/id.ts";
import { FirnError } from "../base/errors/errors.ts";
import { NotPrefetchedError, type View } from "../base/table/view.ts";
import type { BuildContext, ChainIssuer } from "../chains/mempool/issuer.ts";
import { fetchRows } from "../ingest/steps.ts";
import type { StoreReader } from "../store/store.ts";

/** An issued transaction. */
export interface Issued {
  readonly chainId: Id;
  readonly tx: { readonly id: Id };
  readonly viaWallet: boolean;
}

/** The result of admission. */
export type Admission =
  | { readonly kind: "admitted" }
  | { readonly kind: "refused"; readonly error: FirnError }
  /** its verification threw an unexpected error: a defect */
  | { readonly kind: "failed"; readonly error: unknown };

interface AdmissionParts {
  readonly store: StoreReader;
  readonly view: View;
  readonly log: Logger;
  readonly issuers: ReadonlyMap<Id, ChainIssuer>;
  readonly skipsMempoolRules: boolean;
  /** of the chain's next block */
  context(chainId: Id): BuildContext;
}

/** Admits transactions in order. */
export async function admitAll(issued: readonly Issued[], parts: AdmissionParts): Promise<Admission[]> {
  const { store, view, log, issuers } = parts;
  const unprepared = await prepare(issued, issuers);
  const keys = issued.flatMap(({ chainId, tx }) => issuers.get(chainId)?.admissionKeys(tx) ?? []);
  await fetchRows(store, view, keys);
  const admissions: Admission[] = [];
  for (const one of issued) {
    const admission = unprepared.get(one.chainId) ?? (await admit(one, parts).catch(unadmitted));
    if (admission.kind === "failed") log.error({ err: admission.error, txId: formatId(one.tx.id) }, "Could not verify a transaction");
    admissions.push(admission);
  }
  return admissions;
}

/** Prepares each chain for its transactions; returns a failed admission for each chain that cannot take any. The others still can. */
async function prepare(issued: readonly Issued[], issuers: ReadonlyMap<Id, ChainIssuer>): Promise<Map<Id, Admission>> {
  const failures = new Map<Id, Admission>();
  for (const [chainId, issuer] of issuers) {
    if (issuer.prepare === undefined) continue;
    const txs = issued.filter((one) => one.chainId === chainId).map(({ tx }) => tx);
    if (txs.length > 0) await issuer.prepare(txs).catch((error: unknown) => failures.set(chainId, unadmitted(error)));
  }
  return failures;
}

/** If a transaction builds on another one of the same round, the rows it reads are known only once that one is admitted. */
async function admit({ chainId, tx, viaWallet }: Issued, parts: AdmissionParts): Promise<Admission> {
  const { store, view, issuers, skipsMempoolRules } = parts;
  const issuer = issuers.get(chainId);
  if (issuer === undefined) throw new FirnError("unknown-chain", `the chain ${formatId(chainId)} does not run here`, { chainId });
  for (let isRetry = false; ; isRetry = true) {
    try {
      // admission tries out what is executed later
      view.tryOut(() => issuer.admit(tx, parts.context(chainId), { viaWallet, skipsMempoolRules }));
      return { kind: "admitted" };
    } catch (error) {
      if (!(error instanceof NotPrefetchedError) || isRetry) throw error;
      await fetchRows(store, view, issuer.admissionKeys(tx));
    }
  }
}

function unadmitted(error: unknown): Admission {
  return error instanceof FirnError ? { kind: "refused", error } : { kind: "failed", error };
}
