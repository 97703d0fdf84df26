/** OpenZeppelin's TimelockController: what is scheduled can be done after a delay, and not before. */
const { expect } = require("chai");
const { ethers } = require("hardhat");
const { loadFixture, time } = require("@nomicfoundation/hardhat-network-helpers");

const DAY = 24 * 60 * 60;
const RECIPIENT = ethers.getAddress("0x00000000000000000000000000000000000b0b00");
const payment = [RECIPIENT, ethers.parseEther("3"), "0x", ethers.ZeroHash, ethers.ZeroHash];

describe("TimelockController", () => {
  async function deployTimelock() {
    const [admin] = await ethers.getSigners();
    const timelock = await ethers.deployContract("TimelockController", [2 * DAY, [admin], [admin], ethers.ZeroAddress]);
    await admin.sendTransaction({ to: timelock, value: ethers.parseEther("3") });
    return { timelock, id: await timelock.hashOperation(...payment) };
  }

  it("pays after its delay, and not before", async () => {
    const { timelock, id } = await loadFixture(deployTimelock);
    await timelock.schedule(...payment, 2 * DAY);
    await time.increase(2 * DAY - 60);
    expect(await timelock.isOperationReady(id)).to.equal(false);
    await expect(timelock.execute(...payment)).to.be.revertedWithCustomError(timelock, "TimelockUnexpectedOperationState");

    await time.increase(60);
    expect(await timelock.isOperationReady(id)).to.equal(true);
    await expect(timelock.execute(...payment)).to.changeEtherBalance(RECIPIENT, ethers.parseEther("3"));
  });

  it("does nothing that was cancelled", async () => {
    const { timelock, id } = await loadFixture(deployTimelock);
    await timelock.schedule(...payment, 2 * DAY);
    await timelock.cancel(id);
    await time.increase(3 * DAY);
    await expect(timelock.execute(...payment)).to.be.revertedWithCustomError(timelock, "TimelockUnexpectedOperationState");
  });
});
