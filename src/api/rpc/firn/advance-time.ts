import { RpcError } from "../errors.ts";
import { method } from "../method.ts";
import { checkReachable, clockJson } from "./clock-json.ts";
import { developmentOf, required, wholeNumber } from "./params.ts";

const WANTED = "the number of seconds to move the clock forward by, e.g. 86400";

export const advanceTime = method({
  name: "firn.advanceTime",
  summary: "Moves the clock forward: stakers start and end, rewards are paid, L1 balances drain, locked outputs unlock.",
  cost: "a block for each change on the way",
  computeUnits: 50,
  changesState: true,
  params: { seconds: wholeNumber("seconds", WANTED) },
  async handler({ seconds: given }, context) {
    const development = developmentOf(context);
    const seconds = required(given, "seconds", WANTED);
    if (seconds === 0n) throw new RpcError(`seconds is 0; send ${WANTED}`);
    checkReachable(development.now() + seconds);
    await development.advanceTime(seconds);
    return clockJson(development);
  },
});
