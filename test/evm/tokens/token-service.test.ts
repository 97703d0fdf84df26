import { pino } from "pino";
import { expect, test } from "vitest";
import { ERC721 } from "../../../src/evm/facts.ts";
import { tokenIdKey } from "../../../src/evm/index/holding-rows.ts";
import { evmNfts } from "../../../src/evm/index/tables.ts";
import { evmNftMetadata } from "../../../src/evm/index/token-tables.ts";
import { USUAL_MULTICALL } from "../../../src/evm/tokens/multicall.ts";
import { openTokenService } from "../../../src/evm/tokens/token-service.ts";
import { UpstreamError } from "../../../src/sources/upstream/upstream-error.ts";
import type { Store } from "../../../src/store/store.ts";
import { modelRpc } from "../../api/data/evm/evm-chain.ts";
import { eventuallyHolds } from "../../patience.ts";
import { asks, CHAIN, SOMEBODY, textAnswer, withWorkBench } from "./work-parts.ts";

const NO_FETCHES = { fetches: false, ipfsGateway: undefined, maxBytes: 1000, timeoutMs: 1000 };
const APES = "a9".repeat(20);

/** Of a chain that has code at one address only. */
function opened(store: Store, coded: string | undefined, configured?: string) {
  const rpc = modelRpc(({ method, params }) => {
    if (method === "eth_getCode") return params[0] === `0x${coded}` ? "0x60" : "0x";
    const { data } = params[0] as { data: string };
    if (data.startsWith(`0x${asks("tokenURI(uint256)")}`)) return textAnswer('data:,{"name":"x"}');
    throw new UpstreamError("refused", "execution reverted");
  });
  return openTokenService({
    store,
    chain: CHAIN,
    rpc,
    settings: { multicall: configured, nfts: NO_FETCHES },
    log: pino({ level: "silent" }),
  });
}

test("A multicall contract is where most chains have it, where the operator says, or nowhere", async () => {
  await withWorkBench(async ({ store }) => {
    const found: (string | undefined)[] = [];
    for (const [coded, configured] of [
      [USUAL_MULTICALL, undefined],
      [undefined, undefined],
      [APES, `0x${APES.toUpperCase()}`],
    ] as const) {
      const service = await opened(store, coded, configured);
      found.push(service.multicall);
      await service.stop();
    }
    expect(found).toEqual([USUAL_MULTICALL, undefined, APES]);
    await expect(opened(store, USUAL_MULTICALL, APES)).rejects.toThrow(
      `the chain has no contract at 0x${APES}, the address in multicall; use the address of a Multicall3, or leave it out`,
    );
  });
});

test("An NFT that is asked for is read at once, and not twice in an hour", async () => {
  await withWorkBench(async ({ store, put }) => {
    const key = { chain: CHAIN, token: APES, tokenId: tokenIdKey(7n) };
    await put(evmNfts, key, { kind: ERC721, owner: SOMEBODY, supply: 1n });
    const service = await opened(store, undefined);
    expect([await service.reindexNft(APES, 7n), await service.reindexNft(APES, 7n)]).toEqual([true, false]);
    await eventuallyHolds(async () => {
      const row = await store.get(evmNftMetadata, key);
      expect(Buffer.from(row?.metadata ?? []).toString()).toBe('{"name":"x"}');
    });
    await service.stop();
  });
});
