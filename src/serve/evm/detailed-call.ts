/** `eth_callDetailed` of coreth and saevm: a call that tells the gas it used, and why it failed. */

import type { JsonValue } from "../../base/json/raw-json.ts";
import { EvmRequestError } from "../../devnet/anvil/evm-error.ts";
import type { EvmNode } from "../../devnet/anvil/evm-node.ts";
import { askAsClient } from "./ask-as-client.ts";

interface Frame {
  readonly gasUsed: string;
  readonly output?: string;
  readonly error?: string;
  readonly revertReason?: string;
}

const INVALID_PARAMS = -32_602;
const REVERTED = "execution reverted";
/** of a revert, as `eth_call` has it */
const REVERT_CODE = 3;

/** @param params the call, the block, and overrides of accounts */
export async function detailedCall(evm: EvmNode, [call, block, overrides]: readonly unknown[], client?: object): Promise<JsonValue> {
  if (call === undefined) throw missing(0);
  if (block === undefined || block === null) throw missing(1);
  const options = { tracer: "callTracer", tracerConfig: { onlyTopCall: true }, ...(overrides ? { stateOverrides: overrides } : {}) };
  const at = block === "pending" ? "latest" : block;
  const frame = (await askAsClient(evm, "debug_traceCall", [call, at, options], client)) as unknown as Frame;
  const { gasUsed, output = "0x", error = "", revertReason } = frame;
  const isRevert = error === REVERTED;
  const err = isRevert && revertReason !== undefined ? `${REVERTED}: ${revertReason}` : error;
  return { gas: Number(gasUsed), errCode: isRevert ? REVERT_CODE : 0, err, returnData: output };
}

function missing(argument: number): EvmRequestError {
  return new EvmRequestError("eth_callDetailed", { code: INVALID_PARAMS, message: `missing value for required argument ${argument}` });
}
