import { expect, test } from "vitest";
import { type LocalNetwork, startDevnet } from "../../src/serve/local-network/start.ts";
import { actNamed } from "./anvil/evm-actions.ts";
import { EvmNetwork } from "./anvil/evm-network.ts";
import { type CChainCounts, holdCChainAgreement } from "./evm-agreement.ts";

async function hold({ url, devnet, blockchainIds }: LocalNetwork, chain = "43112"): Promise<CChainCounts> {
  return holdCChainAgreement(url, devnet.network, chain === "C" ? blockchainIds.C : chain);
}

test.each([undefined, "etna", "cortina,durango=+10m"])(
  "both faces of the C-chain agree on heights, times and AVAX, with upgrades %s",
  async (upgrades) => {
    await using network = await startDevnet({ ...(upgrades !== undefined && { upgrades }) });
    const evm = EvmNetwork.of(network.devnet, network.dataDirectory);
    await evm.evm.ready();
    await actNamed(evm, "pays", "deploys a contract", "exports to C", "imports", "makes a token", "deploys what fails");
    expect(await hold(network)).toEqual({ blocks: 6, transactions: 4, atomicTransactions: 1, accounts: 17 });
    const snapshot = await network.snapshot();
    await network.advanceTime(601);
    await actNamed(evm, "exports to X", "pays", "exports to X", "deploys a contract");
    const after = await hold(network, "C");
    expect(after).toMatchObject({ blocks: 10, transactions: 6, atomicTransactions: 3 });
    await network.revert(snapshot);
    expect(await hold(network)).toMatchObject({ blocks: 6, transactions: 4, atomicTransactions: 1 });
    await actNamed(evm, "exports to X", "deploys a contract");
    expect(await hold(network, "yH8D7ThNJkxmtkuv2jgBa4P1Rn3Qpr4pPr7QYNfcdoS6k6HWp")).toMatchObject({ blocks: 8, atomicTransactions: 2 });
  },
);
