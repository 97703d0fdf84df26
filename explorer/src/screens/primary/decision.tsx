/** What the network decided about a proposal: the block after it says so. One request. */
import { to } from "../../router.ts";
import { useChains } from "./chains.ts";
import { useBlock } from "./read-blocks.ts";

/** @param height of the block with the proposal */
export function Decision({ height }: { readonly height: string }) {
  const next = `${BigInt(height) + 1n}`;
  const newest = useChains()?.heightOf("P");
  const { data: option } = useBlock("P", next, { isWanted: newest !== undefined && newest >= BigInt(next) });
  if (option === undefined) return null;
  const isCommit = option.blockType.includes("Commit");
  if (!isCommit && !option.blockType.includes("Abort")) return null;
  return (
    <div>
      block <a href={to.block("P", height)}>{height}</a> proposed it, block <a href={to.block("P", next)}>{next}</a>{" "}
      {isCommit ? "committed" : "aborted"} it
    </div>
  );
}
