/** OpenZeppelin's TimelockController: what is scheduled can be done after a delay, and not before. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { network } from "hardhat";
import { parseEther, zeroAddress, zeroHash } from "viem";

const DAY = 24 * 60 * 60;
const RECIPIENT = "0x00000000000000000000000000000000000b0b00";

const { viem, networkHelpers } = await network.create();
const { time } = networkHelpers;

async function deployTimelock() {
  const [admin] = await viem.getWalletClients();
  const { address } = admin.account;
  const timelock = await viem.deployContract("TimelockController", [BigInt(2 * DAY), [address], [address], zeroAddress]);
  await admin.sendTransaction({ to: timelock.address, value: parseEther("3") });
  return { timelock, publicClient: await viem.getPublicClient() };
}

const payment = [RECIPIENT, parseEther("3"), "0x", zeroHash, zeroHash] as const;

describe("TimelockController", () => {
  it("pays after its delay, and not before", async () => {
    const { timelock, publicClient } = await networkHelpers.loadFixture(deployTimelock);
    await timelock.write.schedule([...payment, BigInt(2 * DAY)]);
    const id = await timelock.read.hashOperation(payment);
    await time.increase(2 * DAY - 60);
    assert.equal(await timelock.read.isOperationReady([id]), false);
    await viem.assertions.revertWithCustomError(timelock.write.execute(payment), timelock, "TimelockUnexpectedOperationState");

    await time.increase(60);
    assert.equal(await timelock.read.isOperationReady([id]), true);
    await timelock.write.execute(payment);
    assert.equal(await publicClient.getBalance({ address: RECIPIENT }), parseEther("3"));
  });

  it("does nothing that was cancelled", async () => {
    const { timelock } = await networkHelpers.loadFixture(deployTimelock);
    await timelock.write.schedule([...payment, BigInt(2 * DAY)]);
    await timelock.write.cancel([await timelock.read.hashOperation(payment)]);
    await time.increase(3 * DAY);
    await viem.assertions.revertWithCustomError(timelock.write.execute(payment), timelock, "TimelockUnexpectedOperationState");
  });
});
