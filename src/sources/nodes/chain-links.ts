/** Every block must be the child of the one before; what is wrong names the upstream that gave it. */
import { formatId } from "../../base/bytes/cb58.ts";
import type { Id } from "../../base/bytes/id.ts";
import { ForeignBlockError, type ReadBlock } from "./chain-reader.ts";

/** Where a chain is: its last block. */
export interface Place {
  /** undefined: it is not known */
  readonly id: Id | undefined;
  /** those that it may be, where it is not known */
  readonly ids?: ReadonlySet<Id> | undefined;
  readonly height: bigint;
}

/** What is wrong with a block after this one; undefined: it is its child. */
export function faultAfter(block: ReadBlock, last: Place, parent: ReadBlock | undefined): ForeignBlockError | undefined {
  return notChild(block, parent?.head ?? last) ?? (parent && notInChain(block, parent));
}

/** What is wrong with the first block of an answer that is not the child of the one before it. */
export function faultOfAnswer(blocks: readonly ReadBlock[]): ForeignBlockError | undefined {
  for (const [i, block] of blocks.entries()) {
    const parent = blocks[i - 1];
    const fault = parent !== undefined && parent.upstream === block.upstream ? faultAfter(block, parent.head, parent) : undefined;
    if (fault !== undefined) return fault;
  }
  return undefined;
}

function notChild(
  { head, upstream }: ReadBlock,
  { id, ids = new Set(id === undefined ? [] : [id]), height }: Place,
): ForeignBlockError | undefined {
  if (ids.size === 0 || ids.has(head.parentId)) return undefined;
  const text = `its block ${head.height} has the parent ${formatId(head.parentId)}; block ${height} is ${[...ids].map(formatId).join(" or ")}`;
  return new ForeignBlockError(upstream, text, head);
}

/** The containers are a chain as well, where both are known. */
function notInChain({ head, container, item, upstream }: ReadBlock, parent: ReadBlock): ForeignBlockError | undefined {
  if (parent.container === undefined || item.isHeaderUnknown === true || container?.parentId === parent.container.id) return undefined;
  const named = container === undefined ? "has none" : `has the parent ${formatId(container.parentId)}`;
  const text = `the proposervm container of its block ${head.height} ${named}; that of block ${parent.head.height} is ${formatId(parent.container.id)}`;
  return new ForeignBlockError(upstream, text);
}
