import { expect, test } from "vitest";
import { platformMethods } from "../../../../src/api/rpc/platform/methods.ts";
import { formatId } from "../../../../src/base/bytes/cb58.ts";
import { platformSupplies } from "../../../../src/chains/platform/tables.ts";
import { id, PlatformNode } from "./platform-node.ts";

test("the service has the reference node's 31 methods", () => {
  expect(new Set(platformMethods.map(({ name }) => name)).size).toBe(31);
});

test("heights are strings, fees are numbers, times have no fraction", async () => {
  const node = new PlatformNode().moveTo({
    height: 2n ** 64n - 2n,
    timestamp: 1_734_369_547n,
    feeCapacity: 973_044n,
    feeExcess: 21_640_430n,
    l1Excess: 0n,
  });
  expect(await node.ask("getHeight")).toBe('{"height":"18446744073709551614"}');
  expect(await node.ask("getProposedHeight")).toBe('{"height":"18446744073709551614"}');
  expect(await node.ask("getTimestamp")).toBe('{"timestamp":"2024-12-16T17:19:07Z"}');
  expect(await node.ask("getFeeState")).toBe('{"capacity":973044,"excess":21640430,"price":22026,"timestamp":"2024-12-16T17:19:07Z"}');
  expect(await node.ask("getValidatorFeeState")).toBe('{"excess":0,"price":1,"timestamp":"2024-12-16T17:19:07Z"}');
  expect(await node.ask("getFeeConfig")).toBe(
    '{"weights":[1,1000,1000,4],"maxCapacity":1000000,"maxPerSecond":100000,"targetPerSecond":50000,"minPrice":1,"excessConversionConstant":2164043}',
  );
  expect(await node.ask("getValidatorFeeConfig")).toBe('{"capacity":20000,"target":10000,"minPrice":1,"excessConversionConstant":865617}');
});

test("staking parameters are the network's, or an error for a subnet that is not elastic", async () => {
  const node = new PlatformNode();
  expect(await node.ask("getMinStake")).toBe('{"minValidatorStake":"2000000000000","minDelegatorStake":"25000000000"}');
  expect(await node.ask("getStakingAssetID")).toBe(`{"assetID":"${formatId(id(0xaa))}"}`);
  const text = `failed fetching subnet transformation for ${formatId(id(9))}: not found`;
  expect(await node.ask("getMinStake", { subnetID: formatId(id(9)) })).toBe(text);
  expect(await node.ask("getStakingAssetID", { subnetID: formatId(id(9)) })).toBe(text);
});

test("a supply comes with the height", async () => {
  const node = new PlatformNode().moveTo({ height: 4n });
  node.reader.put(platformSupplies, { subnetId: id(0) }, { supply: 360n });
  expect(await node.ask("getCurrentSupply", { SUBNETID: null })).toBe('{"supply":"360","height":"4"}');
  expect(await node.ask("getCurrentSupply", { subnetID: formatId(id(9)) })).toBe("fetching current supply failed: not found");
});

test("what cannot be read as a transaction is worded as the node does", async () => {
  const node = new PlatformNode();
  const issue = (tx: string, encoding = "hexnc") => node.ask("issueTx", { tx, encoding });
  expect(await issue("0x", "hex")).toBe("problem decoding transaction: input string is smaller than the checksum size");
  expect(await issue("0x00", "json")).toBe("problem decoding transaction: unsupported encoding in method");
  const parse = "couldn't parse tx: couldn't parse tx: ";
  expect(await issue("")).toBe(`${parse}couldn't unpack codec version`);
  expect(await issue("0x0001")).toBe(`${parse}unknown codec version`);
  expect(await issue("0x0000")).toBe(`${parse}couldn't unmarshal interface: packer has insufficient length for input`);
  expect(await issue("0x0000000000ff")).toBe(`${parse}couldn't unmarshal interface: unknown type ID 255`);
  expect(await issue("0x00000000000c")).toBe(`${parse}couldn't unmarshal uint32: packer has insufficient length for input`);
  expect(await issue("0x00000000002200000001")).toBe(`${parse}packer has insufficient length for input`);
  expect(await issue("0x000000000007")).toBe(
    `${parse}couldn't unmarshal interface: *secp256k1fx.TransferOutput does not implement interface txs.UnsignedTx`,
  );
});
