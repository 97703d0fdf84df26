/** The node identity of a devnet: the first validator of its genesis, with the BLS key that genesis registers for it, if any. */

import type { NetworkInstance } from "../network/network.ts";
import { identityOf, type NodeIdentity } from "../node/identity.ts";
import { parseGenesis } from "../platform/genesis.ts";
import { publicKeyOfSecret } from "../primitives/bls.ts";

/** The local network's validators are the same everywhere; the first one's BLS secret is this text. */
const LOCAL_NODE_ID = "479f66c8be895830547e70b4b298cafd433dba6e";
const LOCAL_BLS_SECRET = Buffer.from("AvalancheLocalNetworkValidator01", "ascii");

export function devnetIdentity({ genesisBytes }: NetworkInstance): NodeIdentity {
  // Genesis staggers the end times of its validators: the first one ends last
  const { validators } = parseGenesis(genesisBytes);
  const first = validators.map(({ unsigned }) => unsigned).reduce((a, b) => (b.validator.end > a.validator.end ? b : a));
  const { nodeId } = first.validator;
  if (nodeId === LOCAL_NODE_ID) return identityOf(nodeId, publicKeyOfSecret(LOCAL_BLS_SECRET), LOCAL_BLS_SECRET);
  const signer = "signer" in first && first.signer.kind === "ProofOfPossession" ? first.signer : undefined;
  return {
    nodeId,
    blsPublicKey: signer?.publicKey ?? "",
    proofOfPossession: signer ? Buffer.from(signer.proofOfPossession).toString("hex") : "",
  };
}
