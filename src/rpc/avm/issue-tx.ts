/** `avm.issueTx`, and the same at the wallet's endpoint: the transaction is verified against the current state. */
import { CodecError } from "../../primitives/codec/error.ts";
import { codecErrorText } from "../../primitives/codec/error-text.ts";
import { TextError } from "../../primitives/text-error.ts";
import { decodeBytes } from "../byte-encoding.ts";
import { RpcError } from "../errors.ts";
import { type Method, method } from "../method.ts";
import { type Encoding, encoding, string } from "../params.ts";
import { chainCodec } from "./chain.ts";

export const issueTx = issueMethod("avm.issueTx");
/** Deprecated since v1.9.12. */
export const walletIssueTx = issueMethod("wallet.issueTx");

function issueMethod(name: string): Method {
  return method({
    name,
    summary: "Verifies a transaction at level full against the current state.",
    cost: "O(inputs)",
    params: { tx: string, encoding },
    async handler({ tx, encoding: as }, context) {
      const codec = await chainCodec(context);
      const bytes = decodeTx(tx, as);
      try {
        codec.parseTx(bytes);
      } catch (error) {
        throw error instanceof CodecError ? new RpcError(codecErrorText(error, codec)) : error;
      }
      await context.issueContext.verify(context.chain.chainId, bytes);
      throw new RpcError("couldn't issue tx: it is valid, but this node follows an archive and has no peers to send it to");
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
