import { RpcError } from "../errors.ts";
import { method } from "../method.ts";
import type { ParamKind } from "../params.ts";
import { createdL1Json } from "./l1-json.ts";
import { developmentOf, text, wholeNumber } from "./params.ts";

/** JSON, as an object or in a text. */
const genesisParam: ParamKind<Uint8Array | undefined> = {
  zero: undefined,
  decode(token) {
    if (token.kind === "null") return undefined;
    // a body has one character per byte
    if (token.kind === "object") return Buffer.from(token.raw, "latin1");
    if (token.kind === "string") return Buffer.from(token.text);
    throw new RpcError(`genesis is a ${token.kind}; send the chain's genesis as JSON`);
  },
};

export const createL1 = method({
  name: "firn.createL1",
  summary: "Makes an L1: a subnet, a chain of Subnet-EVM, its conversion, and validators. Answers once the chain's RPC does.",
  cost: "three transactions, and the start of an EVM",
  computeUnits: 100,
  changesState: true,
  params: {
    name: text("name", "a name of letters, digits and spaces"),
    genesis: genesisParam,
    evmChainID: wholeNumber("evmChainID", "a whole number that no other chain has, such as 99001"),
    validators: wholeNumber("validators", "a whole number from 1 to 16"),
  },
  async handler({ name, genesis, evmChainID: evmChainId, validators }, context) {
    const wish = { name, genesis, evmChainId, ...(validators !== undefined && { validators: Number(validators) }) };
    return createdL1Json(await developmentOf(context).createL1(wish));
  },
});
