/** Holds the presets, and what the node says of its release, against the tables of docs/reference/networks.md (networks 1–6). */
import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { CURRENT_ACPS } from "../../src/api/rpc/info/acps.ts";
import { RELEASE, RPC_PROTOCOL } from "../../src/api/rpc/info/node-methods.ts";
import { formatId } from "../../src/base/bytes/cb58.ts";
import { sha256Hex } from "../../src/base/bytes/hash.ts";
import { EMPTY_ID, type Id } from "../../src/base/bytes/id.ts";
import { assetCodec } from "../../src/chains/asset/codec.ts";
import { emptyStopVertex } from "../../src/chains/asset/vertex.ts";
import { genesisBlocks } from "../../src/chains/atomic/genesis-block.ts";
import { encodeBlock } from "../../src/chains/platform/block.ts";
import { parseGenesis } from "../../src/chains/platform/genesis/genesis.ts";
import { buildGenesis } from "../../src/chains/platform/genesis/genesis-config.ts";
import { networkInstance } from "../../src/ingest/network-instance.ts";
import { localGenesis } from "../../src/network/local-genesis.ts";
import { type Network, UPGRADE_NAMES } from "../../src/network/network.ts";
import { fuji, localNetwork, mainnet, publicGenesis, UNSCHEDULED } from "../../src/network/presets.ts";
import { X_FXS } from "../chains/asset/wallet.ts";

const page = readFileSync(new URL("../../docs/reference/networks.md", import.meta.url), "utf8");
const networks = [mainnet, fuji, localNetwork()];

/** Rows of a section's table by their first cell. Code marks of cells are left out. */
function tableOf(section: number): Map<string, string[]> {
  const text = page
    .slice(page.indexOf(`\n## ${section}. `))
    .slice(1)
    .split("\n## ")[0]!;
  const [, , ...rows] = text.split("\n").filter((line) => line.startsWith("|"));
  return new Map(
    rows.map((row) => {
      const [name, ...cells] = row
        .slice(1, -1)
        .split("|")
        .map((cell) => cell.trim().replaceAll("`", ""));
      return [name!, cells] as const;
    }),
  );
}

const integer = (value: bigint | number) => value.toLocaleString("en-US");

function time(seconds: bigint): string {
  if (seconds === UNSCHEDULED) return "not scheduled";
  return `${seconds} (${new Date(Number(seconds) * 1000).toISOString().slice(0, 16).replace("T", " ")})`;
}

function avax(amount: bigint): string {
  const rest = (amount % 1_000_000_000n).toString().padStart(9, "0").replace(/0+$/, "");
  return `${integer(amount / 1_000_000_000n)}${rest && `.${rest}`} AVAX`;
}

function duration(seconds: bigint): string {
  const unit = (
    [
      [86_400n, "d"],
      [3_600n, "h"],
      [60n, "min"],
      [1n, "s"],
    ] as const
  ).find(([size]) => seconds % size === 0n)!;
  return `${seconds / unit[0]} ${unit[1]}`;
}

/** Every parameter of a network but its upgrades' times, as the page writes it. */
function parametersOf({ networkId, name, hrp, upgrades, staking, dynamicFees, validatorFees, ...fees }: Network): Record<string, string> {
  const { apricotPhase4MinPChainHeight, cortinaXChainStopVertexId, graniteEpochDuration } = upgrades;
  const { minValidatorStake, maxValidatorStake, minDelegatorStake, supplyCap, ...rest } = staking;
  const { minStakeDuration, maxStakeDuration, heliconMinStakeDuration, mintingPeriod, ...shares } = rest;
  return {
    ...{ networkId: `${networkId}`, name, hrp },
    apricotPhase4MinPChainHeight: integer(apricotPhase4MinPChainHeight),
    cortinaXChainStopVertexId: cortinaXChainStopVertexId === EMPTY_ID ? "derived" : formatId(cortinaXChainStopVertexId),
    graniteEpochDuration: duration(graniteEpochDuration / 1_000_000_000n),
    ...shown({ minValidatorStake, maxValidatorStake, minDelegatorStake, supplyCap }, avax),
    ...shown({ minStakeDuration, maxStakeDuration, heliconMinStakeDuration, mintingPeriod }, duration),
    ...shown(shares, integer),
    ...shown(fees, avax),
    ...shown({ ...dynamicFees }, integer, "dynamicFees."),
    ...shown({ ...validatorFees }, integer, "validatorFees."),
  };
}

