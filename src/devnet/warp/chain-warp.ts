/** The warp messages of one EVM chain of a devnet: those that its contracts sent, and its validators' signatures (chain-rules 14). */

import { formatId } from "../../base/bytes/cb58.ts";
import type { Id } from "../../base/bytes/id.ts";
import { FirnError } from "../../base/errors/errors.ts";
import { sign } from "../../base/signatures/bls.ts";
import type { CanonicalSet } from "../../chains/platform/validator-sets.ts";
import { encodeWarpPayload, unsignedWarpBytes } from "../../chains/platform/warp/message.ts";
import { SEND_WARP_MESSAGE, WARP_ADDRESS } from "../anvil/precompiles/warp-contract.ts";
import { localNodeKey } from "../validator-keys.ts";
import { signedByValidators } from "./aggregate.ts";

interface ChainWarpParts {
  readonly networkId: number;
  readonly chainId: Id;
  /** that validates the chain */
  readonly subnetId: Id;
  /** asks the chain's EVM */
  ask(method: string, ...params: unknown[]): Promise<unknown>;
  /** at the P-chain's tip */
  validators(subnetId: Id): Promise<CanonicalSet & { readonly height: bigint }>;
}

interface Log {
  readonly data: string;
}

/** database.ErrNotFound of the node */
const NOT_FOUND = "not found";
const WORD = 32;

export class ChainWarp {
  readonly #parts: ChainWarpParts;

  constructor(parts: ChainWarpParts) {
    this.#parts = parts;
  }

  /** A message that a contract of this chain sent: the unsigned bytes. Its log is the only record of it. */
  async message(messageId: Id): Promise<Buffer> {
    const filter = {
      ...{ address: `0x${WARP_ADDRESS}`, topics: [`0x${SEND_WARP_MESSAGE}`, null, `0x${messageId}`] },
      ...{ fromBlock: "0x0", toBlock: "latest" },
    };
    const [log] = (await this.#parts.ask("eth_getLogs", filter)) as Log[];
    if (log === undefined) throw new FirnError("warp", NOT_FOUND, { messageId });
    return messageInLog(log);
  }

  /** The message that validators sign for a block, which they do if it was accepted. */
  blockMessage(blockId: Id): Buffer {
    const { networkId, chainId } = this.#parts;
    return unsignedWarpBytes({ networkId, sourceChainId: chainId, payload: encodeWarpPayload({ kind: "Hash", hash: blockId }) });
  }

  async requireBlock(blockId: Id): Promise<void> {
    const block = await this.#parts.ask("eth_getBlockByHash", `0x${blockId}`, false);
    if (block === null) throw new FirnError("warp", `2: failed to get block ${formatId(blockId)}: ${NOT_FOUND}`, { blockId });
  }

  /** The signature of this node alone. */
  signature(unsigned: Uint8Array): Buffer {
    return sign(localNodeKey, unsigned);
  }

  /** @param quorum percent of the weight */
  async signed(unsigned: Uint8Array, quorum: bigint, subnetId: Id = this.#parts.subnetId): Promise<Buffer> {
    const set = await this.#parts.validators(subnetId);
    if (set.totalWeight === 0n) {
      throw new FirnError("warp", `cannot retrieve validator set: ${formatId(subnetId)} source subnet not found`, { subnetId });
    }
    if (set.validators.length === 0) {
      const text = `cannot aggregate signatures from subnet with no validators (SubnetID: ${formatId(subnetId)}, Height: ${set.height})`;
      throw new FirnError("warp", text, { subnetId });
    }
    return signedByValidators(unsigned, set, quorum);
  }
}

/** The message in a `SendWarpMessage` log: the only member that is not indexed. */
export function messageInLog({ data }: Log): Buffer {
  const bytes = Buffer.from(data.slice("0x".length), "hex");
  const length = Number(BigInt(`0x${bytes.toString("hex", WORD, 2 * WORD)}`));
  return bytes.subarray(2 * WORD, 2 * WORD + length);
}
