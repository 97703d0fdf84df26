import { resolve } from "node:path";
import { describe, expect, test } from "vitest";
import { parseId } from "../../src/base/bytes/cb58.ts";
import { chainEntries, readConfig } from "../../src/cli/config.ts";
import { entryOf, parseChainEntries } from "../../src/evm/chain-entry.ts";

const RPC = "http://127.0.0.1:9650/ext/bc/C/rpc";
const ID = "2q9e4r6Mu3U68nU1fYjgbR6JvwrRx36CohpAX5UQxse55x1Q5";

describe("Entries of chains", () => {
  test("need nothing but a URL", () => {
    expect(parseChainEntries([{ rpc: RPC }], "chains")).toEqual([entryOf([RPC])]);
  });

  test("take all that can be said of a chain", () => {
    const [entry] = parseChainEntries(
      [
        {
          rpc: ["ws://127.0.0.1:1/ws", RPC],
          evmChainId: 1337,
          name: "Ours",
          description: "of us",
          blockchainId: ID,
          subnetId: ID,
          vmId: ID,
          isTestnet: true,
          nativeToken: { name: "Our coin", symbol: "OUR", decimals: 6, logoUri: "https://a.example/our.svg", description: "ours" },
          publicRpcUrl: "https://rpc.example.org",
          publicWsUrl: "wss://rpc.example.org",
          explorerUrl: "https://explorer.example.org",
          logoUri: "https://a.example/logo.svg",
          isPrivate: true,
          startBlock: 100,
          maxReorgDepth: 12,
          multicall: "0xcA11bde05977b3631167028862bE2a173976CA11",
          traces: false,
          metrics: false,
          messengers: ["0xcA11bde05977b3631167028862bE2a173976CA11"],
          files: { tokenList: "tokens.json", prices: "/etc/prices.json", names: "names.json", abis: ["a.json"] },
          nfts: { fetches: true, ipfsGateway: "https://ipfs.example.org/ipfs/", maxBytes: 1000, timeoutMs: 500 },
        },
      ],
      "chains",
    );
    const id = parseId(ID);
    expect(entry).toMatchObject({
      rpc: ["ws://127.0.0.1:1/ws", RPC],
      evmChainId: 1337n,
      blockchainId: id,
      subnetId: id,
      vmId: id,
      nativeToken: { decimals: 6 },
      startBlock: 100n,
      maxReorgDepth: 12,
      multicall: "ca11bde05977b3631167028862be2a173976ca11",
      traces: false,
      metrics: false,
      messengers: ["ca11bde05977b3631167028862be2a173976ca11"],
      files: {
        tokenList: resolve("tokens.json"),
        prices: "/etc/prices.json",
        names: resolve("names.json"),
        abis: [resolve("a.json")],
      },
      nfts: { fetches: true, maxBytes: 1000 },
    });
    expect(Object.values(entry!)).not.toContain(undefined);
  });

  test.each([
    [{}, "chains is {}; use a list"],
    [[{}], "chains: [0].rpc is missing"],
    [["http://a"], '[0] is "http://a"; use an object'],
    [[{ rpc: [] }], "[0].rpc is []; use at least one URL"],
    [[{ rpc: "ftp://a" }], '[0].rpc is "ftp://a"; use a URL that begins with http:// or https:// or ws:// or wss://'],
    [[{ rpc: [RPC, 5] }], "[0].rpc[1] is 5; use a text"],
    [[{ rpc: RPC }, { rpc: RPC }], "use each URL in one chain only"],
    [[{ rpc: RPC, nam: "x" }], "(nam is unknown; did you mean name?)"],
    [[{ rpc: RPC, name: "" }], '[0].name is ""; use a text of 1 to 2048 characters'],
    [[{ rpc: RPC, blockchainId: "C" }], "use a blockchain ID in cb58"],
    [[{ rpc: RPC, isTestnet: "yes" }], '[0].isTestnet is "yes"; use true or false'],
    [[{ rpc: RPC, startBlock: -1 }], "[0].startBlock is -1; use an integer from 0 to"],
    [[{ rpc: RPC, maxReorgDepth: 5000 }], "use an integer from 0 to 4096"],
    [[{ rpc: RPC, multicall: "0x12" }], "use an address: 0x and 40 digits of hex"],
    [[{ rpc: RPC, nativeToken: { decimals: 256 } }], "[0].nativeToken.decimals is 256; use an integer from 0 to 255"],
    [[{ rpc: RPC, nativeToken: { unit: "x" } }], "(unit is unknown)"],
    [[{ rpc: RPC, nfts: { maxBytes: 0 } }], "[0].nfts.maxBytes is 0; use an integer from 1 to"],
    [[{ rpc: RPC, files: { abis: "a.json" } }], '[0].files.abis is "a.json"; use a list'],
    [[{ rpc: RPC, publicWsUrl: RPC }], "use a URL that begins with ws:// or wss://"],
  ])("tell the place of a mistake and what would be right: %j", (entries, message) => {
    expect(() => parseChainEntries(entries, "chains")).toThrow(message);
  });
});

describe("The configuration of chains", () => {
  const read = (flags: Record<string, string>) => chainEntries(readConfig({ flags, environment: {} }));

  test("is JSON on a command line, or the URLs of one chain", () => {
    expect(read({ chains: `[{"rpc":"${RPC}","name":"Ours"}]` })).toEqual([{ ...entryOf([RPC]), name: "Ours" }]);
    expect(read({ rpc: `${RPC},wss://b.example/ws` })).toEqual([entryOf([RPC, "wss://b.example/ws"])]);
    expect(read({})).toEqual([]);
  });

  test.each([
    [{ chains: "[" }, '--chains is "["; use JSON such as'],
    [{ chains: '[{"rpc":5}]' }, "--chains: [0].rpc is 5; use a text"],
    [{ rpc: "127.0.0.1:9650" }, '--rpc is "127.0.0.1:9650"; use URLs such as'],
    [{ rpc: RPC, chains: `[{"rpc":"${RPC}"}]` }, "rpc and chains are both given"],
  ])("says what is wrong: %j", (flags, message) => {
    expect(() => read(flags as Record<string, string>)).toThrow(
      expect.objectContaining({ code: "config", message: expect.stringContaining(message) }),
    );
  });
});
