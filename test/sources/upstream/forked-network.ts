/** A network whose X-chain took another branch: from a height on its blocks are built again, each with the right parent. */

import { formatId } from "../../../src/base/bytes/cb58.ts";
import { sha256 } from "../../../src/base/bytes/hash.ts";
import { unwrapBlock } from "../../../src/network/proposervm.ts";
import type { ReplayedBlock, ReplayedNetwork } from "./replayed-network.ts";

const PARENT_BYTES = 32;
/** codec version and type; then parent, height and time */
const PARENT_AT = 2 + 4;
const TIME_AT = PARENT_AT + PARENT_BYTES + 8;

/** @param from height of the first block that is another one: it was built a second earlier, or later */
export function forkedNetwork(network: ReplayedNetwork, from: number): ReplayedNetwork {
  const blocks = [...network.chains.X];
  const earliest = blocks[from - 1]!.bytes.readBigUInt64BE(TIME_AT);
  for (let height = from; height < blocks.length; height++) {
    const bytes = Buffer.from(blocks[height]!.bytes);
    if (height === from) {
      const time = bytes.readBigUInt64BE(TIME_AT);
      bytes.writeBigUInt64BE(time > earliest ? time - 1n : time + 1n, TIME_AT);
    } else sha256(blocks[height - 1]!.bytes).copy(bytes, PARENT_AT);
    blocks[height] = rebuilt(network.chains.X[height]!, bytes, height === from ? undefined : blocks[height - 1]);
  }
  return { ...network, chains: { ...network.chains, X: blocks } };
}

/** @param parent undefined: it is as it was */
function rebuilt(
  { bytes: before, container, acceptedAt, evm }: ReplayedBlock,
  bytes: Buffer,
  parent: ReplayedBlock | undefined,
): ReplayedBlock {
  if (container === undefined) return { bytes, container, acceptedAt, json: undefined, evm };
  const wrapped = Buffer.from(container.bytes);
  bytes.copy(wrapped, wrapped.indexOf(before));
  if (parent !== undefined) containerHash(parent).copy(wrapped, PARENT_AT);
  const { containerId } = unwrapBlock(wrapped, () => true);
  return { bytes, container: { ...container, bytes: wrapped, id: formatId(containerId) }, acceptedAt, json: undefined, evm };
}

function containerHash({ container }: ReplayedBlock): Buffer {
  return Buffer.from(unwrapBlock(container!.bytes, () => true).containerId, "hex");
}
