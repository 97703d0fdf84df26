import { readFileSync } from "node:fs";
import { decodeFunctionResult, type Hex } from "viem";
import { describe, expect, test } from "vitest";
import { BYTECODE_FILE, bytecodeText } from "../../../../scripts/compile-contracts.ts";
import { sha256Hex } from "../../../../src/base/bytes/hash.ts";
import { parseAddressedCall, parseUnsignedWarpMessage, parseWarpMessage } from "../../../../src/chains/platform/warp/message.ts";
import { evmCall } from "../../../../src/devnet/anvil/evm-call.ts";
import { killChild, restart } from "../evm-actions.ts";
import { EvmNetwork, FEES } from "../evm-network.ts";
import {
  abi,
  accessListOf,
  CALLS,
  call,
  DELEGATES,
  deploy,
  loggedBy,
  messageIn,
  ONLY_READS,
  type Receipt,
  readingBlockHash,
  readingMessage,
  receiptOf,
  sending,
  signed,
  WARP,
} from "./warp-actor.ts";

const PAYLOAD: Hex = "0x1122334455";

test("the committed bytecode is what the compiler makes of the source", () => {
  expect(readFileSync(BYTECODE_FILE, "utf8")).toBe(bytecodeText());
});

describe("a message", () => {
  test("is logged with the bytes that validators sign, under their hash", async () => {
    const network = await EvmNetwork.start();
    const contract = await deploy(network, CALLS);
    const receipt = await call(network, { to: contract, data: sending(PAYLOAD) });
    const { id, bytes, sender } = messageIn(receipt);

    expect(id).toBe(sha256Hex(bytes));
    expect(sender).toBe(contract.toLowerCase());
    const { networkId, sourceChainId, payload } = parseUnsignedWarpMessage(bytes);
    const { sourceAddress, payload: inner } = parseAddressedCall(payload);
    expect({ networkId, sourceChainId }).toEqual({ networkId: 12345, sourceChainId: network.devnet.network.cChainId });
    expect(Buffer.from(sourceAddress).toString("hex")).toBe(contract.slice(2).toLowerCase());
    expect(`0x${Buffer.from(inner).toString("hex")}`).toBe(PAYLOAD);
    expect(loggedBy(contract, receipt)).toEqual({ succeeded: true, answer: `0x${id}` });
  });

  test.each([0, 1, 32, 33, 1000, 24_542])("of %i bytes costs what the precompile charges", async (length) => {
    // since Helicon gas is charged that was not used
    const network = await EvmNetwork.start({ upgrades: "granite" });
    const data = sending(`0x${"cd".repeat(length)}`);
    const inner = (data.length - 2) / 2 - 4;
    expect(await gasOfCall(network, { data, gas: 1_000_000n })).toBe(41_500 + 8 * inner);
  });

  test("above 24 KiB is refused, and so is one that is cut off", async () => {
    const network = await EvmNetwork.start();
    const contract = await deploy(network, CALLS);
    const cut = sending(PAYLOAD).slice(0, 2 + 2 * (4 + 64 + 4)) as Hex;
    for (const data of [sending(`0x${"cd".repeat(24_543)}`), cut, "0xee5b48eb", "0x", "0xdeadbeef"] as Hex[]) {
      const receipt = await call(network, { to: contract, data });
      expect(loggedBy(contract, receipt)).toEqual({ succeeded: false, answer: "0x" });
      expect(receipt.logs).toHaveLength(1);
    }
  });

  test("is not sent by a call that may not change the state, nor by another account's code", async () => {
    const network = await EvmNetwork.start();
    for (const code of [ONLY_READS, DELEGATES]) {
      const contract = await deploy(network, code);
      const receipt = await call(network, { to: contract, data: sending(PAYLOAD) });
      expect(loggedBy(contract, receipt)).toEqual({ succeeded: false, answer: "0x" });
    }
  });

  test("can be fetched with the signatures of the network's validators", async () => {
    const network = await EvmNetwork.start();
    const { id, bytes } = messageIn(await call(network, { to: WARP, data: sending(PAYLOAD) }));
    const warp = network.devnet.warp.of();
    expect(await warp!.message(id)).toEqual(bytes);
    const message = parseWarpMessage(await warp!.signed(bytes, 67n));
    // equal weights: four of five
    expect(message.signature.signers).toEqual(Buffer.of(0b01111));
    await expect(warp!.message("00".repeat(32))).rejects.toThrow("not found");
  });
});

