import { expect, test } from "vitest";
import { formatNodeId } from "../../../src/base/bytes/cb58.ts";
import type { Introduction } from "../../../src/p2p/handshake.ts";
import { connectedValidators } from "../../../src/sources/peers/connected-validators.ts";

const nodeId = (digit: number) => `${digit}`.repeat(40);
const peer = (digit: number, upgradeTime: bigint) => ({ nodeId: nodeId(digit), introduction: { upgradeTime } as Introduction });

test("shares are of all stake, and who has none counts nowhere", () => {
  const validators = new Map([
    [nodeId(1), 10n],
    [nodeId(2), 20n],
    [nodeId(3), 30n],
    [nodeId(4), 40n],
  ]);
  expect(connectedValidators(new Map(), [])).toBeUndefined();
  const found = connectedValidators(validators, [peer(1, 7n), peer(2, 7n), peer(3, 8n), peer(9, 9n)]);
  expect(found).toEqual({
    connectedShare: 0.6,
    disconnected: [formatNodeId(nodeId(4))],
    // as much stake as the other one has, which came first
    upgradeTime: 7,
    upgradeShare: 0.3,
    upgradeTimes: 2,
  });
  const none = connectedValidators(validators, [])!;
  expect(none).toMatchObject({ connectedShare: 0, upgradeTime: 0, upgradeShare: 0, upgradeTimes: 0 });
  expect(none.disconnected).toEqual([...validators.keys()].map(formatNodeId).sort());
});
