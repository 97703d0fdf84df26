/**
 * Internal transactions and deployments in call traces. A trace has no address of a failed creation: it follows from the creator's nonce,
 * which the node tells, or which is counted here from the chain's beginning. That of a failed CREATE2 also needs the salt; if the node does
 * not return it, the zero address is used.
 */
import { getContractAddress, type Hex } from "viem";
import type { Authorized } from "./authorizations.ts";
import type { RawFrame, RawSalt } from "./chain-answers.ts";

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

function saltedAddress({ input }: RawFrame, creator: string, salt: string): string {
  const parts = { from: creator as Hex, salt: salt as Hex, bytecode: input as Hex };
  return getContractAddress({ opcode: "CREATE2", ...parts }).toLowerCase();
}

export class Frames {
  readonly #nonces = new Map<string, bigint>();
  /** of the CREATE2 that were not met yet */
  #salts: RawSalt[] = [];

  /** A creation at an address in use raises the nonce, and may have no frame: what a node tells is right. */
  know(nonces: ReadonlyMap<string, bigint>): void {
    for (const [account, nonce] of nonces) this.#nonces.set(account, nonce);
  }

  /** Before a transaction's own call, whatever becomes of it. */
  begin(sender: string, nonce: bigint, authorized: readonly Authorized[]): void {
    this.#nonces.set(sender, nonce + 1n);
    for (const { account, nonce } of authorized) if ((this.#nonces.get(account) ?? 0n) === nonce) this.#nonces.set(account, nonce + 1n);
  }

  /**
   * @param created address of the contract that the transaction itself makes or would make
   * @param salts of its CREATE2, in order
   */
  read(
    top: RawFrame,
    created: string | undefined,
    salts: readonly RawSalt[] = [],
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
    for (const frame of top.calls ?? []) this.#walk(frame, 1, isFailed, internals, deployments);
    if (isFailed) this.#restore(before);
    return { internals, deployments };
  }

  #walk(frame: RawFrame, depth: number, isReverted: boolean, internals: OracleInternal[], deployments: OracleDeployment[]): void {
    const isVoid = isReverted || frame.error !== undefined;
    const { type } = frame;
    const value = BigInt(frame.value ?? 0);
    const from = lower(frame.from)!;
    const to = isCreation(frame) ? this.#created(frame, from, depth) : lower(frame.to)!;
    if (isCreation(frame) || ((type === "CALL" || type === "CALLCODE") && value > 0n)) {
      internals.push({ type, from, to, value, isReverted: isVoid, gas: BigInt(frame.gas ?? 0), gasUsed: BigInt(frame.gasUsed ?? 0) });
    }
    const before = new Map(this.#nonces);
    if (isCreation(frame)) {
      this.#nonces.set(to, 1n);
      if (!isVoid) deployments.push({ contract: to, factory: from });
    }
    for (const child of frame.calls ?? []) this.#walk(child, depth + 1, isVoid, internals, deployments);
    if (frame.error !== undefined) this.#restore(before);
  }

  /** The creator's nonce rises even if the creation fails. */
  #created(frame: RawFrame, creator: string, depth: number): string {
    const nonce = this.#nonceOf(frame, creator);
    if (!isNotBegun(frame)) this.#nonces.set(creator, nonce + 1n);
    const salt = frame.type === "CREATE2" ? this.#saltOf(frame, creator, depth) : undefined;
    if (frame.to) return frame.to.toLowerCase();
    if (salt !== undefined) return saltedAddress(frame, creator, salt);
    if (frame.type === "CREATE2") return ZERO_ADDRESS;
    return getContractAddress({ from: creator as Hex, nonce }).toLowerCase();
  }

  /** The next one at this depth by this creator; of a creation that succeeded the one that gives its address. */
  #saltOf(frame: RawFrame, creator: string, depth: number): string | undefined {
    const at = this.#salts.findIndex((met) => {
      if (met.creator !== creator || met.depth !== depth) return false;
      return !frame.to || saltedAddress(frame, creator, met.salt) === frame.to.toLowerCase();
    });
    return at === -1 ? undefined : this.#salts.splice(0, at + 1).at(-1)!.salt;
  }

  /** A creation that met an address in use may have no frame: the next one that succeeds tells how many there were. */
  #nonceOf({ type, to }: RawFrame, creator: string): bigint {
    const expected = this.#nonces.get(creator) ?? 1n;
    if (type !== "CREATE" || !to) return expected;
    for (let nonce = expected; nonce < expected + 16n; nonce++)
      if (getContractAddress({ from: creator as Hex, nonce }).toLowerCase() === to.toLowerCase()) return nonce;
    return expected;
  }

  #restore(nonces: ReadonlyMap<string, bigint>): void {
    this.#nonces.clear();
    for (const [address, nonce] of nonces) this.#nonces.set(address, nonce);
  }
}
