/** Compares the state after genesis of the public networks and of the local one with known values (chain-rules 4.2, 15.3). */
import { existsSync, readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { formatId } from "../../src/base/bytes/cb58.ts";
import { PRIMARY_NETWORK_ID } from "../../src/base/bytes/id.ts";
import { View } from "../../src/base/table/view.ts";
import { AssetChain } from "../../src/chains/asset/chain.ts";
import { assetChainState } from "../../src/chains/asset/tables.ts";
import { CChain } from "../../src/chains/atomic/chain.ts";
import { PlatformChain } from "../../src/chains/platform/chain.ts";
import { parseGenesis } from "../../src/chains/platform/genesis/genesis.ts";
import { buildGenesis } from "../../src/chains/platform/genesis/genesis-config.ts";
import { platformIndexResidentTables } from "../../src/index/platform.ts";
import { NodeChains } from "../../src/ingest/chains.ts";
import { networkInstance } from "../../src/ingest/network-instance.ts";
import { localGenesis } from "../../src/network/local-genesis.ts";
import { fuji, localNetwork, mainnet } from "../../src/network/presets.ts";
import { ingestProgress } from "../../src/store/tables.ts";

const publicFiles = process.env.FIRN_GENESIS_FILES;

const KNOWN = {
  mainnet: {
    block0: "2FUFPVPxbTpKNn39moGSzsmGroYES4NZRdw3mJgNvMkMiMHJ9e",
    supply: 364_013_001_565_916_650n,
    validators: 75,
    firstReward: 52_608_590_714_265n,
    xBlock0: "V8kYdATLoVjUBazVjEHy1dWurk2PcnhERSWnwmcNwirdsBb1S",
  },
  fuji: {
    block0: "99BWrAqUMvTp9nXKXyjPsCqjGwDqVFqssTRQbu58af57Cf9VG",
    supply: 364_651_610_969_869_743n,
    validators: 20,
    firstReward: 230_932_750_046_913n,
    xBlock0: "2tCdy3dRsf6rYG7jtBNSyANQ6StrAEYpCDMLBQyGRLF8wG5KPK",
  },
  local: {
    block0: "2EMQkbjh1YYPsgsMtjWveeQcKvtttNKwVhuR1kcjhBmrRgPcpk",
    supply: 361_196_248_632_186_809n,
    validators: 5,
    firstReward: 239_774_014_824_544n,
    xBlock0: "2R2UY2pZMQr8nR9ywCdqn97Lp5a6hceqtLXkag6vH7KQSVvmst",
  },
};

function stateAfterGenesis(network: ReturnType<typeof networkInstance>): (typeof KNOWN)["local"] {
  const view = new View();
  const others = [...AssetChain.residentTables, ...CChain.residentTables, ...platformIndexResidentTables, ingestProgress];
  for (const table of [...PlatformChain.residentTables, ...others]) view.setResident(table);
  const chains = new NodeChains(view, { network, level: "full" });
  chains.genesis({ hasVertices: false });
  const { state } = chains.platform;
  const first = parseGenesis(network.genesisBytes).validators[0]!.unsigned;
  return {
    block0: formatId(state.scalars.lastAccepted),
    supply: state.supply(PRIMARY_NETWORK_ID),
    validators: state.currentStakers.length,
    firstReward: state.currentValidator(PRIMARY_NETWORK_ID, first.validator.nodeId)!.potentialReward,
    xBlock0: formatId(view.get(assetChainState, { chain: 0 })!.lastAccepted),
  };
}

describe("the state after genesis", () => {
  test("of the local network is the known one", () => {
    expect(stateAfterGenesis(networkInstance(localNetwork(), buildGenesis(localGenesis())))).toEqual(KNOWN.local);
  });

  test.for([["mainnet", mainnet] as const, ["fuji", fuji] as const])("of %s is the known one", ([name, network], { skip }) => {
    const path = `${publicFiles}/genesis_${name}.json`;
    skip(publicFiles === undefined || !existsSync(path), `FIRN_GENESIS_FILES names no folder with genesis_${name}.json`);
    expect(stateAfterGenesis(networkInstance(network, readFileSync(path, "utf8")))).toEqual(KNOWN[name]);
  });
});