describe("a signed message in a transaction's access list", () => {
  test("is read in that transaction, and nowhere else", async () => {
    const { network, contract, message, unsigned } = await withMessage();
    const receipt = await call(network, { to: contract, data: readingMessage(0), messages: [message] });
    expect(verifiedIn(contract, receipt)).toEqual({
      message: { sourceChainID: `0x${network.devnet.network.cChainId}`, originSenderAddress: network.account.address, payload: PAYLOAD },
      valid: true,
    });
    expect(
      messageIn({ ...receipt, logs: [{ address: WARP, topics: ["0x", "0x", `0x${"00".repeat(32)}`], data: logData(unsigned) }] }).bytes,
    ).toEqual(unsigned);
    const later = await call(network, { to: contract, data: readingMessage(0) });
    expect(verifiedIn(contract, later).valid).toBe(false);
  });

  test("costs what the precompile charges since Granite", async () => {
    const { network, contract, message } = await withMessage();
    const hash = await network.send(await signed(network, { to: contract, data: readingMessage(0), messages: [message] }));
    const { calls } = (await network.ask("debug_traceTransaction", hash, { tracer: "callTracer" })) as { calls: { gasUsed: string }[] };
    expect(Number(calls[0]!.gasUsed)).toBe(750 + 512 * accessListOf([message])[0]!.storageKeys.length);
  });

  test("counts by its place among several", async () => {
    const { network, contract, message } = await withMessage();
    const forged = tampered(message);
    const messages = [forged, message];
    const valid = async (index: number) =>
      verifiedIn(contract, await call(network, { to: contract, data: readingMessage(index), messages })).valid;
    expect([await valid(0), await valid(1), await valid(2)]).toEqual([false, true, false]);
  });

  test("is not read as the hash of a block", async () => {
    const { network, contract, message } = await withMessage();
    const receipt = await call(network, { to: contract, data: readingBlockHash(0), messages: [message] });
    expect(loggedBy(contract, receipt)).toEqual({ succeeded: false, answer: "0x" });
  });

  test("with the hash of a block is read as that", async () => {
    const { network, contract } = await withMessage();
    const block = (await network.storedBlock(1n))!.blockId;
    const message = await network.devnet.warp.of()!.signed(network.devnet.warp.of()!.blockMessage(block), 67n);
    const receipt = await call(network, { to: contract, data: readingBlockHash(0), messages: [message] });
    const { answer } = loggedBy(contract, receipt);
    expect(decodeFunctionResult({ abi, functionName: "getVerifiedWarpBlockHash", data: answer })).toEqual([
      { sourceChainID: `0x${network.devnet.network.cChainId}`, blockHash: `0x${block}` },
      true,
    ]);
  });

  test("is not seen by other transactions of the same sender that wait at the same time", async () => {
    const { network, contract, message } = await withMessage({ blockTimeMs: 3_600_000 });
    const nonce = await network.nonce();
    const plain = { to: contract, data: readingMessage(0) };
    const with0 = { ...plain, messages: [message] };
    const raws = await Promise.all(
      [plain, with0, plain, with0, with0, plain].map((sent, n) => signed(network, { ...sent, nonce: nonce + n })),
    );
    const hashes = [];
    for (const raw of raws) hashes.push(await network.send(raw));
    await network.devnet.mine();
    const receipts = await Promise.all(hashes.map((hash) => receiptOf(network, hash)));
    expect(receipts.map((receipt) => verifiedIn(contract, receipt).valid)).toEqual([false, true, false, true, true, false]);
    const heights = receipts.map(({ blockNumber }) => Number(blockNumber));
    expect(new Set([heights[1], heights[3], heights[4]]).size).toBe(3);
  });

  test("is there again after the child was rebuilt, in traces and in the same block", async () => {
    const { network, contract, message } = await withMessage();
    const hash = await network.send(await signed(network, { to: contract, data: readingMessage(0), messages: [message] }));
    const before = await receiptOf(network, hash);
    const trace = await network.ask("debug_traceTransaction", hash, { tracer: "callTracer" });
    await killChild(network);
    expect(await receiptOf(network, hash)).toEqual(before);
    expect(await network.ask("debug_traceTransaction", hash, { tracer: "callTracer" })).toEqual(trace);
    const again = await restart(network);
    expect(await receiptOf(again, hash)).toEqual(before);
  });

  test("makes the transaction invalid if it cannot be read, or if the gas does not suffice for verifying it", async () => {
    const { network, contract, message } = await withMessage();
    const send = async (messages: readonly Uint8Array[], gas?: bigint) =>
      network.send(await signed(network, { to: contract, data: readingMessage(0), messages, ...(gas !== undefined && { gas }) }));
    expect(await send([Buffer.from("00", "hex")])).toMatch(/^cannot unpack warp message: /);
    expect(await send([message], 100_000n)).toMatch(
      new RegExp(`^intrinsic gas too low: address ${network.account.address} tx gas \\(100000\\), minimum needed \\d+$`),
    );
    const packedTwice = accessListOf([message])[0]!;
    const raw = await network.sign({
      ...FEES,
      ...{ type: "eip1559", nonce: await network.nonce(), to: contract, gas: 1_000_000n },
      accessList: [{ ...packedTwice, storageKeys: [...packedTwice.storageKeys, `0x${"00".repeat(32)}`] }],
    });
    expect(await network.send(raw)).toMatch(/^cannot unpack predicate bytes: predicate included excess padding: got length \(\d+\)/);
  });
});

