/** Why a transaction failed, as its contracts said it. */
import { ChainText } from "../../components/chain-text.tsx";
import { Id } from "../../components/id.tsx";
import { Answer } from "../../components/states.tsx";
import { to } from "../../router.ts";
import { useAbi } from "./abi/abi-store.ts";
import { decodeError, reasonOf } from "./abi/decode.ts";
import { type Call, useCalls } from "./calls.ts";
import { Bytes, DecodedItem } from "./decoded.tsx";
import { originOfFailure } from "./origin-of-failure.ts";
import { IfAvailable } from "./parts.tsx";

export function FailureReason({ chainId, txHash }: { readonly chainId: string; readonly txHash: string }) {
  const calls = useCalls(chainId, txHash);
  return (
    <IfAvailable of={calls}>
      <Answer of={calls}>
        {(answer) => {
          const origin = originOfFailure(answer.calls);
          return origin === undefined ? "The node's trace does not say." : <Reason chainId={chainId} of={origin} root={answer.calls[0]!} />;
        }}
      </Answer>
    </IfAvailable>
  );
}

/** @param root the transaction's own call, whose contract may declare the error too */
function Reason({ chainId, of, root }: { readonly chainId: string; readonly of: Call; readonly root: Call }) {
  return (
    <>
      <ErrorOf chainId={chainId} of={of} also={root.to?.address} />
      {of.depth > 0 && of.to !== undefined && (
        <p class="quiet">
          It failed in a call of <Id value={of.to.address} href={to.evmAddress(chainId, of.to.address)} />.
        </p>
      )}
    </>
  );
}

/** The error of one call: the node's words, and what the contract returned. */
export function ErrorOf({ chainId, of, also }: { readonly chainId: string; readonly of: Call; readonly also?: string | undefined }) {
  const { error = "", revertReason, output, outputLength } = of;
  const own = useAbi(chainId, of.to?.address ?? "")?.index;
  const around = useAbi(chainId, also ?? "")?.index;
  const decoded = [own, around]
    .map((index) => decodeError(output, index))
    .toSorted((a, b) => Number(b?.isOwn ?? 0) - Number(a?.isOwn ?? 0))[0];
  const reason = (decoded && reasonOf(decoded)) ?? revertReason;
  return (
    <>
      <ChainText text={error} />
      {reason !== undefined && (
        <>
          : <ChainText text={reason} />
        </>
      )}
      {reason === undefined && decoded && <DecodedItem chainId={chainId} of={decoded} />}
      {reason === undefined && decoded === undefined && output !== "0x" && (
        <>
          , with an error that is not known: <Bytes hex={output} length={outputLength} />
        </>
      )}
    </>
  );
}
