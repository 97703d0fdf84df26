/** Calls to real contracts, including the workload's hostile ones, with and without a multicall contract: the answers are the same. */
import { pino } from "pino";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { callData, selectorOf } from "../../../src/evm/abi.ts";
import { ERC20, ERC721, ERC1155 } from "../../../src/evm/facts.ts";
import { ContractClassifier } from "../../../src/evm/tokens/classifier.ts";
import { type MetContract, metadataQuestions, readMetadata } from "../../../src/evm/tokens/contract-metadata.ts";
import { ContractReader, NoStateError, takesGas } from "../../../src/evm/tokens/contract-reader.ts";
import type { Address } from "../../../src/sources/evm/parser/block.ts";
import { openUpstreamRpc } from "../../../src/sources/upstream/open-upstream-rpc.ts";
import { UpstreamError } from "../../../src/sources/upstream/upstream-error.ts";
import type { UpstreamRpc } from "../../../src/sources/upstream/upstream-rpc.ts";
import { modelRpc } from "../../api/data/evm/evm-chain.ts";
import { type Anvil, startAnvil } from "../anvil.ts";
import { deploy, deployAnswering, deployMulticall } from "./deployed.ts";

const SOMEBODY = `0x${"5e".repeat(20)}`;
const bytes32 = (text: string) => `0x${Buffer.concat([Buffer.from(text)], 32).toString("hex")}`;
const log = pino({ level: "silent" });

let node: Anvil;
let rpc: UpstreamRpc & { close(): Promise<void> };
let multicall: Address;
const contracts: Record<string, Address> = {};

beforeAll(async () => {
  node = await startAnvil();
  rpc = openUpstreamRpc({ urls: [node.url], log });
  multicall = await deployMulticall(node);
  contracts.coin = await deploy(node, "Coin", "Plain Coin", "PLN", 6, 1000, SOMEBODY);
  contracts.word = await deploy(node, "WordCoin", bytes32("Old Maker"), bytes32("OMK"), 18, SOMEBODY, 5);
  contracts.bare = await deploy(node, "BareCoin", SOMEBODY, 5);
  contracts.nft = await deploy(node, "Nft", "Apes", "APE", "ipfs://bafy/");
  contracts.early = await deploy(node, "OldNft");
  contracts.multi = await deploy(node, "NamedMulti", "https://example.org/{id}.json");
  contracts.yesman = await deploy(node, "YesMan");
  contracts.sink = await deploy(node, "Sink");
  contracts.wrapped = await deploy(node, "WNative");
  for (let mode = 0; mode <= 12; mode++) contracts[`grim${mode}`] = await deploy(node, "GrimCoin", mode, SOMEBODY, 5);
});

afterAll(async () => {
  await rpc?.close();
  await node?.stop();
});

/** Counts the calls of contracts that an RPC is asked for. */
function counted(inner: UpstreamRpc): { rpc: UpstreamRpc; calls: () => number } {
  let calls = 0;
  return {
    calls: () => calls,
    rpc: {
      request: (method, params, options) => inner.request(method, params, options),
      requestAll(all, options) {
        calls += all.length;
        return inner.requestAll(all, options);
      },
    },
  };
}

const met = (name: string): MetContract => ({
  contract: contracts[name]!,
  isClassed: false,
  met: name.startsWith("grim") || name === "bare" ? ERC20 : name === "early" ? ERC721 : undefined,
  holder: SOMEBODY.slice(2),
});

describe("Contracts", () => {
  test("say of themselves the same through a multicall contract as one by one, whatever they do", async () => {
    const names = Object.keys(contracts);
    const groups = names.map((name) => metadataQuestions(met(name)));
    const alone = await new ContractReader(rpc, undefined).ask(groups, "latest");
    const together = await new ContractReader(rpc, multicall).ask(groups, "latest");
    names.forEach((name, i) => {
      expect(together[i], name).toEqual(alone[i]);
    });
    const metadata = Object.fromEntries(names.map((name, i) => [name, readMetadata(alone[i]!, met(name))]));
    expect(metadata.coin).toEqual({ kind: ERC20, name: "Plain Coin", symbol: "PLN", decimals: 6 });
    expect(metadata.word).toEqual({ kind: ERC20, name: "Old Maker", symbol: "OMK", decimals: 18 });
    expect(metadata.bare).toEqual({ kind: ERC20, name: undefined, symbol: undefined, decimals: undefined });
    expect(metadata.nft).toEqual({ kind: ERC721, name: "Apes", symbol: "APE", decimals: undefined });
    expect(metadata.early).toEqual({ kind: ERC721, name: "Old Beasts", symbol: "BEAST", decimals: undefined });
    expect(metadata.multi).toEqual({ kind: ERC1155, name: "Named Multi", symbol: "NMUL", decimals: undefined });
    for (const name of ["yesman", "sink"]) expect(metadata[name]!.kind, name).toBe(0);
    expect(metadata.grim4).toEqual({ kind: ERC20, name: "L".repeat(256), symbol: "L".repeat(256), decimals: 18 });
    for (const mode of [0, 1, 2, 3, 5, 6, 7, 8]) {
      expect(metadata[`grim${mode}`], `${mode}`).toEqual({ kind: ERC20, name: undefined, symbol: undefined, decimals: undefined });
    }
  });

  test("take one call each where there is a multicall contract, more only where one takes all gas", async () => {
    const count = async (name: string) => {
      const { rpc: watched, calls } = counted(rpc);
      await new ContractReader(watched, multicall).ask([metadataQuestions(met(name))], "latest");
      return calls();
    };
    expect([await count("coin"), await count("yesman"), await count("sink"), await count("grim1")]).toEqual([1, 1, 1, 1]);
    expect(await count("grim2")).toBeGreaterThan(1);
  });

  test("are asked one by one where the multicall contract is none, or was none at that height", async () => {
    const groups = [metadataQuestions(met("coin"))];
    const expected = await new ContractReader(rpc, undefined).ask(groups, "latest");
    for (const wrong of ["ab".repeat(20), contracts.sink!, contracts.yesman!, contracts.grim0!]) {
      expect(await new ContractReader(rpc, wrong).ask(groups, "latest"), wrong).toEqual(expected);
    }
  });

  test("are classed by what they declare, by how they behave, and by what they hold", async () => {
    const classify = async (reader: ContractReader) => {
      const height = BigInt((await node.call("eth_blockNumber")) as string);
      const names = ["coin", "bare", "nft", "early", "multi", "yesman", "sink", "grim9", "wrapped"];
      const classes = await new ContractClassifier(reader).classify(
        names.map((name) => ({ address: contracts[name]!, height, loggedId: undefined })),
      );
      return Object.fromEntries(names.map((name) => [name, classes.get(contracts[name]!)]));
    };
    const [from] = (await node.call("eth_accounts")) as [string];
    await node.call("eth_sendTransaction", { from, to: `0x${contracts.wrapped}`, value: "0x64" });
    await node.call("evm_mine");
    const alone = await classify(new ContractReader(rpc, undefined));
    expect(alone).toEqual({
      coin: { kind: ERC20, isWrapped: false },
      // nothing but a ledger, as the first collections were
      bare: { kind: ERC721, isWrapped: false },
      nft: { kind: ERC721, isWrapped: false },
      early: { kind: ERC721, isWrapped: false },
      multi: { kind: ERC1155, isWrapped: false },
      yesman: { kind: undefined, isWrapped: false },
      sink: { kind: undefined, isWrapped: false },
      grim9: { kind: ERC20, isWrapped: false },
      wrapped: { kind: ERC20, isWrapped: true },
    });
    expect(await classify(new ContractReader(rpc, multicall))).toEqual(alone);
  });
});

