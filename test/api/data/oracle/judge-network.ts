import { expect, test } from "vitest";
import { formatId, formatNodeId } from "../../../../src/base/bytes/cb58.ts";
import { type Court, chainPath, NETWORK } from "./court.ts";
import { blockJson, listBlockchains, listBlocks, listL1Validators, listLatestVertices, listSubnets, listVertices } from "./network.ts";

export function judgeNetwork(court: () => Court): void {
  test("L1 validators and their balances", async () => {
    const { history, client, queries } = court();
    await court().property(queries.l1Validators(), async (query, salt) => {
      const { l1ValidationId, nodeId, subnetId, includeInactiveL1Validators } = query;
      const params = {
        l1ValidationId: l1ValidationId && formatId(l1ValidationId),
        nodeId: nodeId && formatNodeId(nodeId),
        subnetId: subnetId && formatId(subnetId),
        includeInactiveL1Validators,
      };
      await court().walk(`${NETWORK}/l1Validators`, "validators", params, listL1Validators(history, query), { salt });
    });
    expect(await client.get(`${NETWORK}/l1Validators`)).toMatchObject({ blockHeight: `${history.height}` });
  });

  test("subnets and blockchains", async () => {
    const { history, client } = court();
    for (const sortOrder of ["asc", "desc", undefined] as const) {
      for (const salt of [0, 1, 2, 3, 4, 5]) {
        await court().walk(`${NETWORK}/subnets`, "subnets", { sortOrder }, listSubnets(history, sortOrder), { salt });
        await court().walk(`${NETWORK}/blockchains`, "blockchains", { sortOrder }, listBlockchains(history, sortOrder), { salt });
      }
    }
    for (const subnet of listSubnets(history, undefined)) {
      court().same(await client.get(`${NETWORK}/subnets/${subnet.subnetId}`), subnet, subnet.subnetId);
    }
    for (const blockchain of listBlockchains(history, undefined)) {
      const { genesisData: _, ...answered } = await client.get(`${NETWORK}/blockchains/${blockchain.blockchainId}`);
      court().same(answered, blockchain, blockchain.blockchainId);
    }
  });

  test("blocks of a chain, of a node, and one", async () => {
    const { history, client, queries } = court();
    await court().property(queries.blocks(), async (query, salt) => {
      const { chain, nodeId, ...params } = query;
      const path = `${chainPath(chain)}${nodeId === undefined ? "" : `/nodes/${formatNodeId(nodeId)}`}/blocks`;
      await court().walk(path, "blocks", params, listBlocks(history, query), { salt });
    });
    if (history.blocks.length === 0) return;
    await court().property(queries.oneBlock(), async (block) => {
      const { blockNumber, blockHash, ...rest } = blockJson(history, block);
      for (const id of [blockNumber, blockHash]) {
        const path = `${chainPath(block.chain)}/blocks/${id}`;
        court().same(await client.get(path), { blockNumber, blockHash, ...rest }, path);
      }
    });
  });

  test("vertices", async () => {
    const { history, client } = court();
    const path = `${chainPath("X")}/vertices`;
    for (const vertexHeight of new Set(history.vertices.map(({ height }) => Number(height)).concat(99))) {
      for (const sortOrder of ["asc", "desc", undefined] as const) {
        const expected = listVertices(history, { vertexHeight, sortOrder });
        await court().walk(`${path}:listByHeight`, "vertices", { vertexHeight, sortOrder }, expected, { salt: vertexHeight });
      }
    }
    for (const salt of [0, 1, 2, 3, 4, 5]) await court().walk(path, "vertices", {}, listLatestVertices(history), { salt });
    for (const vertex of listLatestVertices(history)) {
      court().same(await client.get(`${path}/${vertex.vertexHash}`), vertex, vertex.vertexHash);
    }
  });
}
