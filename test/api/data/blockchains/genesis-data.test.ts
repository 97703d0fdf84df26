import { Blockchain$inboundSchema as avacloudBlockchain } from "@avalabs/avacloud-sdk/models/components/blockchain.js";
import { Blockchain$inboundSchema as chainkitBlockchain } from "@avalanche-sdk/chainkit/models/components/blockchain.js";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { genesisData, genesisDataSchema } from "../../../../src/api/data/blockchains/genesis-data.ts";
import { responseWriter } from "../../../../src/api/data/response-writer.ts";
import { nameId } from "../../../../src/base/bytes/id.ts";

const EVM = nameId("evm");

function bytes(json: unknown): Uint8Array {
  return Buffer.from(typeof json === "string" ? json : JSON.stringify(json));
}

function sentTo(genesis: Uint8Array, schema: typeof chainkitBlockchain | typeof avacloudBlockchain) {
  const blockchain = {
    createBlockTimestamp: 1_766_080_370,
    createBlockNumber: "23797323",
    blockchainId: "BxUT6DyUMnJiD3Bxnhe7dAEe2bLaeL6eCHsjAiP5wua9eNzyb",
    vmId: "cpEmfPHfq9jwt92JW7sZMgaz9EL5fg1nJRwUKhYiUeE33CqEW",
    subnetId: "wLUs2Y29LqC3vGWrjHaATw2fw5XxSjE63hxPeG7oJ6VcXSgTn",
    blockchainName: "QRTMS",
    evmChainId: 199_664,
    genesisData: genesisData(genesis, EVM),
  };
  return schema.safeParse(JSON.parse(JSON.stringify(blockchain)));
}

/** Members that the SDKs know, at any level, with values of any kind: likelier to hurt than arbitrary names. */
const names = [
  ..."airdropAmount airdropHash alloc baseFeePerGas blobGasUsed coinbase config difficulty excessBlobGas extraData gasLimit number".split(
    " ",
  ),
  ..."chainId eip150Hash allowFeeRecipients feeConfig warpConfig txAllowListConfig rewardManagerConfig minBaseFee".split(" "),
  ..."blockTimestamp adminAddresses requirePrimaryNetworkSigners balance code storage __proto__ constructor 0x00 toString".split(" "),
];
const { genesis: anyGenesis } = fc.letrec((tie) => ({
  value: fc.oneof(
    { maxDepth: 5 },
    fc.constantFrom<unknown>(null, true, 0, -1, 1.5, 1e21, "", "0x5d21dba00", "12", "x", [], {}, ["0x00", 7]),
    fc.jsonValue({ maxDepth: 2 }),
    fc.array(tie("value"), { maxLength: 3 }),
    tie("genesis"),
  ),
  genesis: fc.uniqueArray(fc.tuple(fc.constantFrom(...names), tie("value")), { maxLength: 6, selector: ([name]) => name }).map(
    // defines a member called __proto__ too
    (entries) => Object.fromEntries(entries) as unknown,
  ),
}));

describe("genesis data", () => {
  test("is taken by both official SDKs, whatever JSON the genesis is", () => {
    fc.assert(
      fc.property(fc.oneof(anyGenesis, fc.jsonValue()), (json) => {
        expect(sentTo(bytes(json), chainkitBlockchain).error).toBeUndefined();
        expect(sentTo(bytes(json), avacloudBlockchain).error).toBeUndefined();
      }),
      { numRuns: 2000 },
    );
  });

  test("is written whole into answers", () => {
    const write = responseWriter(genesisDataSchema);
    for (const genesis of [bytes({ config: { chainId: 1, unknown: [null] }, other: "x" }), bytes("no JSON")]) {
      expect(JSON.parse(write(genesisData(genesis, EVM)))).toEqual(genesisData(genesis, EVM));
    }
  });

  test("would be refused by an SDK if it were passed on as it is", () => {
    const genesis = { baseFeePerGas: "0x5d21dba00", number: 0, config: { chainId: "7" } };
    const passedOn = { ...JSON.parse(JSON.stringify(sentTo(bytes({}), chainkitBlockchain).data)), genesisData: genesis };
    expect(chainkitBlockchain.safeParse(passedOn).success).toBe(false);
    expect(genesisData(bytes(genesis), EVM)).toEqual({ baseFeePerGas: 25_000_000_000, number: "0x0", config: { chainId: 7 } });
  });

  test("keeps what the SDKs take and what they do not know, and leaves out what has no clear meaning", () => {
    const kept = {
      config: { chainId: 43_113, feeConfig: { gasLimit: 8_000_000, other: [1] }, warpConfig: { requirePrimaryNetworkSigners: true } },
      alloc: { "0100": { balance: "0x0", nonce: "0x1", storage: { "0x00": "0x01" } } },
      baseFeePerGas: null,
      airdropAmount: null,
      extraData: "0x00",
      unknown: { deep: [null, 1e300] },
    };
    expect(genesisData(bytes(kept), EVM)).toEqual(kept);
    const unclear = {
      config: { chainId: [1], feeConfig: null, txAllowListConfig: { adminAddresses: ["0x01", 2], enabledAddresses: "0x01" } },
      alloc: { "0100": 5, "0200": { balance: -1, code: null, storage: [] } },
      gasLimit: { value: 1 },
      baseFeePerGas: "one",
    };
    expect(genesisData(bytes(unclear), EVM)).toEqual({
      config: { txAllowListConfig: { adminAddresses: ["0x01"] } },
      alloc: { "0200": {} },
    });
  });

  test("is hex if the genesis is no JSON object, nests without end, or is an asset chain's", () => {
    const endless = `{"a":${"[".repeat(200_000)}${"]".repeat(200_000)}}`;
    for (const genesis of ["[1]", "null", '"text"', "{", "\u0000\u0001", endless]) {
      expect(genesisData(bytes(genesis), EVM)).toEqual({ encoding: "hex", data: `0x${Buffer.from(genesis).toString("hex")}` });
    }
    expect(genesisData(Buffer.from("7b7dff", "hex"), EVM)).toEqual({ encoding: "hex", data: "0x7b7dff" });
    expect(genesisData(bytes("{}"), nameId("avm"))).toEqual({ encoding: "hex", data: "0x7b7d" });
  });
});
