/** The C-chain of a development network manages an L1: its messages reach the P-chain, and the P-chain's answers reach it, signed. */
import * as avalanchejs from "@avalabs/avalanchejs";
import { createPublicClient, createWalletClient, decodeFunctionResult, encodeFunctionData, http, parseEventLogs } from "viem";
import { privateKeyToAccount } from "viem/accounts";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { parseId } from "../../src/base/bytes/cb58.ts";
import { sha256Hex } from "../../src/base/bytes/hash.ts";
import { type Id, PLATFORM_CHAIN_ID } from "../../src/base/bytes/id.ts";
import { encodeL1Message, type L1Message, registrationId } from "../../src/chains/platform/warp/l1-messages.ts";
import { encodeWarpPayload, unsignedWarpBytes } from "../../src/chains/platform/warp/message.ts";
import { abi, accessListOf, sending, WARP } from "../devnet/anvil/precompiles/warp-actor.ts";
import { ask, call } from "../devnet/json-rpc.ts";
import { accountNamed, ewoq, privateKeyHex } from "./devnet/accounts.ts";
import { l1Validator, nodeNamed, type TestNode } from "./devnet/nodes.ts";
import { registration, weightChange } from "./devnet/warp.ts";
import { AVAX, openWorld, startEpoch, type World } from "./devnet/world.ts";
import type { Anything } from "./wallet.ts";

const { pvm }: Anything = avalanchejs;
const owner = accountNamed("owner of a managed L1");
const [first, late] = ["first of a managed L1", "late of a managed L1"].map(nodeNamed) as [TestNode, TestNode];
const account = privateKeyToAccount(privateKeyHex(ewoq));

