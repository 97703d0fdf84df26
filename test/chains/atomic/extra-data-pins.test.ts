/** Extra data before Apricot Phase 1, which no header commits to: that of real blocks, and lies about it. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { EMPTY_ID } from "../../../src/base/bytes/id.ts";
import { encodeRlpList, encodeRlpString } from "../../../src/base/codec/rlp.ts";
import { View } from "../../../src/base/table/view.ts";
import { type CChainBlock, encodeCChainBlock, parseCChainBlock } from "../../../src/chains/atomic/block.ts";
import { CChain } from "../../../src/chains/atomic/chain.ts";
import { hasPinnedExtraData, PINNED_HASH_BYTES, PINNED_ID_BYTES } from "../../../src/chains/atomic/extra-data-pins.ts";
import { buildGenesis } from "../../../src/chains/platform/genesis/genesis-config.ts";
import { networkInstance } from "../../../src/ingest/network-instance.ts";
import { localGenesis } from "../../../src/network/local-genesis.ts";
import { fuji, localNetwork, mainnet } from "../../../src/network/presets.ts";
import { EvmReader } from "../../../src/sources/nodes/evm-reader.ts";
import type { RpcOutcome, Upstreams } from "../../../src/sources/upstream/upstream-rpc.ts";
import { bytesIn, itemsOf } from "../../conformance/real/items.ts";
import { cChainAnswer } from "../../sources/upstream/c-chain-answer.ts";

const networks = { mainnet, fuji };
/** Hashes of the blocks whose extra data these transactions are, as the networks have them. */
const BLOCKS = [
  ["fuji", "c-extdata-fuji-1", "738639479dc82d199365626f90caa82f7eafcfe9ed354b456fb3d294597ceb53"],
  ["mainnet", "avalanchego-c-0#2", "10e75a497e4e0bfece689dd6592b25ec1ffc246af07be8b806155dfc8076173a"],
  ["mainnet", "avalanchego-c-1", "c40c6c77bc1907de77c900858120c42d59681888e9ed33fa7e43508014ee3a0a"],
  ["mainnet", "avalanchego-c-0#3", "01286c567a100ec93fcdacc118189e56af452b855e3ade77b50694fec487b42f"],
] as const;
const UNLISTED = "1".repeat(64);
const NOTHING = new Uint8Array();

test.each(BLOCKS)("a block of %s has the transaction %s and nothing else", (name, itemId, id) => {
  const extraData = bytesIn(itemsOf("tx", "C").find((item) => item.id === itemId)!);
  const network = networks[name];
  const holds = (block: Partial<CChainBlock>, of = network) => hasPinnedExtraData(of, { id, extraData, extraDataHash: EMPTY_ID, ...block });
  expect(holds({})).toBe(true);
  expect(holds({ extraData: NOTHING })).toBe(false);
  for (const at of [0, 100, extraData.length - 1]) {
    const altered = Uint8Array.from(extraData);
    altered[at]! ^= 1;
    expect(holds({ extraData: altered })).toBe(false);
  }
  expect(holds({ extraData: extraData.subarray(1) })).toBe(false);
  expect(holds({ id: UNLISTED })).toBe(false);
  expect(holds({ id: UNLISTED, extraData: NOTHING })).toBe(true);
  expect(holds({ extraData: NOTHING }, localNetwork())).toBe(true);
  // since Apricot Phase 1 the header says what it is
  expect(holds({ extraData: NOTHING, extraDataHash: UNLISTED })).toBe(true);
});

test.each([
  ["mainnet.bin", 63_291],
  ["fuji.bin", 2_243],
])("%s has %i blocks, in order, each once", (file, count) => {
  const bytes = readFileSync(join(import.meta.dirname, "../../../src/chains/atomic/extra-data", file));
  const size = PINNED_ID_BYTES + PINNED_HASH_BYTES;
  const ids = Array.from({ length: bytes.length / size }, (_, i) => bytes.subarray(i * size, i * size + PINNED_ID_BYTES).toString("hex"));
  expect(ids).toHaveLength(count);
  expect(ids).toEqual([...new Set(ids)].sort());
});

const local = networkInstance(localNetwork(), buildGenesis(localGenesis()));
const instance = { ...local, networkId: mainnet.networkId, upgrades: mainnet.upgrades };
const TIME = mainnet.upgrades.times.apricotPhase1 - 1000n;

test("a chain refuses a block whose extra data was left out", () => {
  const chain = new CChain(instance, new View());
  chain.genesis(Buffer.from("{}"));
  const block = { ...sealed(NOTHING), id: BLOCKS[1][2] };
  const execute = (id: string) => chain.execute({ ...block, id }, { network: instance, level: "full", clock: TIME });
  expect(() => execute(block.id)).toThrow(`the extra data of block ${block.id} is not what the network accepted it with`);
  expect(execute(UNLISTED).height).toBe(1n);
});

test("so does the reader of a node's answers, before it gives the block on", async () => {
  const extraData = bytesIn(itemsOf("tx", "C").find(({ id }) => id === BLOCKS[1][1])!);
  expect(await read(sealed(NOTHING))).toBeUndefined();
  expect(await read(sealed(extraData))).toBe("the blockExtraData of block 1 is not what the network accepted the block with");
});

/** A block that the network does not have. */
function sealed(extraData: Uint8Array): CChainBlock {
  const number = (value: bigint) =>
    encodeRlpString(
      Buffer.from(
        value
          .toString(16)
          .padStart(8, "0")
          .replace(/^(00)+/, ""),
        "hex",
      ),
    );
  const bytes = (length: number) => encodeRlpString(new Uint8Array(length));
  const noUncles = Buffer.from("1dcc4de8dec75d7aab85b567b6ccd41ad312451b948a7413f0a142fd40d49347", "hex");
  const noTransactions = Buffer.from("56e81f171bcc55a6ff8345e692c0f86e5b48e01b996cadc001622fb5e363b421", "hex");
  const header = encodeRlpList([
    ...[bytes(32), encodeRlpString(noUncles), bytes(20), bytes(32), encodeRlpString(noTransactions), bytes(32), bytes(256)],
    ...[number(1n), number(1n), number(8_000_000n), number(0n), number(TIME), bytes(0), bytes(32), bytes(8), bytes(32)],
  ]);
  return parseCChainBlock(encodeCChainBlock({ header, transactions: [], extraData }), mainnet.upgrades.times.apricotPhase5);
}

/** Why the node's answer is refused. */
async function read(block: CChainBlock): Promise<string | undefined> {
  const outcome: RpcOutcome = { result: cChainAnswer(block), upstream: 0 };
  const node: Pick<Upstreams, "requestAll" | "states"> = { requestAll: async () => [outcome], states: () => [{ name: "node" }] as never };
  const reader = new EvmReader(node as Upstreams, instance);
  const reading = reader.read({ from: 1n, count: 1, rank: 0 as never, signal: new AbortController().signal });
  return reading.then(
    () => undefined,
    ({ message }: Error) => message,
  );
}
