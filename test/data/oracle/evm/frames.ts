/**
 * Internal transactions and deployments in call traces. A failed creation has no address in a trace: it follows from the creator's nonce,
 * which is counted here from the chain's beginning. That of a failed CREATE2 needs the salt: where the node does not tell it, the zero address
 * stands there.
 */
import { getContractAddress, type Hex } from "viem";
import type { RawFrame } from "./chain-answers.ts";

export interface OracleInternal {
  readonly type: string;
  readonly from: string;
  readonly to: string;
  readonly value: bigint;
  readonly isReverted: boolean;
  readonly gas: bigint;
  readonly gasUsed: bigint;
}

export interface OracleDeployment {
  readonly contract: string;
  /** undefined: the transaction itself */
  readonly factory: string | undefined;
}

const ZERO_ADDRESS = `0x${"0".repeat(40)}`;
const lower = (text: string | undefined) => text?.toLowerCase();
const isCreation = ({ type }: RawFrame) => type === "CREATE" || type === "CREATE2";
/** Such a creation does not even begin, so the creator's nonce stays. */
const isNotBegun = ({ error = "" }: RawFrame) => /insufficient balance|max call depth/i.test(error);

export class Frames {
  readonly #nonces = new Map<string, bigint>();
  /** of the CREATE2 that were not met yet */
  #salts: string[] = [];

  /**
   * @param created address of the contract that the transaction itself makes or would make
   * @param salts of its CREATE2, in order
   */
  read(
    top: RawFrame,
    created: string | undefined,
    salts: readonly string[] = [],
  ): { internals: OracleInternal[]; deployments: OracleDeployment[] } {
    const internals: OracleInternal[] = [];
    const deployments: OracleDeployment[] = [];
    const before = new Map(this.#nonces);
    const isFailed = top.error !== undefined;
    this.#salts = [...salts];
    if (created !== undefined) {
      this.#nonces.set(created, 1n);
      if (!isFailed) deployments.push({ contract: created, factory: undefined });
    }
    for (const frame of top.calls ?? []) this.#walk(frame, isFailed, internals, deployments);
    if (isFailed) this.#restore(before);
    return { internals, deployments };
  }

  #walk(frame: RawFrame, isReverted: boolean, internals: OracleInternal[], deployments: OracleDeployment[]): void {
    const isVoid = isReverted || frame.error !== undefined;
    const { type } = frame;
    const value = BigInt(frame.value ?? 0);
    const from = lower(frame.from)!;
    const to = isCreation(frame) ? this.#created(frame, from) : lower(frame.to)!;
    if (isCreation(frame) || ((type === "CALL" || type === "CALLCODE") && value > 0n)) {
      internals.push({ type, from, to, value, isReverted: isVoid, gas: BigInt(frame.gas ?? 0), gasUsed: BigInt(frame.gasUsed ?? 0) });
    }
    const before = new Map(this.#nonces);
    if (isCreation(frame)) {
      this.#nonces.set(to, 1n);
      if (!isVoid) deployments.push({ contract: to, factory: from });
    }
    for (const child of frame.calls ?? []) this.#walk(child, isVoid, internals, deployments);
    if (frame.error !== undefined) this.#restore(before);
  }

  /** The creator's nonce rises even if the creation fails. */
  #created(frame: RawFrame, creator: string): string {
    const nonce = this.#nonces.get(creator) ?? 1n;
    if (!isNotBegun(frame)) this.#nonces.set(creator, nonce + 1n);
    const salt = frame.type === "CREATE2" ? this.#salts.shift() : undefined;
    if (frame.to) return frame.to.toLowerCase();
    if (salt !== undefined) {
      const parts = { from: creator as Hex, salt: salt as Hex, bytecode: frame.input as Hex };
      return getContractAddress({ opcode: "CREATE2", ...parts }).toLowerCase();
    }
    if (frame.type === "CREATE2") return ZERO_ADDRESS;
    return getContractAddress({ from: creator as Hex, nonce }).toLowerCase();
  }

  #restore(nonces: ReadonlyMap<string, bigint>): void {
    this.#nonces.clear();
    for (const [address, nonce] of nonces) this.#nonces.set(address, nonce);
  }
}
