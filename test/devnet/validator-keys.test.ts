import { expect, test } from "vitest";
import { publicKeyOfSecret } from "../../src/base/signatures/bls.ts";
import { secretOf, validatorKey } from "../../src/devnet/validator-keys.ts";
import { localGenesis } from "../../src/network/local-genesis.ts";

test("a devnet can sign for each validator of its genesis", () => {
  for (const { nodeId, signer } of localGenesis().initialStakers) {
    const secret = secretOf([nodeId], signer!.publicKey);
    expect(publicKeyOfSecret(secret!)).toBe(signer!.publicKey);
  }
});

test("a node ID has one key, and nobody else's key is known", () => {
  const [one, other] = ["01".repeat(20), "02".repeat(20)];
  expect(validatorKey(one)).toEqual(validatorKey(one));
  expect(validatorKey(one)).not.toEqual(validatorKey(other));
  expect(secretOf([other, one], publicKeyOfSecret(validatorKey(one)))).toEqual(validatorKey(one));
  expect(secretOf([other], publicKeyOfSecret(validatorKey(one)))).toBeUndefined();
});
