/** Compares the figures of the whole network after the recordings with the state. */

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { AvaxSupplyResponse$inboundSchema } from "@avalanche-sdk/chainkit/models/components/avaxsupplyresponse.js";
import { Blockchain$inboundSchema } from "@avalanche-sdk/chainkit/models/components/blockchain.js";
import { GetNetworkDetailsResponse$inboundSchema } from "@avalanche-sdk/chainkit/models/components/getnetworkdetailsresponse.js";
import { afterAll, describe, expect, test } from "vitest";
import { getBlockchain } from "../../../../src/api/data/blockchains/get-blockchain.ts";
import { getAvaxSupply } from "../../../../src/api/data/network/get-avax-supply.ts";
import { getNetworkDetails } from "../../../../src/api/data/network/get-network-details.ts";
import { formatId } from "../../../../src/base/bytes/cb58.ts";
import { PLATFORM_CHAIN_ID, PRIMARY_NETWORK_ID } from "../../../../src/base/bytes/id.ts";
import type { Row, Table } from "../../../../src/base/table/table.ts";
import { parseGenesis } from "../../../../src/chains/platform/genesis/genesis.ts";
import { type Output, unlockedOutput } from "../../../../src/chains/platform/output.ts";
import { decodeUtxo } from "../../../../src/chains/platform/state/ledger-state.ts";
import { isCurrent, isValidator, stakerOf } from "../../../../src/chains/platform/state/staker.ts";
import { platformChain, platformStakers, platformSupplies, platformUtxos } from "../../../../src/chains/platform/tables.ts";
import { parseTx } from "../../../../src/chains/platform/tx/registry.ts";
import { networkInstance } from "../../../../src/ingest/network-instance.ts";
import { openArchive } from "../../../../src/sources/archives/archive.ts";
import { openStore } from "../../../../src/store/open.ts";
import { scanAll } from "../../../../src/store/store.ts";
import { importUntil } from "../../../conformance/checkpoints.ts";
import { recordingFolder } from "../../../conformance/recordings.ts";
import { ask } from "../staking/request.ts";

const sum = (amounts: readonly bigint[]) => amounts.reduce((total, amount) => total + amount, 0n);

