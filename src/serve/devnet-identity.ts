/** The node identity of a devnet: the first validator of its genesis, with the BLS key that genesis registers for it, if any. */

import { identityOf, type NodeIdentity } from "../api/state/identity.ts";
import { parseGenesis } from "../chains/platform/genesis/genesis.ts";
import { secretOf } from "../devnet/validator-keys.ts";
import type { NetworkInstance } from "../network/network.ts";

export function devnetIdentity({ genesisBytes }: NetworkInstance): NodeIdentity {
  // Genesis staggers the end times of its validators: the first one ends last
  const { validators } = parseGenesis(genesisBytes);
  const first = validators.map(({ unsigned }) => unsigned).reduce((a, b) => (b.validator.end > a.validator.end ? b : a));
  const { nodeId } = first.validator;
  const signer = "signer" in first && first.signer.kind === "ProofOfPossession" ? first.signer : undefined;
  const secret = signer && secretOf([nodeId], signer.publicKey);
  if (secret !== undefined) return identityOf(nodeId, signer!.publicKey, secret);
  return {
    nodeId,
    blsPublicKey: signer?.publicKey ?? "",
    proofOfPossession: signer ? Buffer.from(signer.proofOfPossession).toString("hex") : "",
  };
}
