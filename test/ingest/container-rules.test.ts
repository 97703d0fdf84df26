/** Containers that cannot be are refused by their line. The blocks inside are good, and so is everything that the containers do not say. */

import { createPrivateKey, sign, X509Certificate } from "node:crypto";
import { describe, expect, test } from "vitest";
import { makeStakingCertificate } from "../../src/api/state/certificate.ts";
import { PLATFORM_CHAIN_ID } from "../../src/base/bytes/id.ts";
import { openChains } from "../../src/ingest/chains.ts";
import { ContainerRules } from "../../src/ingest/container-rules.ts";
import { ingestSource } from "../../src/ingest/ingest-source.ts";
import { networkInstance } from "../../src/ingest/network-instance.ts";
import type { ProposerHeader, UnwrappedBlock } from "../../src/network/execution.ts";
import { certificateOf, proposerOf, signatureOf, signedBytes, unwrapBlock, wrapBlock, wrapOption } from "../../src/network/proposervm.ts";
import { openArchive } from "../../src/sources/archives/archive.ts";
import { headReader } from "../../src/sources/nodes/chain-reader.ts";
import type { BlockItem } from "../../src/sources/source.ts";
import { openStore } from "../../src/store/open.ts";
import { recordingFolder } from "../conformance/recordings.ts";
import { scratchDirectory } from "../store/scratch.ts";
import { ingestTampered, type Tamper } from "./tampered-source.ts";

function opened({ container }: BlockItem): UnwrappedBlock {
  return unwrapBlock(container, () => true);
}

/** The item with another container. */
function inContainer(item: BlockItem, container: Buffer): BlockItem {
  const changed = { ...item, container };
  return { ...changed, id: opened(changed).containerId };
}

function isPlatform({ chainId, height }: BlockItem, at: bigint): boolean {
  return chainId === PLATFORM_CHAIN_ID && height === at;
}

function asOption(item: BlockItem): BlockItem {
  const { header, inner } = opened(item);
  return inContainer(item, wrapOption(header!.parentId, inner));
}

/** @param at of a P block that is no option */
function changeHeader(at: bigint, change: (header: Required<ProposerHeader>) => Partial<ProposerHeader>): Tamper {
  return (item) => {
    if (!isPlatform(item, at)) return item;
    const { header, inner } = opened(item);
    const whole = header as Required<ProposerHeader>;
    return inContainer(item, wrapBlock({ ...whole, ...change(whole) }, inner));
  };
}

const staker = makeStakingCertificate(new Date());
const STRANGER = { key: createPrivateKey(staker.keyPem), certificate: new X509Certificate(staker.certificatePem).raw };

/** Signs a container with a certificate that no validator has. */
function signAsStranger(item: BlockItem): BlockItem {
  const { header, head, inner, tail } = opened(item);
  const certificateAt = 2 + 4 + 32 + 8 + 8;
  const { certificate, key } = STRANGER;
  const unsignedTail = tail.subarray(0, header!.epoch === undefined ? 0 : 24);
  const sized = (bytes: Uint8Array) => Buffer.concat([lengthOf(bytes), bytes]);
  const unsigned = Buffer.concat([head.subarray(0, certificateAt), sized(certificate), lengthOf(inner), inner, unsignedTail]);
  const { containerId } = unwrapBlock(Buffer.concat([unsigned, Buffer.alloc(4)]), () => true);
  return inContainer(item, Buffer.concat([unsigned, sized(sign("sha256", signedBytes(item.chainId, header!.parentId, containerId), key))]));
}

function lengthOf(bytes: Uint8Array): Buffer {
  const length = Buffer.alloc(4);
  length.writeUInt32BE(bytes.length);
  return length;
}

/** The first signed block of the P-chain from block 20 on, tampered with. */
function firstSigned(tamper: (item: BlockItem) => BlockItem): Tamper {
  let isDone = false;
  return (item) => {
    if (isDone || item.chainId !== PLATFORM_CHAIN_ID || item.height < 20n || proposerOf(opened(item).head) === undefined) return item;
    isDone = true;
    return tamper(item);
  };
}

function flip(item: BlockItem, part: Uint8Array, byte: number): BlockItem {
  const container = Buffer.from(item.container);
  container[container.indexOf(part) + byte]! ^= 1;
  return inContainer(item, container);
}

