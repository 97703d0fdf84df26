/** Time that is moved: every change on the way comes in a block of its own time. */
import { describe, expect, test } from "vitest";
import { networkInstance } from "../../src/ingest/network-instance.ts";
import { localGenesis } from "../../src/network/local-genesis.ts";
import { formatNetworkFile } from "../../src/network/network-file.ts";
import { localNetwork } from "../../src/network/presets.ts";
import { buildGenesis } from "../../src/platform/genesis-config.ts";
import { sha256 } from "../../src/primitives/hash.ts";
import { DAY, heightOf, NOW, startNetwork } from "./engine-network.ts";

const YEAR = 365n * DAY;

/** A network of that many validators that end one after the other, each minute one. */
function networkOf(count: number) {
  const genesis = localGenesis({ startTime: NOW });
  const { rewardAddress, delegationFee } = genesis.initialStakers[0]!;
  const initialStakers = Array.from({ length: count }, (_, index) => {
    const nodeId = sha256(Buffer.from(`node ${index}`)).toString("hex", 0, 20);
    return { rewardAddress, delegationFee, nodeId };
  });
  const network = localNetwork();
  const config = { ...genesis, initialStakers, initialStakeDurationOffset: 60n };
  return { network: networkInstance(network, buildGenesis(config)), networkFile: Buffer.from(formatNetworkFile(network)) };
}

describe("a year", () => {
  test("sees a thousand validators off, with a proposal and a decision each", async () => {
    const { devnet } = await startNetwork({}, networkOf(1000));
    await devnet.advanceTime(YEAR);
    expect(await heightOf(devnet, "P")).toBe(2000n);
    expect(devnet.clock.seconds()).toBe(NOW + YEAR);
  });
});
