import { expect, test } from "vitest";
import { formatAddress } from "../../../../src/base/bytes/address.ts";
import { formatId, formatNodeId } from "../../../../src/base/bytes/cb58.ts";
import { EMPTY_ID } from "../../../../src/base/bytes/id.ts";
import { type Staker, stakerRow } from "../../../../src/chains/platform/state/staker.ts";
import { platformStakers, platformStakingInfo } from "../../../../src/chains/platform/tables.ts";
import { type UnsignedTx, unsignedTx } from "../../../../src/chains/platform/tx/registry.ts";
import { assemble } from "../../../../src/chains/platform/tx/signed.ts";
import { id, PlatformNode, shortId } from "./platform-node.ts";

const AVAX = id(0xaa);
const key = "b0".repeat(48);
const proof = new Uint8Array(96).fill(7);
const base = { networkId: 12345, blockchainId: EMPTY_ID, outputs: [], inputs: [], memo: new Uint8Array(0) };
const owner = (n: number) => ({ kind: "OutputOwners" as const, locktime: 0n, threshold: 1, addresses: [shortId(n)] });
const address = (n: number) => formatAddress("P", "local", shortId(n));

function stake(amount: bigint, owners: number[], stakeableUntil?: bigint) {
  const transfer = { kind: "TransferOutput" as const, amount, locktime: 0n, threshold: 1, addresses: owners.map(shortId) };
  const output = stakeableUntil === undefined ? transfer : { kind: "LockOut" as const, locktime: stakeableUntil, output: transfer };
  return { assetId: AVAX, output };
}

const validator = (nodeId: string, end: bigint, weight: bigint) => ({ nodeId, start: 0n, end, weight });

function put(node: PlatformNode, unsigned: UnsignedTx, record: Omit<Staker, "txId" | "tx" | "publicKey" | "subnetId">): string {
  const tx = assemble(unsignedTx, unsigned, []);
  const staker: Staker = { txId: tx.id, tx: tx.bytes, publicKey: undefined, subnetId: EMPTY_ID, ...record };
  node.reader.put(platformStakers, { txId: tx.id }, stakerRow(staker));
  return formatId(tx.id);
}

/** Two validators, the first with a delegator, and a pending one. */
function stakingNode() {
  const node = new PlatformNode();
  const [first, second, pending] = [shortId(0xa1), shortId(0xa2), shortId(0xa3)];
  const permissionless = {
    kind: "AddPermissionlessValidatorTx" as const,
    ...base,
    validator: validator(first, 900n, 2000n),
    subnetId: EMPTY_ID,
    signer: { kind: "ProofOfPossession" as const, publicKey: key, proofOfPossession: proof },
    stake: [stake(1500n, [1]), stake(500n, [1, 2], 5000n)],
    validationRewardsOwner: owner(1),
    delegationRewardsOwner: owner(2),
    shares: 25_001,
  };
  const delegator = {
    kind: "AddDelegatorTx" as const,
    ...base,
    validator: validator(first, 800n, 30n),
    stake: [stake(30n, [2])],
    rewardsOwner: owner(3),
  };
  const old = {
    kind: "AddValidatorTx" as const,
    ...base,
    validator: validator(second, 700n, 9n),
    stake: [stake(9n, [3])],
    rewardsOwner: owner(3),
    shares: 1_000_000,
  };
  const waiting = { ...old, validator: validator(pending, 1000n, 4n), stake: [stake(4n, [1])] };
  const times = { startTime: 100n, potentialReward: 11n };
  const ids = {
    first: put(node, permissionless, { nodeId: first, weight: 2000n, endTime: 900n, priority: 11, ...times }),
    delegator: put(node, delegator, { nodeId: first, weight: 30n, endTime: 800n, priority: 10, ...times }),
    second: put(node, old, { nodeId: second, weight: 9n, endTime: 700n, priority: 11, ...times }),
    pending: put(node, waiting, { nodeId: pending, weight: 4n, endTime: 1000n, priority: 2, ...times }),
  };
  const info = {
    delegateeReward: 77n,
    accruedValidationRewards: 0n,
    accruedDelegateeRewards: 0n,
    autoCompoundRewardShares: 0,
    nextPeriod: 0n,
  };
  node.reader.put(platformStakingInfo, { subnetId: EMPTY_ID, nodeId: first }, info);
  node.nodeId = first;
  return { node, ids, first, second };
}

const ownerText = (n: number) => `{"locktime":"0","threshold":"1","addresses":["${address(n)}"]}`;

test("validators come by end time with the members and forms of the node; delegators are counted", async () => {
  const { node, ids, first, second } = stakingNode();
  const second_ =
    `{"txID":"${ids.second}","startTime":"100","endTime":"700","weight":"9","nodeID":"${formatNodeId(second)}",` +
    `"validationRewardOwner":${ownerText(3)},"delegationRewardOwner":${ownerText(3)},"potentialReward":"11","accruedDelegateeReward":"0",` +
    `"delegationFee":"100.0000","uptime":"0.0000","connected":false,"delegatorCount":"0","delegatorWeight":"0"}`;
  const first_ =
    `{"txID":"${ids.first}","startTime":"100","endTime":"900","weight":"2000","nodeID":"${formatNodeId(first)}",` +
    `"validationRewardOwner":${ownerText(1)},"delegationRewardOwner":${ownerText(2)},"potentialReward":"11","accruedDelegateeReward":"77",` +
    `"delegationFee":"2.5001","uptime":"0.0000","connected":true,` +
    `"signer":{"publicKey":"0x${key}","proofOfPossession":"0x${"07".repeat(96)}"},"delegatorCount":"1","delegatorWeight":"30"}`;
  expect(await node.ask("getCurrentValidators")).toBe(`{"validators":[${second_},${first_}]}`);
});

