/** IDs of calls that the EVM would refuse or write otherwise: geth takes any JSON that is no object and no array, and sends it back as it came. */

import { JsonToken } from "../../base/json/go-decode.ts";
import type { EvmCall } from "../../devnet/anvil/evm-call.ts";

/** What the EVM sends back as it came. */
const PLAIN = /^(?:0|[1-9]\d{0,14}|"[ !#-[\]-~]{0,256}")$/;
const OURS = "1";
const HEAD = `{"jsonrpc":"2.0","id":${OURS},`;

/** Whether geth takes the ID. @param id JSON */
export function isValidId(id: string): boolean {
  return !/^[[{]/.test(id);
}

/** The call under an ID of Firn's own, if its ID is not plain. */
export function withPlainId(call: EvmCall): EvmCall {
  if (call.id === undefined || PLAIN.test(call.id)) return call;
  let params = "";
  const token = JsonToken.first(Buffer.from(call.raw).toString("latin1"));
  token.members((name, value) => {
    if (name === "params") params = `,"params":${Buffer.from(value.raw, "latin1").toString()}`;
  });
  return { ...call, id: OURS, raw: `${HEAD}"method":${JSON.stringify(call.method)}${params}}` };
}

/** @param answer to the call that `withPlainId` made of this one */
export function withClientsId(answer: Buffer, { id }: EvmCall): Buffer {
  if (id === undefined || PLAIN.test(id) || !answer.subarray(0, HEAD.length).equals(Buffer.from(HEAD))) return answer;
  return Buffer.concat([Buffer.from(`{"jsonrpc":"2.0","id":${id},`), answer.subarray(HEAD.length)]);
}