describe.each(["latest-1", "eras-1"] as const)("%s", (name) => {
  const directory = mkdtempSync(join(tmpdir(), "firn-network-"));
  const opened = openAll();

  async function openAll() {
    await importUntil(recordingFolder(name), directory, {}, "replay");
    const { network } = await openArchive({ path: recordingFolder(name), instance: networkInstance });
    const store = await openStore({ directory, mode: "write", network });
    return { store, asked: { network, clock: 0n } };
  }

  afterAll(async () => {
    await (await opened).store.close();
    rmSync(directory, { recursive: true, force: true });
  });

  async function rowsOf<T extends Table>(table: T): Promise<Row<T>[]> {
    const rows: Row<T>[] = [];
    for await (const row of scanAll((await opened).store, table)) rows.push(row);
    return rows;
  }

  async function currentStakers(role: "validator" | "delegator") {
    const all = (await rowsOf(platformStakers)).map(({ key, value }) => stakerOf(key.txId, value));
    return all.filter(
      (staker) => staker.subnetId === PRIMARY_NETWORK_ID && isCurrent(staker) && isValidator(staker) === (role === "validator"),
    );
  }

  test("network details add up the current stakers of the primary network", async () => {
    const { store, asked } = await opened;
    const { body } = await ask(getNetworkDetails, store, asked, {});
    const [validators, delegators] = [await currentStakers("validator"), await currentStakers("delegator")];
    const weight = (stakers: typeof validators) => sum(stakers.map((staker) => staker.weight));
    const { supply } = (await store.get(platformSupplies, { subnetId: PRIMARY_NETWORK_ID }))!;
    const ratio = ((weight(validators) + weight(delegators)) * 10n ** 20n) / supply;
    expect(validators.length).toBeGreaterThan(0);
    expect(body).toEqual({
      validatorDetails: {
        validatorCount: validators.length,
        totalAmountStaked: `${weight(validators)}`,
        estimatedAnnualStakingReward: `${sum([...validators, ...delegators].map(({ potentialReward }) => potentialReward))}`,
        stakingDistributionByVersion: [{ version: "offline", amountStaked: `${weight(validators)}`, validatorCount: validators.length }],
        stakingRatio: `0.${`${ratio}`.padStart(20, "0")}`,
      },
      delegatorDetails: { delegatorCount: delegators.length, totalAmountStaked: `${weight(delegators)}` },
    });
    expect(GetNetworkDetailsResponse$inboundSchema.parse(body)).toEqual(body);
  });

  test("the supply follows from its parts, and locked AVAX is what outputs of the state say", async () => {
    const { store, asked } = await opened;
    const { body } = await ask(getAvaxSupply, store, asked, {});
    const nAvax = (text: unknown) => {
      const [whole, fraction = ""] = (text as string).split(".");
      return BigInt(whole + fraction.padEnd(9, "0"));
    };
    const { genesisUnlock, totalRewards, totalPBurned, totalXBurned, totalCBurned } = body;
    const burned = sum([totalPBurned, totalXBurned, totalCBurned].map(nAvax));
    expect(nAvax(body.totalSupply)).toBe(nAvax(genesisUnlock) + nAvax(totalRewards) - burned);
    expect(nAvax(body.totalStaked)).toBe(
      sum([...(await currentStakers("validator")), ...(await currentStakers("delegator"))].map(({ weight }) => weight)),
    );
    const { timestamp } = (await store.get(platformChain, { slot: 0 }))!;
    expect(body.lastUpdated).toBe(new Date(Number(timestamp) * 1000).toISOString());
    expect(nAvax(body.totalLocked)).toBe(await lockedAt(timestamp));
    expect(nAvax(body.l1ValidatorFees)).toBeLessThanOrEqual(nAvax(totalPBurned));
    expect({ ...AvaxSupplyResponse$inboundSchema.parse(body), lastUpdated: body.lastUpdated }).toEqual(body);
  });

  /** Of outputs that can be spent, and of stakes whose lock goes on when they end. */
  async function lockedAt(timestamp: bigint): Promise<bigint> {
    const { avaxAssetId } = (await opened).asked.network;
    const locked = (output: Output, time: bigint) => {
      const isLocked = unlockedOutput(output).locktime > time || (output.kind === "LockOut" && output.locktime > time);
      return isLocked ? unlockedOutput(output).amount : 0n;
    };
    const own = (await rowsOf(platformUtxos)).map(({ value }) => decodeUtxo(value.bytes)).filter(({ assetId }) => assetId === avaxAssetId);
    const staked = (await rowsOf(platformStakers)).flatMap(({ key, value }) => {
      const { unsigned } = parseTx(value.tx);
      const { endTime } = stakerOf(key.txId, value);
      if (!("stake" in unsigned) || !value.isCurrent) return [];
      return unsigned.stake.filter(({ assetId }) => assetId === avaxAssetId).map(({ output }) => locked(output, endTime));
    });
    return sum(own.map(({ output }) => locked(output, timestamp))) + sum(staked);
  }

  test("chains of the primary network are shown with their genesis, and taken by the SDK", async () => {
    const { store, asked } = await opened;
    const shown = async (blockchainId: string) => (await ask(getBlockchain, store, asked, {}, { params: { blockchainId } })).body;
    const [p, x, c] = [await shown("p-chain"), await shown("x-chain"), await shown("c-chain")];
    const timestamp = Number(parseGenesis(asked.network.genesisBytes).timestamp);
    const common = { createBlockTimestamp: timestamp, createBlockNumber: "-1", subnetId: formatId(PRIMARY_NETWORK_ID) };
    expect(p).toEqual({
      ...common,
      blockchainId: formatId(PLATFORM_CHAIN_ID),
      vmId: "platformvm",
      blockchainName: "P-Chain",
      evmChainId: 0,
    });
    const data = expect.stringMatching(/^0x[0-9a-f]+$/);
    expect(x).toEqual({
      ...{ ...common, blockchainId: formatId(asked.network.xChainId), vmId: "avm", blockchainName: "X-Chain", evmChainId: 0 },
      genesisData: { encoding: "hex", data },
    });
    const { config } = c.genesisData as { config: { chainId: number } };
    expect(c).toMatchObject({
      ...common,
      blockchainId: formatId(asked.network.cChainId),
      blockchainName: "C-Chain",
      evmChainId: config.chainId,
    });
    expect(config.chainId).toBeGreaterThan(0);
    for (const chain of [p, x, c]) Blockchain$inboundSchema.parse(JSON.parse(JSON.stringify(chain)));
  });
});
