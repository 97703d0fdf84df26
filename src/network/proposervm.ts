/**
 * The proposervm container of a block, used since Apricot Phase 4: its proposer, time and P-chain height (chain-formats 8). Container IDs
 * are the outer IDs; chains identify blocks by the inner ones.
 */

import { nodeIdOfCertificate } from "../base/bytes/cb58.ts";
import { sha256Hex } from "../base/bytes/hash.ts";
import type { Id, NodeId } from "../base/bytes/id.ts";
import { CodecError } from "../base/codec/error.ts";
import { Reader, Writer } from "../base/codec/reader.ts";
import { DER_SEQUENCE, derElement } from "./der.ts";
import type { ProposerHeader, UnwrappedBlock } from "./execution.ts";
import type { Upgrades } from "./network.ts";
import { isSignedBy, stakingKeyOf } from "./staking-certificate.ts";

/** Resolves to what is wrong with a container, as the end of a sentence; undefined if nothing is. Never rejects. */
export async function signatureFault(chainId: Id, unwrapped: UnwrappedBlock): Promise<string | undefined> {
  const { containerId, head, header } = unwrapped;
  if (header === undefined) return undefined;
  const { epoch } = header;
  if (epoch !== undefined && epoch.number === 0n && epoch.pChainHeight === 0n && epoch.startTime === 0n) return "its epoch is empty";
  const certificate = certificateOf(head);
  const signature = signatureOf(unwrapped);
  if (certificate.length === 0) return signature.length === 0 ? undefined : "it has a signature but no certificate";
  const key = stakingKeyOf(certificate);
  if (typeof key === "string") return `its certificate ${key}`;
  const isValid = await isSignedBy(signedBytes(chainId, header.parentId, containerId), key, signature);
  return isValid ? undefined : "its signature is not that of its certificate";
}

const CODEC_VERSION = 0;
const POST_FORK = 0;
const OPTION = 1;
const POST_GRANITE = 2;
const MAX_CERTIFICATE_BYTES = 2048;

interface Wrapper {
  readonly header: ProposerHeader;
  readonly innerStart: number;
  readonly innerEnd: number;
  /** End of the bytes that are hashed, which exclude the signature and its length. */
  readonly hashedEnd: number;
}

/**
 * Takes a block out of its container. Bytes that do not decode completely as a container, or whose inside is not a block, are a bare block.
 * @param isInner whether bytes are a block of the chain
 * @param bareId the chain's ID of a bare block
 */
export function unwrapBlock(
  container: Uint8Array,
  isInner: (bytes: Uint8Array) => boolean,
  bareId: (bytes: Uint8Array) => Id = sha256Hex,
): UnwrappedBlock {
  const wrapper = readWrapper(container);
  const inner = wrapper && container.subarray(wrapper.innerStart, wrapper.innerEnd);
  if (wrapper === undefined || inner === undefined || !isInner(inner)) {
    const nothing = container.subarray(0, 0);
    return { containerId: bareId(container), head: nothing, inner: container, tail: nothing };
  }
  return {
    containerId: sha256Hex(container.subarray(0, wrapper.hashedEnd)),
    head: container.subarray(0, wrapper.innerStart),
    inner,
    tail: container.subarray(wrapper.innerEnd),
    header: wrapper.header,
  };
}

/** The node that signed a container, from the bytes before the inner block; undefined for an option, an unsigned block and a bare block. */
export function proposerOf(head: Uint8Array): NodeId | undefined {
  const certificate = certificateOf(head);
  return certificate.length === 0 ? undefined : nodeIdOfCertificate(certificate);
}

/** The proposer's certificate, DER; empty for an option, an unsigned block and a bare block. */
export function certificateOf(head: Uint8Array): Uint8Array {
  if (head.length === 0) return head;
  const reader = new Reader(head);
  reader.u16();
  if (reader.u32() === OPTION) return head.subarray(0, 0);
  // parent, timestamp, P-chain height
  reader.slice(32 + 8 + 8);
  return reader.slice(reader.length());
}

/** The proposer's signature; empty for an option, an unsigned block and a bare block. */
export function signatureOf({ header, tail }: Pick<UnwrappedBlock, "header" | "tail">): Uint8Array {
  if (header?.timestamp === undefined) return tail.subarray(0, 0);
  const reader = new Reader(tail);
  if (header.epoch !== undefined) reader.slice(8 + 8 + 8);
  return reader.slice(reader.length());
}

/** What a proposer signs: a header of chain, parent and the container's ID. */
export function signedBytes(chainId: Id, parentId: Id, containerId: Id): Buffer {
  return Buffer.from(`${"00".repeat(2)}${chainId}${parentId}${containerId}`, "hex");
}

/**
 * Wraps a block without a proposer's signature. The container type depends on whether the block has an epoch, as all have from Granite on.
 */
