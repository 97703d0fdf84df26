import { RpcError } from "../errors.ts";
import { method } from "../method.ts";
import { developmentOf, required, subnetIdParam, textKind, wholeNumber } from "./params.ts";

const MESSAGE_WANTED = "an unsigned warp message in hex (0x…)";
const JUSTIFICATION_WANTED = "bytes in hex (0x…), as a node's signers want them";
const QUORUM_WANTED = "percent of the validators' weight, from 1 to 100";
const DEFAULT_QUORUM = 67n;

export const signWarpMessage = method({
  name: "firn.signWarpMessage",
  summary:
    "Returns a warp message of the P-chain or of an EVM chain with the signatures of its validators, if it is true. A subnet's ID has the validators of that subnet sign.",
  cost: "a few rows",
  computeUnits: 20,
  params: {
    message: textKind("message", MESSAGE_WANTED, bytesOf),
    justification: textKind("justification", JUSTIFICATION_WANTED, bytesOf),
    subnetID: subnetIdParam,
    quorum: wholeNumber("quorum", QUORUM_WANTED),
  },
  async handler({ message, justification, subnetID, quorum = DEFAULT_QUORUM }, context) {
    const unsigned = required(message, "message", MESSAGE_WANTED);
    if (quorum < 1n || quorum > 100n) throw new RpcError(`quorum is ${quorum}; send ${QUORUM_WANTED}`);
    const signed = await developmentOf(context).signWarp(unsigned, { justification, subnetId: subnetID, quorum });
    return { message: `0x${signed.toString("hex")}` };
  },
});

function bytesOf(text: string): Buffer | undefined {
  return /^0x(?:[0-9a-f]{2})*$/i.test(text) ? Buffer.from(text.slice(2), "hex") : undefined;
}
