/**
 * Runs the EVM workload on a devnet's C-chain, with imports and exports of AVAX, and compares it with the oracle's reading of the child's
 * blocks.
 */
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, test } from "vitest";
import { EWOQ_KEY } from "../../src/devnet/account-keys.ts";
import { startDevnet } from "../../src/serve/local-network/start.ts";
import { hold, openCourt } from "../api/data/oracle/evm/court.ts";
import { reindexNfts } from "../api/data/oracle/evm/reindex-nfts.ts";
import { runWorkload } from "../evm/workload/run-workload.ts";
import { actNamed } from "./anvil/evm-actions.ts";
import { EvmNetwork } from "./anvil/evm-network.ts";

const CLIENT_VERSION = /anvil[^"]*/;

/** The driver commands a node that says it is anvil; of this one it shall expect a chain that makes its blocks. */
async function asPlainNode(target: string): Promise<{ url: string; close(): void }> {
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk);
    const headers = { "content-type": "application/json" };
    const answer = await fetch(target, { method: "POST", headers, body: Buffer.concat(chunks) });
    response.writeHead(answer.status, headers);
    response.end((await answer.text()).replace(CLIENT_VERSION, "firn"));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const close = () => {
    server.close();
    server.closeAllConnections();
  };
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, close };
}

test("every trap of the workload is in the Data API as the child's blocks have it", async () => {
  await using network = await startDevnet({ allowUnprotectedTxs: true });
  const evm = EvmNetwork.of(network.devnet, network.dataDirectory);
  await evm.evm.ready();
  const node = await asPlainNode(network.urls.C);
  const { contracts } = await runWorkload({
    rpc: node.url,
    seed: "20261121",
    txs: Number(process.env.FIRN_EVM_TXS ?? 250),
    key: `0x${Buffer.from(EWOQ_KEY).toString("hex")}`,
  });
  node.close();
  await actNamed(evm, "exports to C", "imports", "exports to X");
  // contracts that were renamed since are asked again after a day, token URIs when somebody asks for it
  await network.advanceTime(86_401);
  await reindexNfts(network.url, "43112", contracts);
  const chain = {
    chainId: "43112",
    status: "OK",
    chainName: "Avalanche (C-Chain)",
    description: "The contract chain of the Primary Network.",
    platformChainId: network.blockchainIds.C,
    subnetId: "11111111111111111111111111111111LpoYY",
    vmId: "mgj786NP7uDwBCcq6YwThhaN8FLyybkCa4zBWTQbNgmK6k9A6",
    vmName: "EVM",
    rpcUrl: network.urls.C,
    wsUrl: network.urls.cWebSocket,
    isTestnet: true,
    networkToken: { name: "Avalanche", symbol: "AVAX", decimals: 18 },
    private: false,
    enabledFeatures: ["nftIndexing", "teleporter"],
    // genesis has it
    utilityAddresses: { multicall: "0xcA11bde05977b3631167028862bE2a173976CA11" },
  };
  const court = await openCourt({
    url: network.url,
    // the child itself: clients of a devnet may not have it run a tracer of their own, which tells the oracle salts
    rpc: evm.evm.webSocketUrl.replace(/^ws/, "http"),
    blocksRpc: network.urls.C,
    chain,
    chainNames: [chain.chainId, chain.platformChainId],
    ercTypes: new Map(contracts.map(({ address, erc }) => [address, erc])),
  });
  const { failures, asked } = await hold(court, { seed: 6, most: Number(process.env.FIRN_EVM_CASES ?? 150) });
  expect(failures).toEqual([]);
  expect(asked).toBeGreaterThan(100);
});