export function wrapBlock(header: Required<Omit<ProposerHeader, "epoch">> & Pick<ProposerHeader, "epoch">, inner: Uint8Array): Buffer {
  const { parentId, timestamp, pChainHeight, epoch } = header;
  const writer = wrapper(epoch === undefined ? POST_FORK : POST_GRANITE, inner);
  writer.hex(parentId);
  writer.u64(BigInt.asUintN(64, timestamp));
  writer.u64(pChainHeight);
  // no certificate
  writer.u32(0);
  writeSized(writer, inner);
  if (epoch !== undefined) {
    writer.u64(epoch.pChainHeight);
    writer.u64(epoch.number);
    writer.u64(BigInt.asUintN(64, epoch.startTime));
  }
  // no signature
  writer.u32(0);
  return writer.finish();
}

/** Wraps the option of a proposal. @param parentId container of the proposal */
export function wrapOption(parentId: Id, inner: Uint8Array): Buffer {
  const writer = wrapper(OPTION, inner);
  writer.hex(parentId);
  writeSized(writer, inner);
  return writer.finish();
}

function wrapper(typeId: number, inner: Uint8Array): Writer {
  const writer = new Writer(inner.length + 128);
  writer.u16(CODEC_VERSION);
  writer.u32(typeId);
  return writer;
}

function writeSized(writer: Writer, bytes: Uint8Array): void {
  writer.u32(bytes.length);
  writer.raw(bytes);
}

function readWrapper(container: Uint8Array): Wrapper | undefined {
  try {
    const reader = new Reader(container);
    const wrapper = reader.u16() === CODEC_VERSION ? decodeWrapper(reader) : undefined;
    return reader.left === 0 ? wrapper : undefined;
  } catch (error) {
    if (error instanceof CodecError) return undefined;
    throw error;
  }
}

function decodeWrapper(reader: Reader): Wrapper {
  const at = reader.offset;
  const typeId = reader.u32();
  if (typeId === OPTION) return decodeOption(reader);
  if (typeId === POST_FORK || typeId === POST_GRANITE) return decodeBlock(reader, { hasEpoch: typeId === POST_GRANITE });
  throw new CodecError("unknown-type", at, { typeId });
}

function decodeOption(reader: Reader): Wrapper {
  const parentId = reader.hex(32);
  const inner = reader.slice(reader.length());
  return { header: { parentId }, innerStart: reader.offset - inner.length, innerEnd: reader.offset, hashedEnd: reader.offset };
}

function decodeBlock(reader: Reader, { hasEpoch }: { hasEpoch: boolean }): Wrapper {
  const parentId = reader.hex(32);
  const timestamp = BigInt.asIntN(64, reader.u64());
  const pChainHeight = reader.u64();
  checkCertificate(reader.slice(reader.length()), reader.offset);
  const inner = reader.slice(reader.length());
  const innerEnd = reader.offset;
  const epoch = hasEpoch ? { pChainHeight: reader.u64(), number: reader.u64(), startTime: BigInt.asIntN(64, reader.u64()) } : undefined;
  const hashedEnd = reader.offset;
  reader.slice(reader.length());
  const header = { parentId, timestamp, pChainHeight, ...(epoch && { epoch }) };
  return { header, innerStart: innerEnd - inner.length, innerEnd, hashedEnd };
}

/**
 * Distinguishes a certificate from arbitrary bytes by its two outermost DER sequences, which is enough to tell a container from a bare
 * block.
 */
function checkCertificate(certificate: Buffer, at: number): void {
  if (certificate.length === 0) return;
  const outer = derElement(certificate, 0, DER_SEQUENCE);
  const isWhole =
    outer !== undefined && outer.end === certificate.length && derElement(certificate, outer.start, DER_SEQUENCE) !== undefined;
  if (!isWhole || certificate.length > MAX_CERTIFICATE_BYTES) throw new CodecError("wrong-type", at, { certificate: certificate.length });
}

/**
 * The epochs of ACP-181: from Granite on, warp messages are verified at a P-chain height that is fixed for each epoch (chain-rules 14.5).
 */
export type Epoch = NonNullable<ProposerHeader["epoch"]>;

/** A block as its children need it. An option has its parent's values. */
export interface EpochParent {
  readonly timestamp: bigint;
  readonly pChainHeight: bigint;
  readonly epoch?: Epoch;
}

/** The epoch of a child block; undefined before Granite. */
export function epochOfChild(parent: EpochParent, childTimestamp: bigint, upgrades: Upgrades): Epoch | undefined {
  if (childTimestamp < upgrades.times.granite) return undefined;
  const next = (number: bigint): Epoch => ({ pChainHeight: parent.pChainHeight, number, startTime: parent.timestamp });
  if (parent.epoch === undefined) return next(1n);
  const endNanoseconds = parent.epoch.startTime * 1_000_000_000n + upgrades.graniteEpochDuration;
  if (parent.timestamp * 1_000_000_000n < endNanoseconds) return parent.epoch;
  return next(parent.epoch.number + 1n);
}
