/** A transaction that no answer has: it may wait for a block, have been dropped, or be one of the EVM. */
import { useEffect } from "preact/hooks";
import { ApiError } from "../../api/errors.ts";
import { useAnswer } from "../../api/queries.ts";
import { ChainText } from "../../components/chain-text.tsx";
import { Failure, Loading } from "../../components/states.tsx";
import { Title } from "../../components/title.tsx";
import { to } from "../../router.ts";
import { useChains } from "./chains.ts";
import { readTxStatus, type TxName } from "./node-tx.ts";

/** A transaction that the index does not have may be on its way, or have been dropped. */
export function MissingTransaction({ chain, id, error, onRetry }: TxName & { readonly error: unknown; onRetry(): void }) {
  const isNotFound = error instanceof ApiError && error.isNotFound;
  const status = useAnswer([chain, "transaction", id, "fate"], () => readTxStatus({ chain, id }), { isWanted: isNotFound, follows: chain });
  if (isNotFound && status.isLoading) return <Loading />;
  const { status: fate, reason } = status.data ?? {};
  if (fate === "Processing") return <div class="notice">It waits for a block, and will be shown here once it is in one.</div>;
  if (fate === "Dropped" || fate === "Rejected") {
    return (
      <div class="notice bad" role="alert">
        <strong>{fate}.</strong> It will not be in any block
        {reason !== undefined && reason !== "" && (
          <>
            : <ChainText text={reason} />
          </>
        )}
      </div>
    );
  }
  return <Failure error={error} onRetry={onRetry} />;
}

/** A hash of the C-chain's EVM: its screen is another one. */
export function EvmTransaction({ hash }: { readonly hash: string }) {
  const chains = useChains();
  const evmChainId = chains?.evmChainId;
  useEffect(() => {
    if (evmChainId !== undefined) location.replace(to.evmTransaction(evmChainId, hash));
  }, [evmChainId]);
  if (chains !== undefined && evmChainId === undefined) {
    return (
      <>
        <Title text="Transaction of the C-chain" />
        <div class="notice">
          This server does not index the EVM of the C-chain. Of that chain it has imports and exports only, by their IDs.
        </div>
      </>
    );
  }
  return <Loading />;
}
