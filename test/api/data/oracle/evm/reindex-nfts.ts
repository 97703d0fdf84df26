/** Has the metadata of all NFTs read again: a contract may have changed a token's URI since Firn asked for it. */
import { expect } from "vitest";
import type { Manifest } from "../../../../evm/workload/run-workload.ts";
import { DataClient } from "../client.ts";

export async function reindexNfts(url: string, chainId: string, contracts: Manifest["contracts"]): Promise<void> {
  const client = new DataClient(url);
  for (const { address, erc } of contracts) {
    if (erc !== "ERC-721" && erc !== "ERC-1155") continue;
    const path = `/chains/${chainId}/nfts/collections/${address}/tokens`;
    for (const { tokenId } of (await client.walk(path, "tokens", { pageSize: 100 })) as { tokenId: string }[]) {
      const { status } = await fetch(`${url}/v1${path}/${tokenId}:reindex`, { method: "POST" });
      expect(status).toBe(201);
    }
  }
}
