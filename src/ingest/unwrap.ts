import type { UnwrappedBlock } from "../network/execution.ts";
import { unwrapBlock } from "../network/proposervm.ts";
import { FirnError } from "../primitives/errors.ts";
import type { Id } from "../primitives/id.ts";

const NOTHING = new Uint8Array(0);

/** Takes a block out of its wrapper and parses it, once: whether the inside is a block is what tells a wrapper from a bare block. */
export function unwrapParsed<B extends { readonly id: Id }>(
  container: Uint8Array,
  parse: (bytes: Uint8Array) => B,
): { unwrapped: UnwrappedBlock; block: B } {
  let inner: B | undefined;
  const isInner = (bytes: Uint8Array): boolean => {
    try {
      inner = parse(bytes);
      return true;
    } catch (error) {
      if (error instanceof FirnError) return false;
      throw error;
    }
  };
  let bare: B | undefined;
  const unwrapped = unwrapBlock(container, isInner, (bytes) => {
    bare = parse(bytes);
    return bare.id;
  });
  return { unwrapped, block: (bare ?? inner)! };
}

/** A block that was made here, not received: block 0 of a chain. */
export function bareBlock(blockId: Id, bytes: Uint8Array): UnwrappedBlock {
  return { containerId: blockId, head: NOTHING, inner: bytes, tail: NOTHING };
}
