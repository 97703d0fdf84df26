/** Advances chain time, in the eras before blocks contained a time. Rules: chain-rules 6.2, 10.21. */

import { u64, type Value, variant } from "../../../base/codec/codec.ts";
import { RuleError } from "../../../network/execution.ts";
import { goTime, timeText } from "../../../network/go-time.ts";
import { isActive } from "../../../network/network.ts";
import { advanceTime, checkNewTime } from "../time.ts";
import { defineTx } from "./base.ts";
import { verifyNoCredentials } from "./reward-rules.ts";

const codec = variant("AdvanceTimeTx", { time: u64 });
export type AdvanceTimeTx = Value<typeof codec>;

export const advanceTimeTx = defineTx<AdvanceTimeTx>({
  name: "AdvanceTimeTx",
  typeId: 19,
  codec,
  names: () => [],
  keysRead: () => [],
  verifyForm() {},
  propose(tx, { state, network, clock }, branch) {
    verifyNoCredentials(tx);
    const { time } = tx.unsigned;
    if (isActive(network, "banff", goTime(time))) {
      const [proposed, banff] = [timeText(time), timeText(network.upgrades.times.banff)];
      const text = `AdvanceTimeTx issued after Banff: proposed timestamp (${proposed}) >= Banff fork time (${banff})`;
      throw new RuleError("advance-after-banff", text);
    }
    checkNewTime(state, time, clock);
    if (branch === "commit") advanceTime(state, time);
  },
});
