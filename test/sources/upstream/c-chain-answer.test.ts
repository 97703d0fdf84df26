import { expect, test } from "vitest";
import { cChainBlockOfRpc } from "../../../src/sources/evm/parser/c-chain-block.ts";
import { readLines } from "../../conformance/json-lines.ts";
import { recordingFolder } from "../../conformance/recordings.ts";
import { type BlockAnswer, cChainAnswer } from "./c-chain-answer.ts";

test.each([
  ["live-1", "blocks/C.jsonl"],
  ["eras-1", "blocks/C.jsonl"],
  ["latest-1", "blocks/C.jsonl"],
  ["evm-1", "C.jsonl"],
] as const)("the answers made of the blocks of %s are those that the node gave", (name, file) => {
  for (const { block } of readLines<{ block: BlockAnswer }>(recordingFolder(name), file)) {
    const made = cChainAnswer(cChainBlockOfRpc(block, 0n));
    expect(made).toEqual({ ...block, totalDifficulty: "0x0" });
  }
});
