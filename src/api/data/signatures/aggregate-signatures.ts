import Type, { type Static } from "typebox";
import type { Id } from "../../../base/bytes/id.ts";
import type { DataContext } from "../context.ts";
import { badRequest, DataError } from "../errors.ts";
import { parseIdParam, shown } from "../ids.ts";
import { namedObject } from "../named-object.ts";
import { dataRoute } from "../route.ts";
import { messageOfTransaction } from "./message-of-transaction.ts";
import type { SigningRequest } from "./warp-signer.ts";

const DEFAULT_QUORUM = 67;

const percent = (description: string) => Type.Optional(Type.Integer({ minimum: 0, maximum: 100, description }));

const signatureRequest = namedObject("SignatureAggregatorRequest", {
  message: Type.Optional(Type.String({ description: "The unsigned warp message in hex, with or without 0x." })),
  justification: Type.Optional(
    Type.String({
      description:
        "In hex: what validators need besides to see that a message of the P-chain is true, such as a subnet's ID for its conversion.",
    }),
  ),
  signingSubnetId: Type.Optional(
    Type.String({ description: "Subnet whose validators sign: hex or cb58. By default that of the message's source." }),
  ),
  quorumPercentage: percent(`Percent of the validators' weight that must sign. By default, and for 0, ${DEFAULT_QUORUM}.`),
  quorumPercentageBuffer: percent("Percent of the weight that may sign besides. By default 0."),
  pChainHeight: Type.Optional(
    Type.Integer({
      minimum: 0,
      maximum: Number.MAX_SAFE_INTEGER,
      description: "P-chain height of the validators. By default, and for 0, that which a block would propose.",
    }),
  ),
});

const signatureResponse = namedObject("SignatureAggregationResponse", {
  signedMessage: Type.String({ description: "The signed warp message in hex, without 0x." }),
});

const COMMON = { tag: "Primary network: signatures", computeUnits: 20, status: 201, query: Type.Object({}) } as const;
const WHO_SIGNS =
  "On a devnet its validators sign. Another server asks the aggregator that its operator names (`signatureAggregator`), and answers 503 without one.";

export const aggregateSignatures = dataRoute({
  ...COMMON,
  method: "POST",
  path: "/signatureAggregator/{network}/aggregateSignatures",
  operationId: "aggregateSignatures",
  summary: "Has validators sign a warp message, if it is true.",
  description: WHO_SIGNS,
  cost: "One request to the aggregator",
  needs: [],
  body: signatureRequest,
  response: signatureResponse,
  handle: async ({ body }, context) => signed(requestOf(body), context),
});

export const getAggregatedSignatures = dataRoute({
  ...COMMON,
  method: "GET",
  path: "/signatureAggregator/{network}/aggregateSignatures/{txHash}",
  operationId: "getAggregatedSignatures",
  summary: "The message with which the P-chain answers an L1's manager about a transaction, signed.",
  description: `A ConvertSubnetToL1Tx, a RegisterL1ValidatorTx, and a SetL1ValidatorWeightTx with a weight have one; the L1's validators sign. ${WHO_SIGNS}`,
  cost: "Three rows, and one request to the aggregator",
  isOfState: false,
  params: Type.Object({ txHash: Type.String({ minLength: 1, description: "Transaction ID of the P-chain (cb58)." }) }),
  response: signatureResponse,
  async handle({ params }, context) {
    const request = await messageOfTransaction(parseIdParam("txHash", params.txHash), context);
    return signed({ ...request, quorum: DEFAULT_QUORUM, quorumBuffer: 0, height: 0n }, context);
  },
});

async function signed(request: SigningRequest, { warpSigner }: DataContext): Promise<Static<typeof signatureResponse>> {
  if (warpSigner === undefined) {
    throw new DataError(503, "this server has nobody who signs warp messages; its operator can name an aggregator (signatureAggregator)");
  }
  const message = await warpSigner.sign(request);
  return { signedMessage: Buffer.from(message).toString("hex") };
}

function requestOf(body: Static<typeof signatureRequest>): SigningRequest {
  const { quorumPercentage, quorumPercentageBuffer: quorumBuffer = 0, pChainHeight = 0 } = body;
  const quorum = quorumPercentage || DEFAULT_QUORUM;
  if (quorum + quorumBuffer > 100) throw badRequest("quorumPercentage and quorumPercentageBuffer must be 100 together at most");
  const message = bytesOf("message", body.message);
  if (message === undefined) throw badRequest("message must be the unsigned warp message in hex");
  return {
    message,
    justification: bytesOf("justification", body.justification),
    subnetId: subnetOf(body.signingSubnetId),
    quorum,
    quorumBuffer,
    height: BigInt(pChainHeight),
  };
}

/** undefined: absent, or empty */
function bytesOf(name: string, text = ""): Uint8Array | undefined {
  const digits = text.replace(/^0x/i, "");
  if (!/^(?:[0-9a-fA-F]{2})*$/.test(digits)) throw badRequest(`${name} must be hex, got ${shown(text)}`);
  return digits === "" ? undefined : Buffer.from(digits, "hex");
}

function subnetOf(text = ""): Id | undefined {
  if (text === "") return undefined;
  const digits = text.replace(/^0x/i, "");
  return /^[0-9a-fA-F]{64}$/.test(digits) ? digits.toLowerCase() : parseIdParam("signingSubnetId", text);
}
