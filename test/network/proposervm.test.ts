import { describe, expect, test } from "vitest";
import { formatId } from "../../src/base/bytes/cb58.ts";
import { sha256Hex } from "../../src/base/bytes/hash.ts";
import type { Id } from "../../src/base/bytes/id.ts";
import type { ProposerHeader } from "../../src/network/execution.ts";
import { parseNetworkFile } from "../../src/network/network-file.ts";
import { fuji, localNetwork, mainnet } from "../../src/network/presets.ts";
import { type EpochParent, epochOfChild, unwrapBlock, wrapBlock, wrapOption } from "../../src/network/proposervm.ts";
import { readJson, readLines } from "../conformance/json-lines.ts";
import { recordingFolder } from "../conformance/recordings.ts";

const always = () => true;
const hex = (text: string) => Buffer.from(text.replaceAll(/\s/g, ""), "hex");
const PARENT = "01".repeat(32);
const CERTIFICATE = "3003300161"; // two nested sequences

const postFork = ({ certificate = "", signature = "" } = {}) =>
  hex(`0000 00000000 ${PARENT} 000000000000007b 0000000000000002
    ${length(certificate)} ${certificate} 00000003 aabbcc ${length(signature)} ${signature}`);
const length = (bytes: string) => (bytes.length / 2).toString(16).padStart(8, "0");

function wrapAgain({ parentId, timestamp, pChainHeight, epoch }: ProposerHeader, inner: Uint8Array): Buffer {
  if (timestamp === undefined || pChainHeight === undefined) return wrapOption(parentId, inner);
  return wrapBlock({ parentId, timestamp, pChainHeight, ...(epoch && { epoch }) }, inner);
}

/** The container as it would be had nobody signed it. */
function withoutSigner(container: Buffer): Buffer {
  const option = 1;
  if (container.readUInt32BE(2) === option) return container;
  const certificateAt = 2 + 4 + 32 + 8 + 8;
  const innerAt = certificateAt + 4 + container.readUInt32BE(certificateAt);
  const isInEpoch = container.readUInt32BE(2) === 2;
  const signatureAt = innerAt + 4 + container.readUInt32BE(innerAt) + (isInEpoch ? 24 : 0);
  const none = Buffer.alloc(4);
  return Buffer.concat([container.subarray(0, certificateAt), none, container.subarray(innerAt, signatureAt), none]);
}

interface BlockLine {
  readonly id?: string;
  readonly containerID?: string;
  readonly container: string | null;
}

describe.each([
  ["latest-1", ["P", "X", "C"]],
  ["eras-1", ["P", "X", "C"]],
  ["scale-1", ["P", "X"]],
] as const)("blocks of %s", (name, chains) => {
  const folder = recordingFolder(name);
  const network = parseNetworkFile(readJson(folder, "network.json"));
  const encoding = name === "scale-1" ? "base64" : "hex";

  test.each(chains)(
    "all of %s are unwrapped to the recorded IDs, are wrapped again to the same bytes, and their epochs follow the rule",
    (chain) => {
      let parent: (EpochParent & { readonly id: Id }) | undefined;
      let count = 0;
      for (const line of readLines<BlockLine>(folder, `blocks/${chain}.jsonl`)) {
        if (line.container === null) continue;
        const container = Buffer.from(encoding === "hex" ? line.container.slice(2) : line.container, encoding);
        const { containerId, head, inner, tail, header } = unwrapBlock(container, always);
        expect(Buffer.concat([head, inner, tail]).equals(container)).toBe(true);
        expect(formatId(containerId)).toBe(line.containerID ?? line.id);
        if (header !== undefined) expect(wrapAgain(header, inner).equals(withoutSigner(container))).toBe(true);
        if (line.containerID !== undefined && chain !== "C") expect(formatId(sha256Hex(inner))).toBe(line.id);
        if (header?.timestamp === undefined) {
          expect(header?.parentId).toBe(parent?.id); // an option
          parent = { ...parent!, id: containerId };
          continue;
        }
        if (parent !== undefined && header.parentId === parent.id) {
          expect(header.epoch).toEqual(epochOfChild(parent, header.timestamp, network.upgrades));
        }
        parent = {
          timestamp: header.timestamp,
          pChainHeight: header.pChainHeight!,
          ...(header.epoch && { epoch: header.epoch }),
          id: containerId,
        };
        count++;
      }
      expect(count).toBeGreaterThan(20);
    },
  );
});

