import { RpcError } from "../errors.ts";
import { method } from "../method.ts";
import { rfc3339 } from "../platform/rfc3339.ts";
import { checkReachable, clockJson, TIME_WANTED, timeParam } from "./clock-json.ts";
import { developmentOf, required } from "./params.ts";

export const setTime = method({
  name: "firn.setTime",
  summary: "Moves the clock forward to a time, as firn.advanceTime does.",
  cost: "a block for each change on the way",
  computeUnits: 50,
  changesState: true,
  params: { time: timeParam },
  async handler({ time: given }, context) {
    const development = developmentOf(context);
    const time = required(given, "time", TIME_WANTED);
    checkReachable(time);
    const now = development.now();
    if (time < now) {
      throw new RpcError(
        `time is ${rfc3339(time)}, but the clock shows ${rfc3339(now)} and only goes forward; firn.revert restores a snapshot`,
      );
    }
    await development.setTime(time);
    return clockJson(development);
  },
});
