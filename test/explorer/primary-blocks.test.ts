/** Blocks, vertices, assets and lists of P, X and C: what the screen shows is what the API says. */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { components } from "../../explorer/src/api/data-api.d.ts";
import type { RecordingName } from "../conformance/recordings.ts";
import { useBrowser } from "./browser.ts";
import { hasBrowser, skipReason } from "./chromium.ts";
import { linksTo, pathOf, transactionsOf } from "./primary-api.ts";
import { ask, recordedWorld, type World } from "./worlds.ts";

const WORLDS = ["latest-1", "eras-1", "x-dag"] as const satisfies readonly RecordingName[];
const { visit } = useBrowser();
const worlds = new Map<RecordingName, World>();

beforeAll(async () => {
  if (!hasBrowser) return;
  for (const name of WORLDS) worlds.set(name, await recordedWorld(name));
});
afterAll(async () => {
  for (const world of worlds.values()) await world.stop();
});

describe.skipIf(!hasBrowser)(`blocks, vertices and assets of recordings${skipReason}`, () => {
  test("both halves of a decision name each other", async () => {
    const world = worlds.get("eras-1")!;
    const user = await visit(world.url);
    const { blocks } = await ask<{ blocks: components["schemas"]["PrimaryNetworkBlock"][] }>(world, `${pathOf("P")}/blocks?pageSize=100`);
    for (const outcome of ["Commit", "Abort"]) {
      const option = blocks.find(({ blockType }) => blockType.includes(outcome))!;
      const proposal = blocks.find(({ blockHash }) => blockHash === option.parentHash)!;
      const verb = outcome === "Commit" ? "commit" : "abort";
      await user.open(`/P/block/${proposal.blockNumber}`);
      await expect.poll(() => user.text()).toContain(`block ${option.blockNumber} ${verb}${verb === "commit" ? "t" : ""}ed it`);
      await user.open(`/P/block/${option.blockHash}`);
      await expect.poll(() => user.text()).toContain(`${verb}s what block ${proposal.blockNumber} proposed`);
      expect(await linksTo(user, `#/P/tx/${proposal.transactions[0]}`)).toBe(1);
      await user.open(`/P/tx/${proposal.transactions[0]}`);
      await expect.poll(() => user.text()).toContain(`block ${proposal.blockNumber} proposed it, block ${option.blockNumber}`);
    }
    expect(user.problems).toEqual([]);
    await user.end();
  });

  test("a block shows what the API says, and leads to its neighbours", async () => {
    const world = worlds.get("latest-1")!;
    const user = await visit(world.url);
    for (const chain of ["P", "X", "C"] as const) {
      const { blocks } = await ask<{ blocks: components["schemas"]["PrimaryNetworkBlock"][] }>(
        world,
        `${pathOf(chain)}/blocks?pageSize=100`,
      );
      for (const block of [blocks[0]!, blocks[1]!, blocks.find(({ txCount }) => txCount > 0)!, blocks.at(-1)!]) {
        await user.open(`/${chain}/block/${block.blockNumber}`);
        await expect.poll(() => user.text()).toContain(block.blockHash);
        const text = await user.text();
        expect(text).toContain(`${block.blockSizeBytes.toLocaleString("en")} bytes`);
        for (const id of block.transactions) expect(await linksTo(user, `#/${chain}/tx/${id}`)).toBe(1);
        if (block.proposerDetails?.proposerNodeId !== undefined) {
          expect(await linksTo(user, `#/validator/${block.proposerDetails.proposerNodeId}`)).toBe(1);
        }
        const height = BigInt(block.blockNumber);
        const neighbour = (to: bigint) => user.page.locator(`nav a[href="#/${chain}/block/${to}"]`).count();
        expect(await neighbour(height - 1n)).toBe(height === 0n ? 0 : 1);
        await expect.poll(() => neighbour(height + 1n)).toBe(block === blocks[0] ? 0 : 1);
      }
    }
    expect(user.problems).toEqual([]);
    await user.end();
  });

  test("a vertex shows its parents and transactions, and its bytes", async () => {
    const world = worlds.get("x-dag")!;
    const user = await visit(world.url);
    const { vertices } = await ask<{ vertices: components["schemas"]["XChainVertex"][] }>(world, `${pathOf("X")}/vertices?pageSize=100`);
    for (const vertex of vertices) {
      await user.open(`/X/vertex/${vertex.vertexHash}`);
      await expect.poll(() => user.text()).toContain(vertex.vertexHash);
      for (const parent of vertex.parentHashes) expect(await linksTo(user, `#/X/vertex/${parent}`)).toBe(1);
      for (const id of vertex.transactions) expect(await linksTo(user, `#/X/tx/${id}`)).toBe(1);
    }
    await user.page.locator("summary").click();
    const bytes = vertices.at(-1)!.vertexSizeBytes;
    // with 0x and, as the index writes them, a checksum of 4 bytes
    expect(await user.page.locator("details pre").textContent()).toHaveLength(2 + 2 * (bytes + 4));
    expect(user.problems).toEqual([]);
    await user.end();
  });

  test("lists are read page by page, and an asset's by type", async () => {
    const world = worlds.get("latest-1")!;
    const user = await visit(world.url);
    for (const path of ["/P/blocks", "/X/txs"]) {
      await user.open(path);
      await expect.poll(() => user.page.locator("tbody tr").count()).toBe(25);
      await user.page.getByRole("button", { name: "Show more" }).click();
      await expect.poll(() => user.page.locator("tbody tr").count()).toBe(50);
    }
    const created = (await transactionsOf(world, "X")).find(({ txType }) => txType === "CreateAssetTx")!;
    const asset = await ask<components["schemas"]["XChainAssetDetails"]>(world, `${pathOf("X")}/assets/${created.txHash}`);
    await user.open(`/asset/${created.txHash}`);
    await expect.poll(() => user.text("h1")).toBe(`${asset.name} (${asset.symbol})`);
    await user.page.locator("main select").selectOption("CreateAssetTx");
    await expect.poll(() => user.page.locator("tbody tr").count()).toBe(1);
    expect(await linksTo(user, `#/X/tx/${created.txHash}`)).toBe(2);
    expect(user.problems).toEqual([]);
    await user.end();
  });
});
