/** `avm.issueTx`, also at the wallet's endpoint (rpc-avm-info-health 3.7, 3.8). The API adds no prefix to errors. */
import { formatId } from "../../../base/bytes/cb58.ts";
import { CodecError } from "../../../base/codec/error.ts";
import { codecErrorText } from "../../../base/codec/error-text.ts";
import { TextError } from "../../../base/errors/text-error.ts";
import { RpcError } from "../errors.ts";
import { type Method, method } from "../method.ts";
import { decodeBytes, type Encoding, encoding, string } from "../params.ts";
import { chainCodec } from "./chain.ts";

export const issueTx = issueMethod("avm.issueTx", { viaWallet: false });
/** Deprecated since v1.9.12. */
export const walletIssueTx = issueMethod("wallet.issueTx", { viaWallet: true });

function issueMethod(name: string, options: { viaWallet: boolean }): Method {
  return method({
    name,
    summary:
      "Verifies a transaction completely against the current state, and issues it if this node makes blocks, or passes it to the nodes that it follows.",
    cost: "O(inputs + signatures) of at most 256 KiB; on a node that makes no blocks, keys of signatures are recovered in turns",
    computeUnits: 50,
    changesState: true,
    params: { tx: string, encoding },
    async handler({ tx, encoding: as }, context) {
      const bytes = decodeTx(tx, as);
      try {
        return { txID: formatId(await context.beyondState().issueContext.issue(context.chain.chainId, bytes, options)) };
      } catch (error) {
        throw error instanceof CodecError ? new RpcError(codecErrorText(error, await chainCodec(context))) : error;
      }
    },
  });
}

function decodeTx(text: string, as: Encoding): Buffer {
  try {
    return decodeBytes(text, as);
  } catch (error) {
    throw error instanceof TextError ? new RpcError(`problem decoding transaction: ${error.message}`) : error;
  }
}
