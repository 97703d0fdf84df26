import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { network } from "hardhat";
import { getAddress, parseEther } from "viem";

const YEAR = 365 * 24 * 60 * 60;
const FIVE_AVAX = parseEther("5");
const STRANGER = getAddress("0x00000000000000000000000000000000000b0b00");

interface Payment {
  from: { address: string };
  to: { address: string };
  value: string;
}

const { viem, networkHelpers, networkConfig } = await network.create();
const { time } = networkHelpers;

async function deployLock() {
  const unlockTime = BigInt((await time.latest()) + YEAR);
  const lock = await viem.deployContract("Lock", [unlockTime], { value: FIVE_AVAX });
  const [owner, other] = await viem.getWalletClients();
  return { lock, unlockTime, owner, other, publicClient: await viem.getPublicClient() };
}

describe("Lock", () => {
  it("keeps what its owner paid", async () => {
    const { lock, unlockTime, owner, publicClient } = await networkHelpers.loadFixture(deployLock);
    assert.equal(await lock.read.unlockTime(), unlockTime);
    assert.equal(await lock.read.owner(), getAddress(owner.account.address));
    assert.equal(await publicClient.getBalance({ address: lock.address }), FIVE_AVAX);
  });

  it("is locked until its time", async () => {
    const { lock, unlockTime } = await networkHelpers.loadFixture(deployLock);
    await viem.assertions.revertWithCustomErrorWithArgs(lock.write.withdraw(), lock, "TooEarly", [unlockTime]);
  });

  it("pays its owner once its time has come", async () => {
    const { lock, unlockTime, owner } = await networkHelpers.loadFixture(deployLock);
    await time.increaseTo(unlockTime);
    await viem.assertions.balancesHaveChanged(lock.write.withdraw(), [
      { address: owner.account.address, amount: FIVE_AVAX },
      { address: lock.address, amount: -FIVE_AVAX },
    ]);
  });

  it("writes down when that was", async () => {
    const { lock, unlockTime } = await networkHelpers.loadFixture(deployLock);
    await time.setNextBlockTimestamp(unlockTime);
    await viem.assertions.emitWithArgs(lock.write.withdraw(), lock, "Withdrawn", [FIVE_AVAX, unlockTime]);
  });

  it("pays nobody else: an account of the network, or one that is impersonated", async () => {
    const { lock, other } = await networkHelpers.loadFixture(deployLock);
    await time.increase(YEAR);
    await viem.assertions.revertWithCustomError(lock.write.withdraw({ account: other.account }), lock, "NotOwner");

    await networkHelpers.impersonateAccount(STRANGER);
    await networkHelpers.setBalance(STRANGER, parseEther("1"));
    await viem.assertions.revertWithCustomError(lock.write.withdraw({ account: STRANGER }), lock, "NotOwner");
    await networkHelpers.stopImpersonatingAccount(STRANGER);
  });

  it("is as it was when the network goes back to a snapshot", async () => {
    const { lock, publicClient } = await networkHelpers.loadFixture(deployLock);
    const snapshot = await networkHelpers.takeSnapshot();
    await networkHelpers.mine(10);
    await time.increase(YEAR);
    await lock.write.withdraw();
    await snapshot.restore();
    assert.equal(await publicClient.getBalance({ address: lock.address }), FIVE_AVAX);
  });

  it("has its payment in the Data API as soon as that has a receipt", async () => {
    const { lock, owner, publicClient } = await networkHelpers.loadFixture(deployLock);
    await time.increase(YEAR);
    const hash = await lock.write.withdraw();
    assert(networkConfig.type === "http");
    const { origin } = new URL(await networkConfig.url.getUrl());
    const response = await fetch(`${origin}/v1/chains/${await publicClient.getChainId()}/transactions/${hash}`);
    const { internalTransactions } = (await response.json()) as { internalTransactions: Payment[] };
    const [payment] = internalTransactions.filter(({ from }) => from.address === getAddress(lock.address));
    assert.equal(payment.value, `${FIVE_AVAX}`);
    assert.equal(payment.to.address, getAddress(owner.account.address));
  });
});
