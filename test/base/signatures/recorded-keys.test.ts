/** Keys in the recordings, with the values that the reference node derived from them. */
import { describe, expect, test } from "vitest";
import { formatAddress } from "../../../src/base/bytes/address.ts";
import { decodeCb58, formatNodeId, nodeIdOfCertificate } from "../../../src/base/bytes/cb58.ts";
import { publicKeyOfSecret } from "../../../src/base/signatures/bls.ts";
import { provePossession } from "../../../src/base/signatures/possession.ts";
import { verifyProofsOfPossession } from "../../../src/base/signatures/proofs-ahead.ts";
import { addressOf, evmAddressOf } from "../../../src/base/signatures/secp256k1.ts";
import { bytesOf, readJson } from "../../conformance/json-lines.ts";
import { recordingFolder } from "../../conformance/recordings.ts";

interface Signer {
  readonly publicKey: string;
  readonly proofOfPossession: string;
}

interface NetworkFile {
  readonly keys: readonly { privateKey: string; hex: string; xAddr: string; pAddr: string; cAddr: string; evmAddr: string }[];
  readonly node: { readonly nodeID: string; readonly nodePOP: Signer; readonly blsSecretKey: string; readonly stakingCertificate: string };
}

describe.each(["latest-1", "eras-1"] as const)("%s", (name) => {
  const { keys, node } = readJson<NetworkFile>(recordingFolder(name), "network.json");

  test("every private key has the recorded addresses on all chains", () => {
    expect(keys.length).toBeGreaterThan(3);
    for (const key of keys) {
      const secret = decodeCb58(key.privateKey.replace("PrivateKey-", ""));
      expect(secret).toEqual(bytesOf(key.hex));
      const addresses = ["X", "P", "C"].map((chain) => formatAddress(chain, "custom", addressOf(secret)));
      expect(addresses).toEqual([key.xAddr, key.pAddr, key.cAddr]);
      expect(`0x${evmAddressOf(secret)}`).toBe(key.evmAddr.toLowerCase());
    }
  });

  test("the node's certificate, key and proof belong together", () => {
    const certificate = Buffer.from(node.stakingCertificate.replaceAll(/-----[A-Z ]+-----|\s/g, ""), "base64");
    expect(formatNodeId(nodeIdOfCertificate(certificate))).toBe(node.nodeID);
    const secret = bytesOf(node.blsSecretKey);
    expect(`0x${publicKeyOfSecret(secret)}`).toBe(node.nodePOP.publicKey);
    expect(provePossession(secret)).toEqual(bytesOf(node.nodePOP.proofOfPossession));
  });
});

test("the proofs of all genesis validators hold", async () => {
  const stakers = (["latest-1", "eras-1", "scale-1"] as const).flatMap(
    (name) => readJson<{ initialStakers: readonly { signer?: Signer }[] }>(recordingFolder(name), "genesis.json").initialStakers,
  );
  const possessions = stakers.flatMap(({ signer }) =>
    signer === undefined ? [] : [{ publicKey: signer.publicKey.slice(2), proof: bytesOf(signer.proofOfPossession) }],
  );
  expect(possessions.length).toBeGreaterThan(5);
  expect(await verifyProofsOfPossession(possessions)).toEqual(possessions.map(() => true));
});
