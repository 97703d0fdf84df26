/** Checks block 0 of the C-chain, made from a genesis, against answers of nodes. */
import { describe, expect, test } from "vitest";
import type { CChainBlock } from "../../../src/chains/atomic/block.ts";
import { genesisBlocks } from "../../../src/chains/atomic/genesis-block.ts";
import { parseGenesis } from "../../../src/chains/platform/genesis/genesis.ts";
import { buildGenesis } from "../../../src/chains/platform/genesis/genesis-config.ts";
import { networkInstance } from "../../../src/ingest/network-instance.ts";
import { localGenesis } from "../../../src/network/local-genesis.ts";
import { type Network, type NetworkInstance, UPGRADE_NAMES } from "../../../src/network/network.ts";
import { localNetwork, UNSCHEDULED } from "../../../src/network/presets.ts";
import { openArchive } from "../../../src/sources/archives/archive.ts";
import { readLines } from "../../conformance/json-lines.ts";
import { recordingFolder } from "../../conformance/recordings.ts";

interface Line {
  readonly block: { readonly hash: string; readonly parentHash: string; readonly timestamp: string; readonly size: string };
}

function made(genesis: Uint8Array, network: NetworkInstance): CChainBlock[] {
  const steps = genesisBlocks(genesis, network);
  for (;;) {
    const step = steps.next();
    if (step.done) return step.value;
  }
}

const networkOf = async (name: "latest-1" | "eras-1" | "live-1") =>
  (await openArchive({ path: recordingFolder(name), instance: networkInstance, until: new Map() })).network;

test.each(["latest-1", "eras-1", "live-1"] as const)("block 0 of %s has the hash, time and size that the node answered", async (name) => {
  const [line] = readLines<Line>(recordingFolder(name), "blocks/C.jsonl");
  const recorded = line!.block;
  const network = await networkOf(name);
  const { genesisData } = parseGenesis(network.genesisBytes).chains.find(({ id }) => id === network.cChainId)!.unsigned;
  const block = made(genesisData, network).find(({ id }) => `0x${id}` === recorded.hash);
  expect(block).toMatchObject({ height: 0n, timestamp: BigInt(recorded.timestamp), parentId: recorded.parentHash.slice(2), atomicTxs: [] });
  expect(block!.bytes.length).toBe(Number(recorded.size));
});

test.each([
  ["since Helicon is active from its start", localNetwork(), "a8ba8fe99b2affb0ed27d0d8c825f6292c3c6f5eb9d53707504bea02ac9c1a9b"],
  ["as long as that was not scheduled", unscheduled(localNetwork()), "608ddbd611241719b64642d8e152537e2a5bdf46b6ddb9e8f15340c5e007b8b1"],
])("block 0 of the local network %s is the known one", (_, network, known) => {
  const instance = networkInstance(network, buildGenesis(localGenesis()));
  const { genesisData } = parseGenesis(instance.genesisBytes).chains.find(({ id }) => id === instance.cChainId)!.unsigned;
  expect(made(genesisData, instance).map(({ id }) => id)).toContain(known);
});

function unscheduled(network: Network): Network {
  return { ...network, upgrades: { ...network.upgrades, times: { ...network.upgrades.times, helicon: UNSCHEDULED } } };
}

describe("made from a genesis", () => {
  /** the account of the public networks */
  const code =
    "0x7300000000000000000000000000000000000000003014608060405260043610603d5760003560e01c80631e010439146042578063b6510bb314606e575b600080fd5b605c60048036036020811015605657600080fd5b503560b1565b60408051918252519081900360200190f35b818015607957600080fd5b5060af60048036036080811015608e57600080fd5b506001600160a01b03813516906020810135906040810135906060013560b6565b005b30cd90565b836001600160a01b031681836108fc8690811502906040516000604051808303818888878c8acf9550505050505015801560f4573d6000803e3d6000fd5b505050505056fea26469706673582212201eebce970fe3f5cb96bf8ac6ba5f5c133fc2908ae3dcd51082cfee8f583429d064736f6c634300060a0033";
  const json = {
    nonce: "0x0",
    timestamp: "0x0",
    extraData: "0x00",
    gasLimit: "0x5f5e100",
    difficulty: "0x0",
    mixHash: `0x${"00".repeat(32)}`,
    coinbase: `0x${"00".repeat(20)}`,
    alloc: { "0100000000000000000000000000000000000000": { code, balance: "0x0" } },
  };

  test("block 0 of mainnet and Fuji has the hash that everybody knows", async () => {
    const local = await networkOf("live-1");
    const times = Object.fromEntries(UPGRADE_NAMES.map((name) => [name, UNSCHEDULED])) as typeof local.upgrades.times;
    const network = { ...local, upgrades: { ...local.upgrades, times } };
    const [block] = made(Buffer.from(JSON.stringify(json)), network);
    expect(block!.id).toBe("31ced5b9beb7f8782b014660da0cb18cc409f121f408186886e1ca3e8eeca96b");
  });

  test("there is no block of bytes that are no genesis", async () => {
    const network = await networkOf("live-1");
    const wrong = [
      { ...json, gasLimit: "much" },
      { ...json, alloc: { "00": null } },
    ];
    for (const text of ["", "null", "{", ...wrong.map((genesis) => JSON.stringify(genesis))]) {
      expect(made(Buffer.from(text), network), text).toEqual([]);
    }
  });
});
