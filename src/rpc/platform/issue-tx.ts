import { RuleError } from "../../network/execution.ts";
import { parseTx } from "../../platform/tx/signed-tx.ts";
import { CodecError } from "../../primitives/codec/error.ts";
import { codecErrorText } from "../../primitives/codec/error-text.ts";
import { TextError } from "../../primitives/text-error.ts";
import { decodeBytes } from "../byte-encoding.ts";
import { RpcError } from "../errors.ts";
import { method } from "../method.ts";
import { type Encoding, encoding, string } from "../params.ts";
import { platformTypeNames } from "./type-names.ts";

/** Verifies fully against the current state and answers with the node's error; a valid transaction cannot be sent on (rpc-platform 5.20). */
export const issueTx = method({
  name: "platform.issueTx",
  summary: "Verifies a transaction at level full against the current state.",
  cost: "O(inputs)",
  params: { tx: string, encoding },
  async handler({ tx: text, encoding: as }, context) {
    const bytes = bytesOf(text, as);
    checkReadable(bytes);
    try {
      await context.issueContext.verify(context.chain.chainId, bytes);
    } catch (error) {
      throw error instanceof RuleError ? new RpcError(`couldn't issue tx: ${error.message}`) : error;
    }
    throw new RpcError("couldn't issue tx: it is valid, but this node follows an archive and has no peers to send it to");
  },
});

function bytesOf(text: string, as: Encoding): Buffer {
  try {
    return decodeBytes(text, as);
  } catch (error) {
    throw error instanceof TextError ? new RpcError(`problem decoding transaction: ${error.message}`) : error;
  }
}

function checkReadable(bytes: Uint8Array): void {
  try {
    parseTx(bytes);
  } catch (error) {
    if (!(error instanceof CodecError)) throw error;
    throw new RpcError(`couldn't parse tx: couldn't parse tx: ${codecErrorText(error, platformTypeNames)}`);
  }
}