test("A contract that has decimals, and an owner for the ID that it logged, is a collection", async () => {
  const both = await deployAnswering(node, {
    [`${selectorOf("ownerOf(uint256)")}${"0".repeat(54)}04`]: 0xabcn,
    [selectorOf("decimals()")]: 18n,
    [selectorOf("balanceOf(address)")]: 1n,
  });
  const height = BigInt((await node.call("eth_blockNumber")) as string);
  const classifier = new ContractClassifier(new ContractReader(rpc, undefined));
  const kindWith = async (loggedId: bigint | undefined) =>
    (await classifier.classify([{ address: both, height, loggedId }])).get(both)?.kind;
  expect([await kindWith(4n << 32n), await kindWith(5n), await kindWith(undefined)]).toEqual([ERC721, ERC20, ERC20]);
  const contract = { contract: both, holder: undefined, met: ERC721 } as const;
  const [answers] = await new ContractReader(rpc, undefined).ask([metadataQuestions({ ...contract, isClassed: true })], "latest");
  expect([true, false].map((isClassed) => readMetadata(answers!, { ...contract, isClassed }).kind)).toEqual([ERC721, ERC20]);
});

describe("A node", () => {
  const question = { to: "ab".repeat(20), data: callData("decimals()") };
  const failing = (failure: ConstructorParameters<typeof UpstreamError>[0]) =>
    new ContractReader(
      modelRpc(() => {
        throw new UpstreamError(failure, failure);
      }),
      undefined,
    );

  test("that refuses gave the contract's answer, one that fails gave none", async () => {
    for (const failure of ["refused", "too-large"] as const) {
      expect(await failing(failure).askEach([question], "latest"), failure).toEqual([undefined]);
    }
    for (const failure of ["unavailable", "timeout", "rate-limited", "malformed"] as const) {
      await expect(failing(failure).askEach([question], "latest"), failure).rejects.toThrow(failure);
    }
  });

  test("without the state of a height is asked for the newest", async () => {
    await expect(failing("no-state").askEach([question], 5n)).rejects.toThrow(NoStateError);
    const prunedAt = (head: bigint) =>
      modelRpc(({ method, params }) => {
        if (method === "eth_blockNumber") return `0x${head.toString(16)}`;
        if (params[1] !== "latest") throw new UpstreamError("no-state", "pruned");
        return method === "eth_getBalance" ? "0x0" : `0x${"0".repeat(63)}6`;
      });
    const classifier = (head: bigint) => new ContractClassifier(new ContractReader(prunedAt(head), undefined));
    const classes = await classifier(5n).classify([{ address: question.to, height: 5n, loggedId: undefined }]);
    expect(classes.get(question.to)?.kind).toBe(ERC20);
    // it has not seen the block yet
    await expect(classifier(4n).classify([{ address: question.to, height: 5n, loggedId: undefined }])).rejects.toThrow(NoStateError);
  });

  test("that takes no amount of gas is asked without one", async () => {
    const picky = modelRpc(({ params }) => {
      if ("gas" in (params[0] as object)) throw new UpstreamError("refused", "gas limit is too high");
      return `0x${"0".repeat(63)}6`;
    });
    expect([await takesGas(picky, 1n), await takesGas(rpc, 30_000_000n)]).toEqual([false, true]);
    const reader = new ContractReader(picky, undefined, { boundsGas: false });
    expect((await reader.askEach([question], "latest"))[0]?.at(-1)).toBe(6);
  });

  test("that answers with something else than bytes is not believed", async () => {
    for (const answer of [null, 5, "0x1", "text", {}]) {
      const reader = new ContractReader(
        modelRpc(() => answer),
        undefined,
      );
      await expect(reader.askEach([question], "latest"), String(answer)).rejects.toThrow("did not return bytes for eth_call");
    }
  });
});
