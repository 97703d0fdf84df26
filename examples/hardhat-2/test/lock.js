const { expect } = require("chai");
const { ethers, network } = require("hardhat");
const helpers = require("@nomicfoundation/hardhat-network-helpers");

const { loadFixture, time } = helpers;
const YEAR = 365 * 24 * 60 * 60;
const FIVE_AVAX = ethers.parseEther("5");
const STRANGER = ethers.getAddress("0x00000000000000000000000000000000000b0b00");

describe("Lock", () => {
  async function deployLock() {
    const unlockTime = (await time.latest()) + YEAR;
    const [owner, other] = await ethers.getSigners();
    const lock = await ethers.deployContract("Lock", [unlockTime], { value: FIVE_AVAX });
    await lock.waitForDeployment();
    return { lock, unlockTime, owner, other };
  }

  it("keeps what its owner paid", async () => {
    const { lock, unlockTime, owner } = await loadFixture(deployLock);
    expect(await lock.unlockTime()).to.equal(unlockTime);
    expect(await lock.owner()).to.equal(owner.address);
    expect(await ethers.provider.getBalance(lock)).to.equal(FIVE_AVAX);
  });

  it("is locked until its time", async () => {
    const { lock, unlockTime } = await loadFixture(deployLock);
    await expect(lock.withdraw()).to.be.revertedWithCustomError(lock, "TooEarly").withArgs(unlockTime);
  });

  it("pays its owner once its time has come", async () => {
    const { lock, unlockTime, owner } = await loadFixture(deployLock);
    await time.increaseTo(unlockTime);
    await expect(lock.withdraw()).to.changeEtherBalances([owner, lock], [FIVE_AVAX, -FIVE_AVAX]);
  });

  it("writes down when that was", async () => {
    const { lock, unlockTime } = await loadFixture(deployLock);
    await time.setNextBlockTimestamp(unlockTime);
    await expect(lock.withdraw()).to.emit(lock, "Withdrawn").withArgs(FIVE_AVAX, unlockTime);
  });

  it("pays nobody else: an account of the network, or one that is impersonated", async () => {
    const { lock, other } = await loadFixture(deployLock);
    await time.increase(YEAR);
    await expect(lock.connect(other).withdraw()).to.be.revertedWithCustomError(lock, "NotOwner");

    await helpers.impersonateAccount(STRANGER);
    await helpers.setBalance(STRANGER, ethers.parseEther("1"));
    const stranger = await ethers.getSigner(STRANGER);
    await expect(lock.connect(stranger).withdraw()).to.be.revertedWithCustomError(lock, "NotOwner");
    await helpers.stopImpersonatingAccount(STRANGER);
  });

  it("is as it was when the network goes back to a snapshot", async () => {
    const { lock } = await loadFixture(deployLock);
    const snapshot = await helpers.takeSnapshot();
    await helpers.mine(10);
    await time.increase(YEAR);
    await lock.withdraw();
    await snapshot.restore();
    expect(await ethers.provider.getBalance(lock)).to.equal(FIVE_AVAX);
  });

  it("has its payment in the Data API as soon as that has a receipt", async () => {
    const { lock, owner } = await loadFixture(deployLock);
    await time.increase(YEAR);
    const { hash } = await lock.withdraw();
    const { origin } = new URL(network.config.url);
    const { chainId } = await ethers.provider.getNetwork();
    const response = await fetch(`${origin}/v1/chains/${chainId}/transactions/${hash}`);
    const { internalTransactions } = await response.json();
    const [payment] = internalTransactions.filter(({ from }) => from.address === lock.target);
    expect(payment.value).to.equal(`${FIVE_AVAX}`);
    expect(payment.to.address).to.equal(owner.address);
  });
});
