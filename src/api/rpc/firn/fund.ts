import { RpcError } from "../errors.ts";
import { method } from "../method.ts";
import { developmentOf, required, text, wholeNumber } from "./params.ts";

const ADDRESS_WANTED = "an address of P, X or C (P-local1…, X-local1…, 0x…)";
const AMOUNT_WANTED = "nAVAX; 1000000000 are 1 AVAX";

export const fund = method({
  name: "firn.fund",
  summary: "Pays AVAX from the pre-funded key to an address of P, X or C. Returns the ID of the transaction, on C its hash.",
  cost: "a transaction",
  computeUnits: 50,
  changesState: true,
  params: { address: text("address", ADDRESS_WANTED), amount: wholeNumber("amount", AMOUNT_WANTED) },
  async handler(params, context) {
    const address = required(params.address, "address", ADDRESS_WANTED);
    const amount = required(params.amount, "amount", AMOUNT_WANTED);
    if (amount === 0n) throw new RpcError(`amount is 0; send ${AMOUNT_WANTED}`);
    return { txID: await developmentOf(context).fund(address, amount) };
  },
});
