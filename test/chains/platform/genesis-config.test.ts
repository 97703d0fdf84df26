import { existsSync, readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { formatId, formatNodeId } from "../../../src/base/bytes/cb58.ts";
import { sha256Hex } from "../../../src/base/bytes/hash.ts";
import { parseGenesis } from "../../../src/chains/platform/genesis/genesis.ts";
import { buildGenesis } from "../../../src/chains/platform/genesis/genesis-config.ts";
import { distributeStake, heapOrder } from "../../../src/chains/platform/genesis/genesis-stake.ts";
import { xChainGenesis } from "../../../src/chains/platform/genesis/genesis-x-chain.ts";
import { type GenesisConfig, parseGenesisFile } from "../../../src/network/genesis-file.ts";
import { LOCAL_EPOCH, localGenesis, localStartTime } from "../../../src/network/local-genesis.ts";
import { messageOf } from "../../base/codec/error-text.ts";
import { readText } from "../../conformance/json-lines.ts";
import { RECORDINGS, recordingFolder } from "../../conformance/recordings.ts";

/** A folder with the reference node's genesis_mainnet.json and genesis_fuji.json, which are not part of this repository. */
const publicFiles = process.env.FIRN_GENESIS_FILES;

/** What must come out of each network's file (chain-formats 11.4). */
const KNOWN = {
  local: {
    genesis: "2nRRoR76HuEk1JjDpRdN8FKvZFvUXWxY3b9C5rZRPFjcgEh7S7",
    asset: "2fombhL7aGPwj3KH4bfrmJwW6PVnMobf9Y2fn9GwxiAAJyFDbe",
    x: "2eNy1mUFdmaxXNj1eQHUe7Np4gju9sJsEtWQ4MX3ToiNKuADed",
    c: "2owdGqyG6FFzTHy5qhenDXQcEghvr571KZE3gSfRJERSJinuwC",
    counts: { utxos: 3, validators: 5, bytes: 4_141, xBytes: 226 },
  },
  fuji: {
    genesis: "MSj6o9TpezwsQx4Tv7SHqpVvCbJ8of1ikjsqPZ1bKRjc9zBy3",
    asset: "U8iRqJoiJm8xZHAacmvYyZVwqQx6uDNtQeP3CQ6fcgQk3JqnK",
    x: "2JVSBoinj9C2J33VntvzYtVJNZdN2NKiwwKjcumHUWEb5DbBrm",
    c: "yH8D7ThNJkxmtkuv2jgBa4P1Rn3Qpr4pPr7QYNfcdoS6k6HWp",
    counts: { utxos: 0, validators: 20, bytes: 7_106, xBytes: 770 },
  },
  mainnet: {
    genesis: "UUvXi6j7QhVvgpbKM89MP5HdrxKm9CaJeHc187TsDNf8nZdLk",
    asset: "FvwEAhmxKfeiG8SnEvq42hc6whRyY3EFYAvebMqDNDGCgxN5Z",
    x: "2oYMBNV4eNHyqk2fjjV5nVQLDbtmNJzq5s3qs3Lo6ftnC6FByM",
    c: "2q9e4r6Mu3U68nU1fYjgbR6JvwrRx36CohpAX5UQxse55x1Q5",
    counts: { utxos: 15_344, validators: 75, bytes: 4_402_540, xBytes: 296_910 },
  },
};

function facts(config: GenesisConfig) {
  const bytes = buildGenesis(config);
  const { utxos, validators, chains } = parseGenesis(bytes);
  const { genesisBytes, avaxAssetId } = xChainGenesis(config);
  return {
    genesis: formatId(sha256Hex(bytes)),
    asset: formatId(avaxAssetId),
    x: formatId(chains[0]!.id),
    c: formatId(chains[1]!.id),
    counts: { utxos: utxos.length, validators: validators.length, bytes: bytes.length, xBytes: genesisBytes.length },
  };
}

describe("genesis bytes", () => {
  test.each(RECORDINGS)("of %s are the recorded ones", (name) => {
    const folder = recordingFolder(name);
    const recorded = readText(folder, "genesis-P.hex").trim();
    expect(`0x${buildGenesis(parseGenesisFile(readText(folder, "genesis.json"))).toString("hex")}`).toBe(recorded);
  });

  test("of the local network need no file and give the known IDs", () => {
    expect(facts(localGenesis())).toEqual(KNOWN.local);
  });

  test.for(["fuji", "mainnet"] as const)("of %s's public file give the known IDs", (name, { skip }) => {
    const path = `${publicFiles}/genesis_${name}.json`;
    skip(publicFiles === undefined || !existsSync(path), `FIRN_GENESIS_FILES names no folder with genesis_${name}.json`);
    expect(facts(parseGenesisFile(readFileSync(path, "utf8")))).toEqual(KNOWN[name]);
  });
});

describe("the local network", () => {
  test.each([
    [LOCAL_EPOCH - 5n, KNOWN.local.genesis],
    [1_744_343_999n, KNOWN.local.genesis],
    [1_744_344_000n, "pHm7xfkYhSUKgie86gGvpAea88BNSmj2qnE9rSMACPYdn9nFs"],
    [1_767_672_000n, "habeayqJ3qNHPqgowuvVwBL3m2aHWCuosmX83otkU81N17m2Y"],
    [1_800_000_000n, "u1NtdJoguoeGEz5ZHqAECaCPvfnqijuwfBdjpomnGge4Je8Lq"],
  ])("started at %i has its period's genesis", (clock, genesisId) => {
    const moved = facts(localGenesis({ startTime: localStartTime(clock) }));
    expect(moved).toEqual({ ...KNOWN.local, genesis: genesisId });
  });

  test("lists its validators in the layout of a heap", () => {
    const nodeIds = parseGenesis(buildGenesis(localGenesis())).validators.map(({ unsigned }) => formatNodeId(unsigned.validator.nodeId));
    expect(nodeIds).toEqual([
      "NodeID-P7oB2McjBGgW2NXXWVYjV8JEDFoW9xDE5",
      "NodeID-GWPcbFJZFfZreETSoWjPimr846mXEKCtu",
      "NodeID-MFrZFVCXPv5iCn6M9K6XduxGTYp891xXZ",
      "NodeID-7Xhw2mDxuDS44j42TCB6U5579esbSt3Lg",
      "NodeID-NFBbbJ4qCmNaCzeW7sxErhvWqvEQMnYcN",
    ]);
  });
});

describe("genesis stake", () => {
  const [staked, free] = ["aa".repeat(20), "bb".repeat(20)];
  const config = (amounts: bigint[], stakers: number): GenesisConfig => ({
    ...localGenesis(),
    allocations: [
      { ethereumAddress: free, address: free, initialAmount: 9n, unlockSchedule: [{ amount: 99n, locktime: 0n }] },
      {
        ethereumAddress: free,
        address: staked,
        initialAmount: 9n,
        unlockSchedule: amounts.map((amount, i) => ({ amount, locktime: BigInt(10 - i) })),
      },
    ],
    initialStakedFunds: [staked],
    initialStakers: Array.from({ length: stakers }, () => localGenesis().initialStakers[0]!),
  });
  const amounts = (...parameters: Parameters<typeof config>) =>
    distributeStake(config(...parameters)).map((pieces) => pieces.map(({ amount, locktime }) => `${amount}@${locktime}`));

  test("is cut into equal weights in file order; the last staker gets the rest; pieces are ordered by locktime", () => {
    expect(amounts([10n, 5n, 8n], 3)).toEqual([["7@10"], ["4@9", "3@10"], ["8@8", "1@9"]]);
    expect(amounts([100n], 3)).toEqual([["33@10"], ["33@10"], ["34@10"]]);
    expect(amounts([5n, 0n, 5n], 1)).toEqual([["5@8", "5@10"]]);
  });

  test("a staker that is full before the next entry gets a piece of nothing, as in the reference node", () => {
    expect(amounts([7n, 14n], 3)).toEqual([["0@9", "7@10"], ["7@9"], ["7@9"]]);
  });

  test("no nAVAX is lost or made", () => {
    const total = distributeStake(config([10n, 4n, 9n, 1n], 4)).flat();
    expect(total.reduce((sum, { amount }) => sum + amount, 0n)).toBe(24n);
  });

  test("a heap keeps each parent at or before its children", () => {
    expect(heapOrder([5n, 4n, 3n, 2n, 1n], (value) => value)).toEqual([1n, 2n, 4n, 5n, 3n]);
    expect(heapOrder([1n, 1n, 2n], (value) => value)).toEqual([1n, 1n, 2n]);
  });
});

describe("genesis file", () => {
  type Json = Record<string, unknown>;
  const valid = () => JSON.parse(readText(recordingFolder("latest-1"), "genesis.json")) as Json;
  const first = (json: Json, list: string) => (json[list] as Json[])[0]!;

  test.each<[string, (json: Json) => unknown]>([
    ["genesis.json: networkID is missing", (json) => delete json.networkID],
    [
      "genesis.json: startTime is -1; use an integer from 0 to 18446744073709551615",
      (json) => {
        json.startTime = -1;
      },
    ],
    ["genesis.json: allocations[0].avaxAddr is missing", (json) => delete first(json, "allocations").avaxAddr],
    [
      'genesis.json: allocations[0].ethAddr is "0x12" (it holds 1 bytes); use 20 bytes as 0x…',
      (json) => {
        first(json, "allocations").ethAddr = "0x12";
      },
    ],
    [
      'genesis.json: initialStakers[0].rewardAddress is "X-" (invalid bech32 string length 0); use an address of 20 bytes such as X-local1…',
      (json) => {
        first(json, "initialStakers").rewardAddress = "X-";
      },
    ],
    [
      "genesis.json: initialStakers[0].signer.publicKey is missing",
      (json) => delete (first(json, "initialStakers").signer as Json).publicKey,
    ],
    [
      "genesis.json: initialStakers is empty; a network needs at least one validator",
      (json) => {
        json.initialStakers = [];
      },
    ],
    [
      "genesis.json: initialStakedFunds is empty; name at least one address of the allocations",
      (json) => {
        json.initialStakedFunds = [];
      },
    ],
    [
      "genesis.json: initialStakedFunds names an address twice",
      (json) => (json.initialStakedFunds as string[]).push((json.initialStakedFunds as string[])[0]!),
    ],
    [
      "genesis.json: the unlock schedules of initialStakedFunds hold too little to stake",
      (json) => {
        json.allocations = [];
      },
    ],
    [
      "genesis.json: cChainGenesis is empty; it must hold the C-chain's genesis JSON",
      (json) => {
        json.cChainGenesis = "";
      },
    ],
  ])("is refused with %s", (message, change) => {
    const json = valid();
    change(json);
    expect(messageOf(() => parseGenesisFile(JSON.stringify(json)))).toBe(message);
  });

  test("that is no JSON is refused by name", () => {
    expect(messageOf(() => parseGenesisFile("{", "mine.json"))).toMatch(/^mine\.json is not JSON: /);
  });
});
