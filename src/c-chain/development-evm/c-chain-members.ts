/**
 * Adds to the child's blocks the members that C-chain nodes return and Ethereum nodes lack: the atomic transactions, and what is derived
 * from them and from the time. They are made from the stored block. The child's header does not contain them, so the hash does not cover
 * them.
 */
import { blocks } from "../../index/tables.ts";
import { isActive, type NetworkInstance } from "../../network/network.ts";
import type { Id } from "../../primitives/id.ts";
import type { StoreReader } from "../../store/store.ts";
import { type CChainBlock, hashExtraData, parseCChainBlock } from "../atomic/block.ts";
import { extraDataGas } from "../atomic/verify.ts";
import { cChainGenesis } from "./c-chain-genesis.ts";
import { toHex } from "./header.ts";

type Contents = Pick<CChainBlock, "timestamp" | "extraData" | "atomicTxs" | "baseFee">;
type Members = Readonly<Record<string, string>>;
type BlockMembers = Members & { readonly blockExtraData: string };

/** The members added to a block. @param sealed undefined for genesis, which is not stored */
export function blockMembers(sealed: CChainBlock | undefined, network: NetworkInstance): BlockMembers {
  const block = sealed ?? genesisContents(network);
  return { blockExtraData: `0x${Buffer.from(block.extraData).toString("hex")}`, ...headMembers(block, network) };
}

/** The members added to a header. Gas price exponents, settlement and the like are left out, because a devnet has no such rules. */
function headMembers(block: Contents, network: NetworkInstance): Members {
  const { timestamp, extraData, atomicTxs } = block;
  const since = (upgrade: "apricotPhase4" | "granite" | "helicon") => isActive(network, upgrade, timestamp);
  // since Helicon the C-chain's VM counts all gas as the EVM's
  const gas = since("helicon") ? 0n : extraDataGas(atomicTxs, { network, ...block });
  return {
    extDataHash: `0x${hashExtraData(extraData)}`,
    // blocks of a devnet do not pay for being early
    ...(since("apricotPhase4") && { extDataGasUsed: toHex(gas), blockGasCost: "0x0" }),
    ...(since("granite") && { timestampMilliseconds: toHex(timestamp * 1000n) }),
  };
}

/** The child writes a block's hash and parent first, in answers and in notifications. */
const BLOCK = '"result":{"hash":"0x';
const START = /^"result":\{"hash":"0x([0-9a-f]{64})","parentHash":"0x[0-9a-f]{64}",/;
const NUMBER = /"number":"(0x[0-9a-f]{1,16})"/;
/** the start of a block in the child's messages, which contains its number: a bloom filter comes before it */
const START_BYTES = 2048;
const MEMBERS_AT = '"result":{'.length;

interface Shown {
  readonly blockId: Id;
  /** members as JSON, each followed by a comma */
  readonly block: string;
  readonly head: string;
}

export class CChainMembers {
  readonly #network: NetworkInstance;
  readonly #store: StoreReader;
  /** Cached, because many clients receive the same block. */
  #last: Shown | undefined;

  constructor({ network, store }: { readonly network: NetworkInstance; readonly store: StoreReader }) {
    this.#network = network;
    this.#store = store;
  }

  /** Returns the child's message with the members added; unchanged if it contains no block, or one that is not stored. */
  async addTo(message: Buffer, form: "block" | "head"): Promise<Buffer> {
    const at = message.indexOf(BLOCK);
    if (at === -1) return message;
    const start = message.toString("latin1", at, at + START_BYTES);
    const [blockId, number] = [START.exec(start)?.[1], NUMBER.exec(start)?.[1]];
    if (blockId === undefined || number === undefined) return message;
    const shown = await this.#shown(blockId, BigInt(number));
    if (shown === undefined) return message;
    const before = at + MEMBERS_AT;
    return Buffer.concat([message.subarray(0, before), Buffer.from(shown[form]), message.subarray(before)]);
  }

  async #shown(blockId: Id, height: bigint): Promise<Shown | undefined> {
    if (this.#last?.blockId === blockId) return this.#last;
    const { cChainId: chainId, upgrades } = this.#network;
    const row = height === 0n ? undefined : await this.#store.get(blocks, { chainId, height });
    if (height > 0n && row?.blockId !== blockId) return undefined;
    const { blockExtraData, ...head } = blockMembers(row && parseCChainBlock(row.bytes, upgrades.times.apricotPhase5), this.#network);
    this.#last = { blockId, block: membersText({ blockExtraData, ...head }), head: membersText(head) };
    return this.#last;
  }
}

function genesisContents(network: NetworkInstance): Contents {
  return { timestamp: cChainGenesis(network).timestamp, extraData: new Uint8Array(), atomicTxs: [], baseFee: undefined };
}

function membersText(members: Members): string {
  return Object.entries(members)
    .map(([name, value]) => `"${name}":"${value}",`)
    .join("");
}
