/** Validators of an L1, with UTXOs from the Data API alone. The messages are those that the recorded L1 signed for the same state. */
import * as avalanchejs from "@avalabs/avalanchejs";
import { afterAll, describe, expect, test } from "vitest";
import type { Anything } from "./wallet.ts";
import { account, authorization, issuedTx, networkAt, type ServedNetwork } from "./wallet-node.ts";

const { avaxSerial, pvm, utils }: Anything = avalanchejs;

describe("an L1", () => {
  let network: ServedNetwork;
  let platform: Anything;
  afterAll(() => network?.stop());

  async function reach(height: number): Promise<void> {
    await network?.stop();
    network = await networkAt({ P: height, X: 31, C: 10 });
    platform = await network.wallet.platform([account("k05")]);
  }

  /** The part of a recorded transaction that its L1 signed. */
  function recorded(label: string): Anything {
    return utils.getManagerForVM("PVM").unpack(issuedTx(label), avaxSerial.SignedTx).unsignedTx;
  }

  test("registers a validator, with a balance and without", async () => {
    await reach(44);
    const { wallet } = network;
    const { message, blsSignature } = recorded("register L1 validator without balance");
    const proof = { message: message.bytes, blsSignature: blsSignature.toBytes() };
    for (const balance of [0n, 1_000_000_000n]) {
      const unsigned = pvm.newRegisterL1ValidatorTx({ ...platform, ...proof, balance }, wallet.context);
      await wallet.accepts("P", unsigned, [account("k05")]);
    }
  });

  test("sets a validator's weight", async () => {
    await reach(50);
    const { wallet } = network;
    const { message } = recorded("set L1 validator weight");
    await wallet.accepts("P", pvm.newSetL1ValidatorWeightTx({ ...platform, message: message.bytes }, wallet.context), [account("k05")]);
  });

  test("has balances raised and validators disabled", async () => {
    const { wallet } = network;
    const { validators } = await wallet.ask("/l1Validators?pageSize=100");
    expect(validators.length).toBeGreaterThan(1);
    for (const { validationId, deactivationOwner } of validators) {
      const raising = { ...platform, validationId, balance: 5_000_000_000n };
      await wallet.accepts("P", pvm.newIncreaseL1ValidatorBalanceTx(raising, wallet.context), [account("k05")]);
      const { auth: disableAuth, authorizers } = authorization(deactivationOwner.addresses, deactivationOwner.threshold);
      const disabling = { ...platform, validationId, disableAuth };
      await wallet.accepts("P", pvm.newDisableL1ValidatorTx(disabling, wallet.context), [account("k05")], authorizers);
    }
  });
});
