/** The node identity of a devnet. */

import { expect, test } from "vitest";
import { formatNodeId } from "../../src/base/bytes/cb58.ts";
import { buildGenesis } from "../../src/chains/platform/genesis/genesis-config.ts";
import { networkInstance } from "../../src/ingest/network-instance.ts";
import { localGenesis } from "../../src/network/local-genesis.ts";
import { localNetwork } from "../../src/network/presets.ts";
import { devnetIdentity } from "../../src/serve/devnet-identity.ts";

const local = localGenesis();
const identityWith = (initialStakers: typeof local.initialStakers) =>
  devnetIdentity(networkInstance(localNetwork(), buildGenesis({ ...local, initialStakers })));

test("the local network's first validator has its known key, and proves possession of it as genesis does", () => {
  const { nodeId, blsPublicKey, proofOfPossession } = identityWith(local.initialStakers);
  expect(formatNodeId(nodeId)).toBe("NodeID-7Xhw2mDxuDS44j42TCB6U5579esbSt3Lg");
  const { publicKey, proofOfPossession: proof } = local.initialStakers[0]!.signer!;
  expect([blsPublicKey, proofOfPossession]).toEqual([publicKey, Buffer.from(proof).toString("hex")]);
});

test("of another genesis it is the first validator too, with the key that genesis tells, if any", () => {
  const [, second, third] = local.initialStakers as [unknown, (typeof local.initialStakers)[0], (typeof local.initialStakers)[0]];
  expect(identityWith([third, second])).toMatchObject({ nodeId: third.nodeId, blsPublicKey: third.signer!.publicKey });
  const { signer: _, ...keyless } = second;
  expect(identityWith([keyless, third])).toEqual({ nodeId: second.nodeId, blsPublicKey: "", proofOfPossession: "" });
});
