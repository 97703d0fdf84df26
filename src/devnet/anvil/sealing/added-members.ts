/** Adds to the child's blocks the members that the chain's nodes show and Ethereum's nodes lack. They are made from the stored blocks. */

import type { Id } from "../../../base/bytes/id.ts";
import { blocks } from "../../../index/tables.ts";
import type { StoreReader } from "../../../store/store.ts";
import type { EvmChainSpec, SealedContents, ShownMembers } from "../chains/evm-chain-spec.ts";
import type { HeliconBlocks } from "./helicon-blocks.ts";

/** The child writes a block's hash and parent first, in answers and in notifications. */
const BLOCK = '"result":{"hash":"0x';
const START = /^"result":\{"hash":"0x([0-9a-f]{64})","parentHash":"0x[0-9a-f]{64}",/;
/** of a log, after its data */
const LOG = /"blockHash":"0x([0-9a-f]{64})","blockNumber":"(0x[0-9a-f]{1,16})"/;
const NUMBER = /"number":"(0x[0-9a-f]{1,16})"/;
/** the start of a block in the child's messages, which contains its number: a bloom filter comes before it */
const START_BYTES = 2048;
const NOTHING = Buffer.alloc(0);
const MEMBERS_AT = '"result":{'.length;

interface AddedMembersParts {
  readonly spec: EvmChainSpec;
  readonly store: StoreReader;
  readonly helicon: HeliconBlocks;
}

interface Shown {
  readonly blockId: Id;
  /** members as JSON, each followed by a comma */
  readonly block: string;
  readonly head: string;
}

export class AddedMembers {
  readonly #parts: AddedMembersParts;
  /** Cached, because many clients receive the same block. */
  #last: Shown | undefined;

  constructor(parts: AddedMembersParts) {
    this.#parts = parts;
  }

  /** @param sealed undefined for genesis, which is not stored */
  async of(sealed: SealedContents | undefined): Promise<ShownMembers> {
    const { block, header } = this.#parts.spec.shown(sealed);
    return { block, header: { ...header, ...(await this.#parts.helicon.membersOf(sealed)) } };
  }

  /**
   * Returns the child's message with the members added; unchanged if it contains no block. A head or a log of a block that is not stored is left
   * out: the child unsealed that block.
   */
  async addTo(message: Buffer, form: "block" | "head"): Promise<Buffer> {
    const at = message.indexOf(BLOCK);
    if (at === -1) return form === "head" && (await this.#isOfLostBlock(message)) ? NOTHING : message;
    const start = message.toString("latin1", at, at + START_BYTES);
    const [blockId, number] = [START.exec(start)?.[1], NUMBER.exec(start)?.[1]];
    if (blockId === undefined || number === undefined) return message;
    const shown = await this.#shown(blockId, BigInt(number));
    if (shown === undefined) return form === "head" ? NOTHING : message;
    const before = at + MEMBERS_AT;
    return Buffer.concat([message.subarray(0, before), Buffer.from(shown[form]), message.subarray(before)]);
  }

  /** @param message a notification */
  async #isOfLostBlock(message: Buffer): Promise<boolean> {
    const [, blockId, height] = LOG.exec(message.toString("latin1")) ?? [];
    if (blockId === undefined) return false;
    const { spec, store } = this.#parts;
    return (await store.get(blocks, { chainId: spec.chainId, height: BigInt(height!) }))?.blockId !== blockId;
  }

  async #shown(blockId: Id, height: bigint): Promise<Shown | undefined> {
    if (this.#last?.blockId === blockId) return this.#last;
    const { spec, store } = this.#parts;
    const row = height === 0n ? undefined : await store.get(blocks, { chainId: spec.chainId, height });
    if (height > 0n && row?.blockId !== blockId) return undefined;
    const { block, header } = await this.of(row && spec.parse(row.bytes));
    this.#last = { blockId, block: membersText({ ...block, ...header }), head: membersText(header) };
    return this.#last;
  }
}

function membersText(members: Readonly<Record<string, string>>): string {
  return Object.entries(members)
    .map(([name, value]) => `"${name}":"${value}",`)
    .join("");
}