describe("A container is refused by its line", () => {
  test.each<[string, Tamper, RegExp]>([
    ["signature", firstSigned((item) => flip(item, signatureOf(opened(item)), 100)), /its signature is not that of its certificate/],
    [
      "certificate's key",
      firstSigned((item) => flip(item, certificateOf(opened(item).head), 400)),
      /its signature is not that of its cert|no valid key/,
    ],
    ["certificate", firstSigned((item) => flip(item, certificateOf(opened(item).head), 9)), /its certificate is malformed/],
    [
      "signature of a stranger",
      firstSigned(signAsStranger),
      /NodeID-\w+ signed it; in slot \d+ after its parent it is for NodeID-\w+ to propose/,
    ],
  ])("for its %s: live-1", async (_, tamper, reason) => {
    const refused = ingestTampered("live-1", tamper);
    await expect(refused).rejects.toThrow(/^chain P, block \d+, \w+, blocks\/P\.jsonl:\d+: its proposervm container cannot be: /);
    await expect(refused).rejects.toThrow(reason);
  });

  test.each<[string, Tamper, RegExp]>([
    [
      "time before its parent's",
      changeHeader(40n, ({ timestamp }) => ({ timestamp: timestamp - 10_000_000n })),
      /its time \d+ is before its parent's/,
    ],
    [
      "time after it was accepted",
      changeHeader(40n, ({ timestamp }) => ({ timestamp: timestamp + 10_000_000n })),
      /more than 10 s after it was accepted/,
    ],
    ["P-chain height below its parent's", changeHeader(40n, () => ({ pChainHeight: 0n })), /its P-chain height 0 is below its parent's/],
    [
      "P-chain height above the chain's",
      changeHeader(40n, () => ({ pChainHeight: 40n })),
      /its P-chain height is 40, and the P-chain is at 39/,
    ],
    [
      "epoch",
      changeHeader(40n, ({ epoch }) => ({ epoch: { ...epoch, number: epoch.number + 1n } })),
      /its epoch is .*; after its parent it is /,
    ],
    ["empty epoch", changeHeader(40n, () => ({ epoch: { number: 0n, pChainHeight: 0n, startTime: 0n } })), /its epoch is empty/],
    ["parent", changeHeader(40n, () => ({ parentId: "ab".repeat(32) })), /its parent is \w+, and the container before it is \w+/],
    [
      "first epoch",
      changeHeader(1n, ({ timestamp }) => ({ epoch: { number: 1n, pChainHeight: 0n, startTime: timestamp } })),
      /first container and has an epoch/,
    ],
    ["kind", (item) => (isPlatform(item, 40n) ? asOption(item) : item), /it is an option's, and the block inside is none/],
    ["absence", (item) => (isPlatform(item, 40n) ? withoutContainer(item) : item), /it has no proposervm header, and its parent has one/],
  ])("for its %s: latest-1", async (_, tamper, reason) => {
    await expect(ingestTampered("latest-1", tamper)).rejects.toThrow(reason);
  });

  test("but not at the level at which the node does not check it either", async () => {
    await ingestTampered(
      "latest-1",
      changeHeader(225n, ({ timestamp }) => ({ timestamp: timestamp + 10_000_000n })),
      "replay",
    );
  });
});

function withoutContainer(item: BlockItem): BlockItem {
  const { inner } = opened(item);
  return { ...item, container: inner, id: headReader(PLATFORM_CHAIN_ID, {} as never)(inner).id };
}

describe("On a public network", () => {
  test("every block of live-1 is signed by the one whose slot it is, and none may be unsigned", async () => {
    const path = recordingFolder("live-1");
    const source = await openArchive({ path, instance: networkInstance });
    const { network } = source;
    const store = await openStore({ directory: scratchDirectory(), mode: "write", network, isTemporary: true });
    try {
      await ingestSource({ store, source, level: "full" });
      const { platform } = await openChains(store, { network, level: "full" });
      const proposers = new Map<string, number>();
      // the rules of a public network over the same validators
      const rules = new ContainerRules({ ...network, networkId: 1 }, platform);
      const nothing = { heights: new Map(), vertices: new Map(), sharedMemoryOperations: 0n };
      for await (const run of source.items(nothing)) {
        for (const item of run as readonly BlockItem[]) {
          const unwrapped = opened(item);
          const block = headReader(item.chainId, network)(unwrapped.inner);
          const tryItem = async (tried: BlockItem) => {
            const base = {
              chain: "",
              byteLength: 0,
              height: item.height,
              block,
              unwrapped: opened(tried),
              isOption: false,
              keysRead: () => [],
              run: () => 0,
            };
            const step = rules.checked(tried, base);
            await step.ahead;
            return step.run();
          };
          const proposer = proposerOf(unwrapped.head);
          if (proposer !== undefined) {
            proposers.set(proposer, (proposers.get(proposer) ?? 0) + 1);
            const stripped = inContainer(item, wrapBlock(unwrapped.header as Required<ProposerHeader>, unwrapped.inner));
            await expect(tryItem(stripped)).rejects.toThrow(/nobody signed it; in slot \d+ .* NodeID-\w+ to propose/);
          }
          await tryItem(item);
        }
      }
      expect(proposers.size).toBe(5);
      expect([...proposers.values()].reduce((sum, count) => sum + count, 0)).toBe(269 + 272 + 150 - 3);
    } finally {
      await store.close();
    }
  });
});