describe("unwrapping", () => {
  test("two wrappers that differ in their signature have one ID", () => {
    const [a, b] = ["", "beef"].map((signature) => unwrapBlock(postFork({ certificate: CERTIFICATE, signature }), always));
    expect(a?.containerId).toBe(b?.containerId);
    expect(a?.header).toEqual({ parentId: PARENT, timestamp: 123n, pChainHeight: 2n });
    expect(b?.inner.toString()).toBe(hex("aabbcc").toString());
    expect(b?.tail).toEqual(hex("00000002 beef"));
  });

  test("a Granite wrapper carries its epoch, and its ID covers it", () => {
    const body = `${PARENT} 000000000000007b 0000000000000002 00000000 00000001 03 0000000000000005 0000000000000006 0000000000000007`;
    const { containerId, header, tail } = unwrapBlock(hex(`0000 00000002 ${body} 00000001 ff`), always);
    expect(header?.epoch).toEqual({ pChainHeight: 5n, number: 6n, startTime: 7n });
    expect(containerId).toBe(sha256Hex(hex(`0000 00000002 ${body}`)));
    expect(tail).toHaveLength(24 + 5);
  });

  test.each([
    ["one byte more", Buffer.concat([postFork(), hex("00")])],
    ["one byte less", postFork().subarray(0, -1)],
    ["another codec version", hex(`0001${postFork().toString("hex").slice(4)}`)],
    ["an unknown type", hex(`0000 00000003 ${PARENT} 00000001 aa`)],
    ["a certificate that is no DER", postFork({ certificate: "3004300161" })],
    ["a certificate above 2048 bytes", postFork({ certificate: `3082080030${"820800".slice(0, 4)}${"00".repeat(2045)}` })],
    // pre-fork blocks that share their first bytes with wrappers
    ["a bare Abort block", hex(`0000 00000001 ${PARENT} 0000000000000007`)],
    ["a bare Commit block", hex(`0000 00000002 ${PARENT} 0000000000000007`)],
    ["nothing", Buffer.alloc(0)],
  ])("%s is a bare block", (_, container) => {
    expect(unwrapBlock(container, always)).toEqual({
      containerId: sha256Hex(container),
      head: Buffer.alloc(0),
      inner: container,
      tail: Buffer.alloc(0),
    });
  });

  test("a wrapper around what is no block of the chain is a bare block with the chain's own ID", () => {
    const { header, inner, containerId } = unwrapBlock(
      postFork(),
      (bytes) => bytes.length !== 3,
      () => "the chain's ID",
    );
    expect([header, inner, containerId]).toEqual([undefined, postFork(), "the chain's ID"]);
  });
});

describe("epochs", () => {
  const { upgrades } = localNetwork(); // 30 s
  const parent = { timestamp: 2_000_000_000n, pChainHeight: 9n };
  const epoch = { pChainHeight: 4n, number: 7n, startTime: 1_999_999_971n };

  test("before Granite there is none", () => {
    expect(epochOfChild(parent, mainnet.upgrades.times.granite - 1n, mainnet.upgrades)).toBeUndefined();
    expect(epochOfChild(parent, fuji.upgrades.times.granite, fuji.upgrades)).toBeDefined();
  });

  test("the first starts with the parent", () => {
    expect(epochOfChild(parent, parent.timestamp, upgrades)).toEqual({ pChainHeight: 9n, number: 1n, startTime: parent.timestamp });
  });

  test("one lasts until a parent is as late as its end", () => {
    expect(epochOfChild({ ...parent, epoch }, parent.timestamp + 99n, upgrades)).toEqual(epoch);
    const over = { ...epoch, startTime: epoch.startTime - 1n };
    expect(epochOfChild({ ...parent, epoch: over }, parent.timestamp, upgrades)).toEqual({
      pChainHeight: 9n,
      number: 8n,
      startTime: parent.timestamp,
    });
  });
});