describe("a call that only tries", () => {
  test("sees the messages of its access list without signatures, as on a node", async () => {
    const { network, contract, message } = await withMessage();
    const tried = { from: network.account.address, to: WARP, data: readingMessage(0), accessList: accessListOf([tampered(message)]) };
    const answer = (await ask(network, "eth_call", [tried, "latest"])) as Hex;
    expect(decodeFunctionResult({ abi, functionName: "getVerifiedWarpMessage", data: answer })[1]).toBe(true);
    const trace = (await ask(network, "debug_traceCall", [tried, "latest", { tracer: "callTracer" }])) as { output: Hex };
    expect(trace.output).toBe(answer);
    const estimate = (await ask(network, "eth_estimateGas", [{ ...tried, to: contract }])) as Hex;
    const receipt = await call(network, { to: contract, data: readingMessage(0), messages: [message], gas: BigInt(estimate) });
    expect(verifiedIn(contract, receipt).valid).toBe(true);
  });

  test("shows the code that nodes give precompiles, and the blockchain's ID", async () => {
    const network = await EvmNetwork.start();
    await network.devnet.mineEvm(1, 0n);
    expect(await ask(network, "eth_getCode", [WARP, "latest"])).toBe("0x01");
    expect(await ask(network, "eth_call", [{ to: WARP, data: "0x4213cf78" }, "latest"])).toBe(`0x${network.devnet.network.cChainId}`);
  });
});

test("the precompile comes with the first block of Durango", async () => {
  const network = await EvmNetwork.start({ upgrades: "cortina,durango=+1m" });
  await network.devnet.mineEvm(1, 0n);
  expect(await ask(network, "eth_getCode", [WARP, "latest"])).toBe("0x");
  await network.devnet.advanceTime(61n);
  await network.devnet.mineEvm(1, 0n);
  expect(await ask(network, "eth_getCode", [WARP, "latest"])).toBe("0x01");
  const again = await restart(network, {}, "cortina,durango=+1m");
  expect(await ask(again, "eth_getCode", [WARP, "latest"])).toBe("0x01");
});

/** A network with a reading contract and a signed message of the funded account. */
async function withMessage(options: { readonly blockTimeMs?: number } = {}) {
  let network = await EvmNetwork.start();
  const contract = await deploy(network, CALLS);
  const { bytes: unsigned } = messageIn(await call(network, { to: WARP, data: sending(PAYLOAD) }));
  const message = await network.devnet.warp.of()!.signed(unsigned, 67n);
  if (options.blockTimeMs !== undefined) {
    await network.devnet.stop();
    network = await EvmNetwork.start({ directory: network.directory }, options);
    await network.evm.ready();
  }
  return { network, contract, message, unsigned };
}

function verifiedIn(contract: string, receipt: Receipt) {
  const [message, valid] = decodeFunctionResult({
    abi,
    functionName: "getVerifiedWarpMessage",
    data: loggedBy(contract, receipt).answer,
  });
  return { message, valid };
}

/** With the signature of another payload. */
function tampered(message: Buffer): Buffer {
  const copy = Buffer.from(message);
  copy[copy.indexOf(PAYLOAD.slice(2), 0, "hex")]! ^= 1;
  return copy;
}

function logData(bytes: Buffer): Hex {
  const length = bytes.length.toString(16).padStart(64, "0");
  const filled = bytes.toString("hex").padEnd(Math.ceil(bytes.length / 32) * 64, "0");
  return `0x${"20".padStart(64, "0")}${length}${filled}`;
}

async function ask(network: EvmNetwork, method: string, params: readonly unknown[]): Promise<unknown> {
  const answer = JSON.parse((await network.evm.forward(evmCall(1, method, params))).toString()) as {
    result?: unknown;
    error?: { message: string };
  };
  if (answer.error !== undefined) throw new Error(answer.error.message);
  return answer.result;
}

/** Without what every transaction costs. */
async function gasOfCall(network: EvmNetwork, { data, gas }: { data: Hex; gas: bigint }): Promise<number> {
  const receipt = await call(network, { to: WARP, data, gas });
  const bytes = Buffer.from(data.slice(2), "hex");
  const inputGas = bytes.reduce((sum, byte) => sum + (byte === 0 ? 4 : 16), 0);
  return Number(receipt.gasUsed) - 21_000 - inputGas;
}
