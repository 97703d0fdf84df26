import { expect, test } from "vitest";
import { formatId, formatNodeId } from "../../../../src/base/bytes/cb58.ts";
import { publicKeyOfSecret } from "../../../../src/base/signatures/bls.ts";
import { platformL1Validators, platformValidatorDiffs } from "../../../../src/chains/platform/tables.ts";
import { validatorSetProgress } from "../../../../src/index/validator-snapshots.ts";
import { id, PlatformNode, shortId } from "./platform-node.ts";

const subnet = id(0x5b);
const key = publicKeyOfSecret(Buffer.alloc(32, 1));
const otherKey = publicKeyOfSecret(Buffer.alloc(32, 2));

function nodeWithHistory(): PlatformNode {
  const node = new PlatformNode().moveTo({ height: 9n });
  const change = (height: bigint, nodeId: string, after: { weight: bigint; publicKey: string | undefined } | undefined) =>
    node.reader.put(platformValidatorDiffs, { subnetId: subnet, height, nodeId }, { before: undefined, after });
  node.reader.put(validatorSetProgress, { subnetId: subnet }, { members: 1, changesSinceSnapshot: 4 });
  change(2n, shortId(1), { weight: 10n, publicKey: key });
  change(2n, shortId(2), { weight: 3n, publicKey: undefined });
  change(5n, shortId(3), { weight: 4n, publicKey: key });
  change(7n, shortId(2), undefined);
  return node;
}

const at = (height: unknown) => ({ height, subnetID: formatId(subnet) });

test("a set is told as of any height up to the last", async () => {
  const node = nodeWithHistory();
  expect(await node.ask("getValidatorsAt", at(1))).toBe("{}");
  const expected = [shortId(1), shortId(2)].map((nodeId) => formatNodeId(nodeId)).sort();
  const early = await node.ask("getValidatorsAt", at(4));
  expect(Object.keys(JSON.parse(early))).toEqual(expected);
  expect(early).toContain(`"${formatNodeId(shortId(2))}":{"publicKey":null,"weight":"3"}`);
  expect(Object.keys(JSON.parse(await node.ask("getValidatorsAt", at("proposed"))))).toHaveLength(2);
  expect(await node.ask("getValidatorsAt", at("9"))).toBe(await node.ask("getValidatorsAt", at("proposed")));
});

test("a height above the last is an error that names both", async () => {
  expect(await nodeWithHistory().ask("getValidatorsAt", at(10))).toBe(
    `failed to get validator set at 10: failed to fetch validator set at unfinalized height with SubnetID = ${formatId(subnet)}: ` +
      "current P-chain height (9) < requested P-Chain height (10)",
  );
});

test.each(["Proposed", "latest", "18446744073709551615", -1, 1.5, "", true])("%j is no height", async (height) => {
  expect(await nodeWithHistory().ask("getValidatorsAt", at(height))).toMatch(/^couldn't unmarshal an argument/);
});

test("all sets join validators by key; the total counts those without one", async () => {
  const sets = JSON.parse(await nodeWithHistory().ask("getAllValidatorsAt", { height: 5 })).validatorSets;
  expect(sets).toEqual({
    [formatId(subnet)]: {
      validators: [{ publicKey: `0x${key}`, weight: "14", nodeIDs: [formatNodeId(shortId(1)), formatNodeId(shortId(3))] }],
      totalWeight: "17",
    },
  });
  expect(JSON.parse(await nodeWithHistory().ask("getAllValidatorsAt", { height: 1 }))).toEqual({ validatorSets: {} });
});

test("a sample holds units of weight, sorted by node", async () => {
  const node = nodeWithHistory();
  const sample = async (size: number) => JSON.parse(await node.ask("sampleValidators", { size, subnetID: formatId(subnet) })).validators;
  expect(await sample(0)).toEqual([]);
  // the whole weight: every node as often as it weighs
  const all = await sample(14);
  expect(all.filter((nodeId: string) => nodeId === formatNodeId(shortId(1)))).toHaveLength(10);
  expect(all).toEqual([...Array(10).fill(formatNodeId(shortId(1))), ...Array(4).fill(formatNodeId(shortId(3)))]);
  const name = formatId(subnet);
  expect(await node.ask("sampleValidators", { size: 15, subnetID: name })).toBe(`sampling ${name} errored with insufficient weight`);
  expect(await node.ask("sampleValidators", { size: 1 })).toBe(`sampling ${formatId(id(0))} errored with missing validators`);
});

test("L1 validators are told one by one and for their subnet, by node, with the balance that is left", async () => {
  const node = new PlatformNode().moveTo({ height: 3n, accruedFees: 40n });
  const owner = { threshold: 1, addresses: [shortId(5)] };
  const nobody = { threshold: 0, addresses: [] };
  const put = (n: number, nodeId: string, endAccumulatedFee: bigint) =>
    node.reader.put(
      platformL1Validators,
      { validationId: id(n) },
      {
        subnetId: subnet,
        nodeId,
        publicKey: otherKey,
        remainingBalanceOwner: owner,
        deactivationOwner: nobody,
        startTime: 7n,
        weight: 20n,
        minNonce: 1n,
        endAccumulatedFee,
      },
    );
  put(1, shortId(9), 100n);
  put(2, shortId(8), 0n);
  const text = await node.ask("getL1Validator", { validationID: formatId(id(1)) });
  const address = /"addresses":\["(P-local1[^"]*)"\]/.exec(text)?.[1];
  expect(text).toBe(
    `{"nodeID":"${formatNodeId(shortId(9))}","weight":"20","startTime":"7","validationID":"${formatId(id(1))}","publicKey":"0x${otherKey}",` +
      `"remainingBalanceOwner":{"locktime":"0","threshold":"1","addresses":["${address}"]},` +
      `"deactivationOwner":{"locktime":"0","threshold":"0","addresses":[]},"minNonce":"1","balance":"60",` +
      `"subnetID":"${formatId(subnet)}","height":"3"}`,
  );
  const { validators } = JSON.parse(await node.ask("getCurrentValidators", { subnetID: formatId(subnet) }));
  expect(validators.map((v: { nodeID: string; balance: string }) => [v.nodeID, v.balance])).toEqual([
    [formatNodeId(shortId(8)), "0"],
    [formatNodeId(shortId(9)), "60"],
  ]);
  const one = JSON.parse(await node.ask("getCurrentValidators", { subnetID: formatId(subnet), nodeIDs: [formatNodeId(shortId(8))] }));
  expect(one.validators).toHaveLength(1);
  expect(JSON.parse(await node.ask("getTotalStake", { subnetID: formatId(subnet) }))).toEqual({ stake: "40", weight: "40" });
  expect(await node.ask("getL1Validator", {})).toBe(`fetching L1 validator "${formatId(id(0))}" failed: not found`);
});