test("an auto-renewed validator tells its terms, and what it restaked, which others do not have", async () => {
  const node = new PlatformNode();
  const nodeId = shortId(0xa4);
  const renewed = {
    kind: "AddAutoRenewedValidatorTx" as const,
    ...base,
    nodeId: Buffer.from(nodeId, "hex"),
    signer: { kind: "Empty" as const },
    stake: [stake(50n, [1])],
    validationRewardsOwner: owner(1),
    delegationRewardsOwner: owner(2),
    validatorAuthority: owner(4),
    delegationShares: 20_000,
    autoCompoundRewardShares: 300_000,
    period: 18n,
  };
  const times = { startTime: 100n, endTime: 118n, potentialReward: 3n };
  put(node, renewed, { nodeId, weight: 57n, priority: 11, ...times });
  const restaked = { accruedValidationRewards: 5n, accruedDelegateeRewards: 2n };
  const info = { delegateeReward: 1n, nextPeriod: 20n, autoCompoundRewardShares: 300_000, ...restaked };
  const shown = async () => node.moveTo({}).ask("getCurrentValidators");
  node.reader.put(platformStakingInfo, { subnetId: EMPTY_ID, nodeId }, info);
  const terms = `"validatorAuthority":${ownerText(4)},"nextPeriod":"20","autoCompoundRewardShares":"300000",`;
  expect(await shown()).toContain(`${terms}"restakedValidationRewards":"5","restakedDelegateeRewards":"2","delegatorCount":"0"`);
  node.reader.put(
    platformStakingInfo,
    { subnetId: EMPTY_ID, nodeId },
    { ...info, accruedValidationRewards: 0n, accruedDelegateeRewards: 0n },
  );
  expect(await shown()).toContain(`${terms}"restakedValidationRewards":"0","restakedDelegateeRewards":"0","delegatorCount":"0"`);
});

test("uptimes are shown where they are known, the newest at once; who is never there is not connected", async () => {
  const { node, first, second } = stakingNode();
  const uptimes = new Map([
    [first, 0],
    [second, 795_001],
  ]);
  const shown = async () => {
    const { validators } = JSON.parse(await node.ask("getCurrentValidators"));
    return validators.map(({ uptime, connected }: { uptime: string; connected: boolean }) => [uptime, connected]);
  };
  let version = 0;
  const known = {
    uptime: (_: string, nodeId: string) => uptimes.get(nodeId)!,
    get version() {
      return `${version}`;
    },
  };
  node.facts = { ...node.facts, uptimes: known };
  node.nodeId = second;
  expect(await shown()).toEqual([
    ["79.5001", true],
    ["0.0000", false],
  ]);
  uptimes.set(first, 1_000_000);
  version++;
  expect(await shown()).toContainEqual(["100.0000", true]);
});

test("delegators are shown when one node is asked for, once or twice", async () => {
  const { node, ids, first, second } = stakingNode();
  const ask = (...nodeIds: string[]) => node.ask("getCurrentValidators", { nodeIDs: nodeIds.map((nodeId) => formatNodeId(nodeId)) });
  const delegator =
    `"delegators":[{"txID":"${ids.delegator}","startTime":"100","endTime":"800","weight":"30","nodeID":"${formatNodeId(first)}",` +
    `"rewardOwner":${ownerText(3)},"potentialReward":"11"}]`;
  expect(await ask(first)).toContain(delegator);
  expect(await ask(first, first)).toContain(delegator);
  expect(await ask(second)).toContain('"delegators":[]');
  const both = await ask(first, second);
  expect(both).not.toContain('"delegators"');
  expect(JSON.parse(both).validators).toHaveLength(2);
  expect(await ask(shortId(0xff))).toBe('{"validators":[]}');
});

test("stake is what an address owns of staked outputs, locked ones too, current before pending", async () => {
  const { node } = stakingNode();
  const ask = async (numbers: number[], validatorsOnly = false) => {
    const text = await node.ask("getStake", { addresses: numbers.map((n) => formatId(shortId(n))), validatorsOnly, encoding: "hexnc" });
    const { staked, stakedOutputs } = JSON.parse(text);
    // the amount stands behind version, asset and type, and behind the lock if there is one
    const amounts = stakedOutputs.map((hex: string) =>
      Number(
        `0x${hex
          .slice(2)
          .slice(hex.startsWith("00000016", 70) ? 100 : 76)
          .slice(0, 16)}`,
      ),
    );
    return { staked, amounts };
  };
  expect(await ask([1])).toEqual({ staked: "2004", amounts: [1500, 500, 4] });
  expect(await ask([2])).toEqual({ staked: "530", amounts: [30, 500] });
  expect(await ask([2], true)).toEqual({ staked: "500", amounts: [500] });
  expect(await ask([3, 1, 2, 1])).toEqual({ staked: "2043", amounts: [9, 30, 1500, 500, 4] });
  expect(await ask([9])).toEqual({ staked: "0", amounts: [] });
  expect(JSON.parse(await node.ask("getTotalStake"))).toEqual({ stake: "2039", weight: "2039" });
});

test("more than 256 addresses are refused before any is read", async () => {
  const { node } = stakingNode();
  expect(await node.ask("getStake", { addresses: Array(257).fill("?") })).toBe(
    "257 addresses provided but this method can take at most 256",
  );
});
