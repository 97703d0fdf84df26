/**
 * The node's own keys: a staking certificate, whose hash is the node ID, and a BLS key with its proof of possession. The first start
 * creates them in `<data directory>/staking`, with the node's file names. Whoever has these files can act as this node.
 */

import { createPrivateKey, X509Certificate } from "node:crypto";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { nodeIdOfCertificate } from "../../base/bytes/cb58.ts";
import type { BlsPublicKey, NodeId } from "../../base/bytes/id.ts";
import { FirnError } from "../../base/errors/errors.ts";
import { makeDirectory } from "../../base/files/make-directory.ts";
import { makeFiles } from "../../base/files/make-files.ts";
import { generateSecretKey, publicKeyOfSecret } from "../../base/signatures/bls.ts";
import { provePossession } from "../../base/signatures/possession.ts";
import { makeStakingCertificate } from "./certificate.ts";

export interface NodeIdentity {
  readonly nodeId: NodeId;
  /** empty if unknown */
  readonly blsPublicKey: BlsPublicKey;
  /** 96 bytes in hex; empty without a key */
  readonly proofOfPossession: string;
}

const CERTIFICATE = "staker.crt";
const CERTIFICATE_KEY = "staker.key";
const SIGNER_KEY = "signer.key";

/** The keys themselves, with which peers are met. */
interface StakingKeys {
  /** PEM */
  readonly certificate: string;
  readonly key: string;
  readonly blsSecretKey: Uint8Array;
}

/** Reads the keys of a data directory; missing ones are created. */
export function openStakingKeys(dataDirectory: string): StakingKeys {
  openIdentity(dataDirectory);
  const read = (name: string) => readFileSync(join(dataDirectory, "staking", name));
  return { certificate: `${read(CERTIFICATE)}`, key: `${read(CERTIFICATE_KEY)}`, blsSecretKey: read(SIGNER_KEY) };
}

/** Reads the identity of a data directory; missing keys are created. */
export function openIdentity(dataDirectory: string, now = new Date()): NodeIdentity {
  const directory = join(dataDirectory, "staking");
  const path = (name: string) => join(directory, name);
  const hasKey = existsSync(path(CERTIFICATE_KEY));
  if (hasKey !== existsSync(path(CERTIFICATE))) {
    const [found, missing] = hasKey ? [CERTIFICATE_KEY, CERTIFICATE] : [CERTIFICATE, CERTIFICATE_KEY];
    throw new FirnError(
      "identity-incomplete",
      `${directory} has ${found} but no ${missing}; restore it, or remove both to become another node`,
      { directory, missing },
    );
  }
  makeDirectory(directory, { mode: 0o700 });
  if (!hasKey) {
    const made = makeStakingCertificate(now);
    makeFiles([
      [path(CERTIFICATE_KEY), made.keyPem],
      [path(CERTIFICATE), made.certificatePem],
    ]);
  }
  if (!existsSync(path(SIGNER_KEY))) makeFiles([[path(SIGNER_KEY), generateSecretKey()]]);
  return readIdentity(readCertificate(path(CERTIFICATE), path(CERTIFICATE_KEY)), readFileSync(path(SIGNER_KEY)), path(SIGNER_KEY));
}

function readCertificate(certificatePath: string, keyPath: string): X509Certificate {
  let certificate: X509Certificate;
  try {
    certificate = new X509Certificate(readFileSync(certificatePath));
    if (certificate.checkPrivateKey(createPrivateKey(readFileSync(keyPath)))) return certificate;
  } catch (error) {
    throw new FirnError("identity-unreadable", `${certificatePath} and ${keyPath} are not a certificate and its key: ${String(error)}`);
  }
  throw new FirnError("identity-mismatch", `${keyPath} is not the key of ${certificatePath}; restore the pair`);
}

function readIdentity(certificate: X509Certificate, secretKey: Uint8Array, signerPath: string): NodeIdentity {
  let blsPublicKey: BlsPublicKey;
  try {
    blsPublicKey = publicKeyOfSecret(secretKey);
  } catch {
    throw new FirnError("identity-unreadable", `${signerPath} is not a BLS secret key: it needs 32 bytes`);
  }
  return identityOf(nodeIdOfCertificate(certificate.raw), blsPublicKey, secretKey);
}

export function identityOf(nodeId: NodeId, blsPublicKey: BlsPublicKey, secretKey: Uint8Array): NodeIdentity {
  let proof: string | undefined;
  return {
    nodeId,
    blsPublicKey,
    /** Slow to compute and rarely needed. */
    get proofOfPossession() {
      proof ??= provePossession(secretKey).toString("hex");
      return proof;
    },
  };
}