function shown<T>(values: Readonly<Record<string, T>>, format: (value: T) => string, prefix = ""): Record<string, string> {
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [`${prefix}${name}`, format(value)]));
}

/** One row for each name, with a cell for each network. */
function rowsOf(columns: readonly Readonly<Record<string, string>>[]): Map<string, string[]> {
  return new Map(Object.keys(columns[0]!).map((name) => [name, columns.map((column) => column[name]!)]));
}

describe("docs/reference/networks.md", () => {
  test("names the release and the protocol that the node's answer has, as the last of its table", () => {
    const [protocol, [releases]] = [...tableOf(1)].at(-1)! as [string, [string]];
    expect([RPC_PROTOCOL, RELEASE]).toEqual([protocol, releases.split("–").at(-1)]);
  });

  test("has every upgrade's time on every network", () => {
    const times = networks.map(({ upgrades }) => Object.fromEntries(UPGRADE_NAMES.map((name) => [name, time(upgrades.times[name])])));
    expect(tableOf(2)).toEqual(rowsOf(times));
  });

  test("has every parameter of every network", () => {
    expect(tableOf(3)).toEqual(rowsOf(networks.map(parametersOf)));
  });

  test("has the ACPs that the node says it supports", () => {
    expect([...tableOf(5).keys()]).toEqual(CURRENT_ACPS.map(String));
  });
});

const local = networkInstance(localNetwork(), buildGenesis(localGenesis()));

function firstPlatformBlock(parentId: Id): string {
  return formatId(sha256Hex(encodeBlock({ kind: "ApricotCommitBlock", parentId, height: 0n })));
}

function firstAssetBlock({ upgrades }: Network): string {
  const known = upgrades.cortinaXChainStopVertexId;
  const parentId = known === EMPTY_ID ? emptyStopVertex(local.xChainId).id : known;
  return formatId(assetCodec(X_FXS).makeBlock({ parentId, height: 0n, time: upgrades.times.cortina, merkleRoot: EMPTY_ID, txs: [] }).id);
}

function firstBlocksOfLocalCChain(): string[] {
  const { genesisData } = parseGenesis(local.genesisBytes).chains.find(({ id }) => id === local.cChainId)!.unsigned;
  const steps = genesisBlocks(genesisData, local);
  let step = steps.next();
  while (!step.done) step = steps.next();
  return step.value.map(({ id }) => `0x${id}`);
}

describe("the first blocks in docs/reference/networks.md", () => {
  const rows = tableOf(4);
  const publicIds = [mainnet, fuji].map(({ networkId }) => publicGenesis(networkId)!.genesisId);

  test("of the P-chain follow from the genesis, which is another one for every start of a local network", () => {
    expect(rows.get("P genesis")).toEqual([...publicIds.map(formatId), "by start"]);
    expect(rows.get("P block 0")).toEqual([...publicIds.map(firstPlatformBlock), "by start"]);
  });

  test("of the X-chain follow from the stop vertex", () => {
    expect(rows.get("X block 0")).toEqual(networks.map(firstAssetBlock));
  });

  test("of the C-chain: one for both public networks, and that of a local network, whose header has the fields of its upgrades", () => {
    const [ofMainnet, ofFuji, ofLocal] = rows.get("C block 0")!;
    expect([ofMainnet, ofFuji]).toEqual([PUBLIC_C_BLOCK_0, PUBLIC_C_BLOCK_0]);
    expect(firstBlocksOfLocalCChain()[0]).toBe(ofLocal);
  });
});

/** test/conformance/real makes it from Fuji's genesis, and has it from another implementation. */
const PUBLIC_C_BLOCK_0 = "0x31ced5b9beb7f8782b014660da0cb18cc409f121f408186886e1ca3e8eeca96b";
