/** `avm.issueTx`, and the same at the wallet's endpoint: the transaction is verified against the current state. */
import { TextError } from "../../primitives/text-error.ts";
import { decodeBytes } from "../byte-encoding.ts";
import { RpcError } from "../errors.ts";
import { type Method, method } from "../method.ts";
import { encoding, string } from "../params.ts";

export const issueTx = issueMethod("avm.issueTx");
/** Deprecated since v1.9.12. */
export const walletIssueTx = issueMethod("wallet.issueTx");

function issueMethod(name: string): Method {
  return method({
    name,
    params: { tx: string, encoding },
    async handler({ tx, encoding: as }, context) {
      const bytes = decodeTx(tx, as);
      await context.issueContext.verify(context.chain.chainId, bytes);
      throw new RpcError("this node cannot propagate transactions: it has no connection to the network");
    },
  });
}

function decodeTx(text: string, as: typeof encoding.zero): Buffer {
  try {
    return decodeBytes(text, as);
  } catch (error) {
    throw error instanceof TextError ? new RpcError(`problem decoding transaction: ${error.message}`) : error;
  }
}
