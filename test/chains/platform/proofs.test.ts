import { describe, expect, test } from "vitest";
import { decodeHex } from "../../../src/base/bytes/hex.ts";
import { verifyProofsOfPossession } from "../../../src/base/signatures/proofs-ahead.ts";
import { blockProofs, blockTxs, parseBlock } from "../../../src/chains/platform/block.ts";
import { readLines } from "../../conformance/json-lines.ts";
import { recordingFolder } from "../../conformance/recordings.ts";

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
