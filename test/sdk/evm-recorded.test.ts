/** The official clients with a recorded EVM chain: every method, every page, every form, and the errors they raise for refusals. */
import { describe, expect, test } from "vitest";
import { recordingFolder } from "../conformance/recordings.ts";
import { CLIENT_NAMES, clientNamed } from "./data-clients.ts";
import { methodNamed } from "./data-methods.ts";
import { expectVariants, holdServed } from "./data-sdks.ts";
import { expectStatus } from "./data-statuses.ts";
import { EVM_METHOD_NAMES } from "./evm-methods.ts";
import { expectMetrics } from "./evm-metrics.ts";
import { evmRequestsOf } from "./evm-requests.ts";
import { type ServedEvm, serveEvm } from "./evm-served.ts";
import { type EvmWorld, readEvmWorld } from "./evm-world.ts";

const seen = new Set<string>();

describe("evm-1:", () => {
  let served: ServedEvm;
  let world: EvmWorld;
  const start = async () => {
    served = await serveEvm("evm-1");
    world = await readEvmWorld(served.serverUrl);
    return { ...served, requests: evmRequestsOf(world) };
  };
  holdServed(EVM_METHOD_NAMES, start, seen);

  test("reindexNft has each client's NFT read again, and within the hour not once more", async () => {
    const { serverUrl } = served;
    served.holdClock();
    for (const [index, name] of CLIENT_NAMES.entries()) {
      const { address, tokenId } = world.nfts[index]!;
      const params = { chainId: world.chainId, address, tokenId };
      const [page] = await clientNamed(name, { serverUrl }).pages(methodNamed("reindexNft"), params);
      expect(page!.sent).toEqual({});
      await expectStatus(429, /once an hour/, { serverUrl }, ["reindexNft", params]);
    }
  });

  test("metrics count what the driver intended", () => expectMetrics(served.serverUrl, recordingFolder("evm-1"), world.chainId));

  test("400 and 404: what is malformed, and what there is not", async () => {
    const { serverUrl } = served;
    const { chainId, busy } = world;
    const of = { chainId, address: busy[0] };
    await expectStatus(400, /address must be 0x and 40 hex digits/, { serverUrl }, ["listErc20", { ...of, address: "0x12" }]);
    await expectStatus(400, /pageSize must be an integer from 1 to 500/, { serverUrl }, ["listErc20Balances", { ...of, pageSize: 501 }]);
    await expectStatus(400, /blockNumber/, { serverUrl }, ["getNativeBalance", { ...of, blockNumber: "0x1" }]);
    await expectStatus(400, /tokenId/, { serverUrl }, ["getNft", { ...of, tokenId: "one" }]);
    await expectStatus(404, /chain "1" is not served here/, { serverUrl }, ["listNative", { ...of, chainId: "1" }]);
    await expectStatus(404, /is not indexed/, { serverUrl }, ["getNativeBalance", { ...of, blockNumber: "99999" }]);
    await expectStatus(404, /has no NFT/, { serverUrl }, ["getNft", { ...of, tokenId: "1" }]);
    await expectStatus(404, /./, { serverUrl }, ["getEvmBlock", { chainId, blockId: "99999" }]);
    await expectStatus(404, /./, { serverUrl }, ["getEvmTransaction", { chainId, txHash: `0x${"ab".repeat(32)}` }]);
    await expectStatus(404, /./, { serverUrl }, ["getDeployment", of]);
  });

  test("503 and 502: a node that does not answer, and one that answers nonsense", async () => {
    const { serverUrl, rpc } = served;
    // that nobody has asked for: answers are kept
    const balance = { chainId: world.chainId, address: `0x${"cd".repeat(20)}` };
    rpc.setFaults({ serverError: 1 });
    await expectStatus(503, /does not answer/, { serverUrl }, ["getNativeBalance", balance]);
    rpc.setFaults({ garbage: 1 });
    await expectStatus(502, /returned an invalid response/, { serverUrl }, ["getNativeBalance", balance]);
    rpc.setFaults({});
  });
});

expectVariants("evm-1", seen);
