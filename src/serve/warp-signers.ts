/** Who signs warp messages for clients of the Data API: a devnet, or an aggregator of the operator's. */

import { DataError } from "../api/data/errors.ts";
import type { SigningRequest, WarpSigner } from "../api/data/signatures/warp-signer.ts";
import { formatId } from "../base/bytes/cb58.ts";
import { FirnError } from "../base/errors/errors.ts";
import { parseWarpMessage, unsignedWarpBytes } from "../chains/platform/warp/message.ts";
import type { DevnetWarp } from "../devnet/warp/devnet-warp.ts";

/** A devnet's validators sign, those of its newest height. */
export function devnetSigner(sign: DevnetWarp["sign"]): WarpSigner {
  return {
    async sign({ message, justification, subnetId, quorum, quorumBuffer, height }) {
      if (height !== 0n) throw new DataError(400, "a devnet's validators sign at its newest height; leave pChainHeight out");
      try {
        return await sign(message, { justification, subnetId, quorum: BigInt(quorum + quorumBuffer) });
      } catch (error) {
        if (error instanceof FirnError) throw new DataError(400, error.message);
        throw error;
      }
    },
  };
}

/** Collecting signatures takes an aggregator seconds. */
const LONGEST_MS = 60_000;
/** Requests under way at a time, of all clients. */
const MOST_UNDER_WAY = 16;
/** A message has at most 24 KiB, in hex. */
const LONGEST_ANSWER = 1 << 20;

/** Asks a signature aggregator as Avalanche's reference implementation has it (`POST /aggregate-signatures`). @param base its URL */
export class AggregatorSigner implements WarpSigner {
  readonly #url: string;
  #underWay = 0;

  constructor(base: string) {
    this.#url = `${base.replace(/\/+$/, "")}/aggregate-signatures`;
  }

  async sign(request: SigningRequest): Promise<Uint8Array> {
    if (this.#underWay >= MOST_UNDER_WAY) throw new DataError(503, "many messages are being signed; send this one again in a moment");
    this.#underWay++;
    try {
      return await this.#sign(request);
    } finally {
      this.#underWay--;
    }
  }

  async #sign({ message, justification, subnetId, quorum, quorumBuffer, height }: SigningRequest): Promise<Uint8Array> {
    const hex = (bytes: Uint8Array) => Buffer.from(bytes).toString("hex");
    const { status, text } = await this.#post({
      message: hex(message),
      "quorum-percentage": quorum,
      ...(justification && { justification: hex(justification) }),
      ...(subnetId !== undefined && { "signing-subnet-id": formatId(subnetId) }),
      ...(quorumBuffer > 0 && { "quorum-percentage-buffer": quorumBuffer }),
      ...(height > 0n && { "pchain-height": Number(height) }),
    });
    const { "signed-message": signed, error } = membersOf(text);
    if (status === 200 && typeof signed === "string" && /^(?:0x)?(?:[0-9a-fA-F]{2})+$/.test(signed)) {
      const bytes = Buffer.from(signed.replace(/^0x/, ""), "hex");
      if (isOfMessage(bytes, message)) return bytes;
      throw new DataError(502, "the signature aggregator signed another message, or nothing that is one");
    }
    const reason = typeof error === "string" ? `: ${error.slice(0, LONGEST_REASON)}` : "";
    if (status >= 400 && status < 500) throw new DataError(400, `the signature aggregator refused the message${reason}`);
    throw new DataError(502, `the signature aggregator did not sign the message (status ${status})${reason}`);
  }

  async #post(body: object): Promise<{ status: number; text: string }> {
    try {
      const signal = AbortSignal.timeout(LONGEST_MS);
      const headers = { "content-type": "application/json" };
      const response = await fetch(this.#url, { method: "POST", headers, body: JSON.stringify(body), signal, redirect: "error" });
      return { status: response.status, text: await textUpTo(response, LONGEST_ANSWER) };
    } catch (error) {
      if (error instanceof DataError) throw error;
      throw new DataError(503, "the signature aggregator does not answer; try again later");
    }
  }
}

const LONGEST_REASON = 200;

function isOfMessage(signed: Uint8Array, unsigned: Uint8Array): boolean {
  try {
    return unsignedWarpBytes(parseWarpMessage(signed)).equals(unsigned);
  } catch (error) {
    if (error instanceof FirnError) return false;
    throw error;
  }
}

async function textUpTo(response: Response, most: number): Promise<string> {
  const parts: Uint8Array[] = [];
  let bytes = 0;
  for await (const part of response.body ?? []) {
    bytes += part.length;
    if (bytes > most) throw new DataError(502, "the signature aggregator's answer is too long");
    parts.push(part);
  }
  return Buffer.concat(parts).toString();
}

function membersOf(text: string): Record<string, unknown> {
  try {
    const parsed: unknown = JSON.parse(text);
    return typeof parsed === "object" && parsed !== null ? (parsed as Record<string, unknown>) : {};
  } catch {
    return {};
  }
}
