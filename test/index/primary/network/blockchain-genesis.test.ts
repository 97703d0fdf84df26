import { describe, expect, test } from "vitest";
import { evmChainIdOf } from "../../../../src/index/primary/network/blockchain-genesis.ts";

describe("the EVM chain ID of a genesis", () => {
  test.each<[string, bigint]>([
    ['{"config":{"chainId":43114}}', 43_114n],
    ['{"config":{"chainId":"0xa868"}}', 0n],
    ['{"config":{"chainId":1e999}}', 0n],
    ['{"config":{"chainId":-1}}', 0n],
    ['{"config":{"chainId":1.5}}', 0n],
    ['{"config":{"chainId":9007199254740993}}', 0n],
    ['{"config":{"chainId":{}}}', 0n],
    ['{"config":[43114]}', 0n],
    ['{"config":null}', 0n],
    ["{}", 0n],
    ["not JSON", 0n],
  ])("of %s is %s", (genesis, expected) => {
    expect(evmChainIdOf(Buffer.from(genesis))).toBe(expected);
  });
});
