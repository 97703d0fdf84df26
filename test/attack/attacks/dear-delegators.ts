import { encodeBech32 } from "../../../src/base/bytes/address.ts";
import { formatNodeId } from "../../../src/base/bytes/cb58.ts";
import type { Attack } from "../attack.ts";
import { HRPS } from "../questions.ts";

const MOST = 64;

export const dearDelegators: Attack = {
  name: "dear-delegators",
  does: "asks for delegators and rewards of 64 addresses at 64 nodes: 12,288 ranges each",
  targets: ["serve", "devnet"],
  async run(attacker) {
    await attacker.again(8, (turn) => {
      const bytes = (index: number) => Buffer.alloc(20, `${turn}-${index}`);
      const addresses = Array.from(
        { length: MOST },
        (_, index) => `P-${encodeBech32(HRPS[attacker.target], bytes(index).toString("hex"))}`,
      );
      const nodes = Array.from({ length: MOST }, (_, index) => formatNodeId(bytes(index).toString("hex")));
      const list = ["delegators?rewardAddresses=", "rewards:listPending?addresses=", "rewards?addresses="][turn % 3];
      return attacker.ask({ path: `/v1/networks/fuji/${list}${addresses.join()}&nodeIds=${nodes.join()}&pageSize=100` });
    });
  },
};