describe("an L1 whose manager is on the C-chain", () => {
  let world: World;
  let subnetId: string;
  let registering: Uint8Array;
  let validationId: Id;

  beforeAll(async () => {
    world = await openWorld([owner]);
    const { wallet, network } = world;
    const owners = { subnetOwners: [owner.bytes], threshold: 1, locktime: 0n };
    subnetId = await wallet.issue("P", pvm.newCreateSubnetTx({ ...(await paying()), ...owners }, wallet.context), [ewoq]);
    const validators = [l1Validator(first, owner, { weight: 50n, balance: AVAX })];
    const conversion = { chainId: network.blockchainIds.C, address: ewoq.evmBytes, validators, subnetId, subnetAuth: [0] };
    await wallet.issue("P", pvm.newConvertSubnetToL1Tx({ ...(await paying()), ...conversion }, wallet.context), [ewoq], [owner]);
    registering = registration({ subnetId, node: late, owner, weight: 40n, expiry: BigInt(network.now()) + 3600n });
    validationId = registrationId(registering);
  });
  afterAll(() => world?.stop());

  test("registers a validator by a message that the network's validators sign", async () => {
    const { wallet } = world;
    await startEpoch(world);
    const message = await signedOf(registering);
    const proof = { message, blsSignature: late.proofOfPossession, balance: AVAX };
    await wallet.issue("P", pvm.newRegisterL1ValidatorTx({ ...(await paying()), ...proof }, wallet.context), [ewoq]);
    expect(await registered()).toMatchObject({ nodeID: late.nodeId, weight: "40" });
  });

  test("is told of it by a message that is read on the C-chain", async () => {
    const payload = fromPlatform({ kind: "L1ValidatorRegistration", validationId, registered: true });
    const { message } = await sign(payload);
    const client = createPublicClient({ transport: http(`${world.network.url}/ext/bc/C/rpc`) });
    const wallet = createWalletClient({ account, transport: http(`${world.network.url}/ext/bc/C/rpc`) });
    const data = encodeFunctionData({ abi, functionName: "getVerifiedWarpMessage", args: [0] });
    const accessList = accessListOf([Buffer.from(message.slice(2), "hex")]);
    const hash = await wallet.sendTransaction({ chain: null, to: WARP, data, accessList });
    expect((await client.getTransactionReceipt({ hash })).status).toBe("success");
    const [trace] = await ask<{ result: { output: string } }[]>(world.network.url, {
      path: "/ext/bc/C/rpc",
      method: "trace_transaction",
      params: [hash],
    });
    const [read, valid] = decodeFunctionResult({
      abi,
      functionName: "getVerifiedWarpMessage",
      data: trace!.result.output as `0x${string}`,
    });
    expect(valid).toBe(true);
    expect(read.sourceChainID).toBe(`0x${PLATFORM_CHAIN_ID}`);
    expect(read.originSenderAddress).toBe("0x0000000000000000000000000000000000000000");
  });

  test("gets signatures for what is true of the P-chain, and for nothing else", async () => {
    const index = Buffer.alloc(4);
    const firstId = sha256Hex(Buffer.concat([Buffer.from(parseId(subnetId), "hex"), index]));
    await sign(fromPlatform({ kind: "L1ValidatorRegistration", validationId: firstId, registered: true }));
    expect(await refusal(fromPlatform({ kind: "L1ValidatorRegistration", validationId: "11".repeat(32), registered: true }))).toMatch(
      /^validation ".*" does not exist$/,
    );
    expect(await refusal(fromPlatform({ kind: "L1ValidatorWeight", validationId, nonce: 0n, weight: 40n }))).toMatch(
      /^provided nonce 0 != expected nonce \(0 - 1\)$/,
    );
    const gone = fromPlatform({ kind: "L1ValidatorRegistration", validationId, registered: false });
    expect(await refusal(gone)).toBe("invalid justification type: <nil>");
    expect(await refusal(gone, registrationJustification(registering))).toMatch(/exists$/);
    const conversion = fromPlatform({ kind: "SubnetToL1Conversion", id: "22".repeat(32) });
    expect(await refusal(conversion, Buffer.from(parseId(subnetId), "hex"))).toMatch(
      /^provided conversionID ".*" != expected conversionID ".*"$/,
    );
    const expected = /expected conversionID "(.*)"/.exec(await refusal(conversion, Buffer.from(parseId(subnetId), "hex")))![1]!;
    await sign(fromPlatform({ kind: "SubnetToL1Conversion", id: parseId(expected) }), Buffer.from(parseId(subnetId), "hex"));
    // a message that no contract sent
    const unsent = unsignedWarpBytes({
      networkId: 12345,
      sourceChainId: parseId(world.network.blockchainIds.C),
      payload: Buffer.from(gone),
    });
    expect(await refusal(unsent)).toMatch(/not found|codec|unknown|packer/);
  });

  test("removes the validator, and gets signatures for that", async () => {
    const { wallet } = world;
    await startEpoch(world);
    const message = await signedOf(weightChange(idText(validationId), 0n, 0n));
    await wallet.issue("P", pvm.newSetL1ValidatorWeightTx({ ...(await paying()), message }, wallet.context), [ewoq]);
    await expect(registered()).rejects.toThrow(/not found/);
    const gone = fromPlatform({ kind: "L1ValidatorRegistration", validationId, registered: false });
    await sign(gone, registrationJustification(registering));
    // its expiry has not come, so a registration that was never used may still be
    const unused = registration({ subnetId, node: late, owner, weight: 41n, expiry: BigInt(world.network.now()) + 3600n });
    const unusedGone = fromPlatform({ kind: "L1ValidatorRegistration", validationId: registrationId(unused), registered: false });
    expect(await refusal(unusedGone, registrationJustification(unused))).toMatch(/^validation ".*" can be registered until \d+$/);
  });

  test("asks for signatures in the words of the node's API", async () => {
    const unknown = idText("33".repeat(32));
    const error = async (method: string, ...params: unknown[]) =>
      (await call(world.network.url, { path: "/ext/bc/C/rpc", method, params })).error;
    expect(await error("warp_getMessage", unknown)).toEqual({
      code: -32_000,
      message: `failed to get message ${unknown} with error not found`,
    });
    expect(await error("warp_getMessageAggregateSignature", unknown, 67, "")).toEqual({ code: -32_000, message: "not found" });
    expect(await error("warp_getBlockSignature", unknown)).toEqual({
      code: -32_000,
      message: `failed to get signature for block ${unknown} with error failed to validate block message: 2: failed to get block ${unknown}: not found`,
    });
    expect(await error("warp_getMessage")).toEqual({ code: -32_602, message: "missing value for required argument 0" });
    expect(await error("warp_getMessage", "x")).toMatchObject({ code: -32_602 });
  });

  const paying = (): Promise<Anything> => world.wallet.platform([ewoq]);

  const registered = (): Promise<Anything> => world.wallet.rpc.P.callRpc("getL1Validator", { validationID: idText(validationId) });

  /** The manager sends the message on the C-chain; then anybody fetches it with signatures. */
  async function signedOf(payload: Uint8Array): Promise<Uint8Array> {
    const transport = http(`${world.network.url}/ext/bc/C/rpc`);
    const hash = await createWalletClient({ account, transport }).sendTransaction({
      ...{ chain: null, to: WARP, data: sending(`0x${Buffer.from(payload).toString("hex")}`) },
    });
    const { logs } = await createPublicClient({ transport }).getTransactionReceipt({ hash });
    const [log] = parseEventLogs({ abi, logs, eventName: "SendWarpMessage" });
    const params = [idText(log!.args.messageID.slice(2)), 67, ""];
    const signed = await ask<string>(world.network.url, { path: "/ext/bc/C/rpc", method: "warp_getMessageAggregateSignature", params });
    return Buffer.from(signed.slice(2), "hex");
  }

  function sign(message: Uint8Array, justification?: Uint8Array): Promise<{ message: string }> {
    return ask(world.network.url, { path: "/ext/firn", method: "firn.signWarpMessage", params: signing(message, justification) });
  }

  async function refusal(message: Uint8Array, justification?: Uint8Array): Promise<string> {
    const reply = await call(world.network.url, {
      path: "/ext/firn",
      method: "firn.signWarpMessage",
      params: signing(message, justification),
    });
    return reply.error!.message;
  }
});

function signing(message: Uint8Array, justification: Uint8Array | undefined) {
  const hex = (bytes: Uint8Array) => `0x${Buffer.from(bytes).toString("hex")}`;
  return { message: hex(message), ...(justification !== undefined && { justification: hex(justification) }) };
}

function fromPlatform(message: L1Message): Buffer {
  const payload = encodeWarpPayload({ kind: "AddressedCall", sourceAddress: new Uint8Array(), payload: encodeL1Message(message) });
  return unsignedWarpBytes({ networkId: 12345, sourceChainId: PLATFORM_CHAIN_ID, payload });
}

/** Protobuf: the second of two forms, with all bytes of the message; it is shorter than 16 KiB. */
function registrationJustification(message: Uint8Array): Buffer {
  return Buffer.concat([Buffer.of(0x12, (message.length & 0x7f) | 0x80, message.length >> 7), message]);
}

function idText(id: Id): string {
  return avalanchejs.utils.base58check.encode(Buffer.from(id, "hex"));
}
