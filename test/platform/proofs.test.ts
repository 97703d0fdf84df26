import { describe, expect, test } from "vitest";
import { blockTxs, parseBlock } from "../../src/platform/block.ts";
import { blockProofs } from "../../src/platform/proofs.ts";
import { decodeHex } from "../../src/primitives/hex.ts";
import { verifyProofsOfPossession } from "../../src/primitives/proofs-ahead.ts";
import { readLines } from "../conformance/json-lines.ts";
import { recordingFolder } from "../conformance/recordings.ts";

describe.each(["latest-1", "eras-1"] as const)("accepted blocks of %s", (name) => {
  const blocks = [...readLines<{ bytes: string }>(recordingFolder(name), "blocks/P.jsonl")].map(({ bytes }) =>
    parseBlock(decodeHex(bytes, { checksum: true })),
  );

  test("hold a proof for every key that a transaction brings, and all of them are true", async () => {
    const kinds = new Set(
      blocks.filter((block) => blockProofs(block).length > 0).flatMap((block) => blockTxs(block).map((tx) => tx.unsigned.kind)),
    );
    for (const kind of ["AddPermissionlessValidatorTx", "AddAutoRenewedValidatorTx", "ConvertSubnetToL1Tx", "RegisterL1ValidatorTx"]) {
      expect(kinds).toContain(kind);
    }
    const proofs = blocks.flatMap(blockProofs);
    expect(await verifyProofsOfPossession(proofs)).toEqual(proofs.map(() => true));
  });
});
