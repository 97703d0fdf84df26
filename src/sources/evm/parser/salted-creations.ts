/**
 * Derives the addresses that failed CREATE2s would have had. A call trace has everything but the salt, which is on the stack. The caller
 * asks the node for the salts of a transaction (`SALT_TRACER`).
 */

import { AnswerError, listAnswer } from "./answer-object.ts";
import type { Address, Hash } from "./block.ts";
import { addressOfCreation2 } from "./creation-address.ts";
import type { TraceFrame } from "./trace-block.ts";

/** A CREATE2 in the executed code, whether it got a frame of its own or not. */
export interface SaltedCreation {
  readonly creator: Address;
  /** depth of the frame that it creates */
  readonly depth: number;
  readonly salt: Hash;
}

/** A JavaScript tracer for `debug_traceTransaction`. Its result is a list of creator, depth and salt. */
export const SALT_TRACER = `{
  begun: [],
  step: function (log) {
    if (log.op.toNumber() === 0xf5) this.begun.push([toHex(log.contract.getAddress()), log.getDepth(), log.stack.peek(3).toString(16)]);
  },
  fault: function () {},
  result: function () { return this.begun; }
}`;

const ADDRESS = /^0x[0-9a-f]{40}$/i;
const SALT = /^[0-9a-f]{1,64}$/i;

export function parseSalts(answer: unknown): SaltedCreation[] {
  return listAnswer(answer, "salts of creations").map((entry) => {
    const [creator, depth, salt] = listAnswer(entry, "a salted creation");
    const isSound =
      typeof creator === "string" && ADDRESS.test(creator) && Number.isSafeInteger(depth) && typeof salt === "string" && SALT.test(salt);
    if (!isSound) throw new AnswerError(`a salted creation is ${JSON.stringify(entry)}; it must be a creator, a depth and a salt`);
    return { creator: creator.slice(2).toLowerCase(), depth: depth as number, salt: salt.toLowerCase().padStart(64, "0") };
  });
}

/** Sets the addresses that can be derived from the salts. Both lists are in the order of execution, but not every CREATE2 has a frame. */
export function addressSaltedCreations(frames: readonly TraceFrame[], begun: readonly SaltedCreation[]): void {
  let next = 0;
  for (const frame of frames.slice(1)) {
    if (frame.type !== "CREATE2" || frame.initCode === undefined) continue;
    const initCode = Buffer.from(frame.initCode.slice(2), "hex");
    const found = begun.findIndex(({ creator, depth, salt }, index) => {
      if (index < next || creator !== frame.from || depth !== frame.depth) return false;
      return frame.to === undefined || frame.to === addressOfCreation2(creator, salt, initCode);
    });
    if (found === -1) continue;
    frame.to ??= addressOfCreation2(frame.from, begun[found]!.salt, initCode);
    next = found + 1;
  }
}
