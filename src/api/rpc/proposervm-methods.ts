/**
 * `proposervm.*` at `/ext/bc/<chain>/proposervm` of P and C: what the wrapper of the next block would contain (chain-formats 8). The
 * preferred block is the last accepted one, since an index has no processing blocks.
 */

import { EMPTY_ID, PLATFORM_CHAIN_ID } from "../../base/bytes/id.ts";
import type { TableValue } from "../../base/table/table.ts";
import { evmTips } from "../../chains/atomic/tables.ts";
import { platformChain } from "../../chains/platform/tables.ts";
import { blocks } from "../../index/tables.ts";
import { type EpochParent, epochOfChild, unwrapBlock } from "../../network/proposervm.ts";
import { unknownContainer } from "./index-api/container-index.ts";
import { type Method, method, type RpcContext } from "./method.ts";
import { proposedHeight } from "./platform/proposed-height.ts";

const getProposedHeight = method({
  name: "proposervm.getProposedHeight",
  summary: "The P-chain height that a block proposed now would carry.",
  cost: "64 rows once per height",
  computeUnits: 10,
  params: {},
  async handler(_params, context) {
    return { height: `${await proposedHeight(context)}` };
  },
});

const getCurrentEpoch = method({
  name: "proposervm.getCurrentEpoch",
  summary: "The ACP-181 epoch of the next block.",
  cost: "two rows",
  computeUnits: 10,
  params: {},
  async handler(_params, context) {
    const parent = await lastBlock(context);
    const { clock } = context.beyondState();
    let childTimestamp = parent.timestamp;
    if (clock > childTimestamp) childTimestamp = clock;
    const epoch = epochOfChild(parent, childTimestamp, context.network.upgrades);
    const { number, startTime, pChainHeight } = epoch ?? { number: 0n, startTime: 0n, pChainHeight: 0n };
    return { number: `${number}`, startTime: `${startTime}`, pChainHeight: `${pChainHeight}` };
  },
});

export const proposervmMethods: readonly Method[] = [getProposedHeight, getCurrentEpoch];

/** The last accepted block as the parent of the next one. A block without wrapper has the chain's own time and no P-chain height. */
async function lastBlock(context: RpcContext): Promise<EpochParent> {
  const { reader, chain } = context;
  const rows = await reader.scan(blocks, { prefix: { chainId: chain.chainId }, reverse: true, limit: 2 });
  for (const { key, value } of rows) {
    if (value.containerId === EMPTY_ID) throw unknownContainer(key.height);
    const { timestamp, pChainHeight = 0n, epoch } = headerOf(value) ?? {};
    if (timestamp !== undefined) return { timestamp, pChainHeight, ...(epoch && { epoch }) };
    // An option has no header of its own. It inherits its parent's, which is in the previous block.
    if (value.head.length === 0) break;
  }
  return { timestamp: await chainTime(context), pChainHeight: 0n };
}

function headerOf({ head, bytes, tail }: TableValue<typeof blocks>) {
  return head.length === 0 ? undefined : unwrapBlock(Buffer.concat([head, bytes, tail]), () => true).header;
}

async function chainTime({ reader, chain }: RpcContext): Promise<bigint> {
  if (chain.chainId === PLATFORM_CHAIN_ID) return (await reader.get(platformChain, { slot: 0 }))?.timestamp ?? 0n;
  return (await reader.get(evmTips, { chainId: chain.chainId }))?.timestamp ?? 0n;
}
