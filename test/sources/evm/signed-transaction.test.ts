import fc from "fast-check";
import { type Hex, keccak256, serializeTransaction, type TransactionSerializable } from "viem";
import { privateKeyToAccount } from "viem/accounts";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { AnswerObject } from "../../../src/sources/evm/parser/answer-object.ts";
import { cChainBlockOfRpc } from "../../../src/sources/evm/parser/c-chain-block.ts";
import { encodeSignedTransaction } from "../../../src/sources/evm/parser/rlp-forms.ts";
import { type Anvil, startAnvil } from "../../evm/anvil.ts";

const uint = (bits: number) => fc.bigInt({ min: 0n, max: 2n ** BigInt(bits) - 1n });
const hex = (bytes: number) => fc.uint8Array({ minLength: bytes, maxLength: bytes }).map(hexOf);
const quantity = (value: bigint) => `0x${value.toString(16)}`;
const scalar = fc.bigInt({ min: 1n, max: 2n ** 256n - 1n });

const accessList = fc.array(fc.record({ address: hex(20), storageKeys: fc.array(hex(32), { maxLength: 3 }) }), { maxLength: 3 });
const signatures = fc.record({ r: scalar, s: scalar, yParity: fc.constantFrom(0, 1) });
const authorizations = fc.array(fc.record({ chainId: uint(32), address: hex(20), nonce: uint(40), signature: signatures }), {
  maxLength: 3,
});

const transactions = fc.record({
  type: fc.constantFrom(0, 1, 2, 3, 4),
  chainId: fc.integer({ min: 1, max: 2 ** 40 }),
  isReplayProtected: fc.boolean(),
  nonce: fc.integer({ min: 0, max: 2 ** 48 }),
  gas: uint(64),
  /** wei per gas */
  tip: uint(100),
  maxFee: uint(100),
  to: fc.option(hex(20)),
  value: uint(256),
  input: fc.uint8Array({ maxLength: 300 }).map(hexOf),
  accessList,
  blobFee: uint(100),
  blobHashes: fc.array(
    hex(31).map((rest): Hex => `0x01${rest.slice(2)}`),
    { minLength: 1, maxLength: 4 },
  ),
  authorizations,
  signature: signatures,
});
type Drawn = typeof transactions extends fc.Arbitrary<infer T> ? T : never;

function hexOf(bytes: Uint8Array): Hex {
  return `0x${Buffer.from(bytes).toString("hex")}`;
}

const TYPES = ["legacy", "eip2930", "eip1559", "eip4844", "eip7702"] as const;

/** As viem writes it. */
function serialized(drawn: Drawn): Hex {
  const { type, chainId, isReplayProtected, nonce, gas, tip, maxFee, value, input, accessList, blobFee, blobHashes } = drawn;
  const { r, s, yParity } = drawn.signature;
  const legacyId = type > 0 || isReplayProtected ? { chainId } : {};
  const fees = type < 2 ? { gasPrice: maxFee } : { maxFeePerGas: tip + maxFee, maxPriorityFeePerGas: tip };
  const blobs = type === 3 && { maxFeePerBlobGas: blobFee, blobVersionedHashes: blobHashes };
  const authorizationList = drawn.authorizations.map(({ chainId: forChain, address, nonce: at, signature }) => ({
    ...{ chainId: Number(forChain), address, nonce: Number(at), yParity: signature.yParity },
    ...{ r: padded(signature.r), s: padded(signature.s) },
  }));
  const whole = {
    ...{ type: TYPES[type], nonce, gas, to: targetOf(drawn) ?? undefined, value, data: input, ...legacyId, ...fees, ...blobs },
    ...(type > 0 && { accessList }),
    ...(type === 4 && { authorizationList }),
  };
  return serializeTransaction(whole as never, {
    r: padded(r),
    s: padded(s),
    yParity,
    ...(type === 0 && { v: BigInt(27 + yParity) }),
  });
}

/** As a node shows it. */
function shown(drawn: Drawn) {
  const { type, chainId, isReplayProtected, nonce, gas, tip, maxFee, value, input, accessList, blobFee, blobHashes } = drawn;
  const { r, s, yParity } = drawn.signature;
  const signed = { r: quantity(r), s: quantity(s) };
  const common = {
    type: quantity(BigInt(type)),
    nonce: quantity(BigInt(nonce)),
    gas: quantity(gas),
    to: targetOf(drawn),
    value: quantity(value),
    input,
  };
  if (type === 0) {
    const v = isReplayProtected ? BigInt(chainId) * 2n + 35n + BigInt(yParity) : BigInt(27 + yParity);
    return { ...common, ...signed, gasPrice: quantity(maxFee), v: quantity(v) };
  }
  const fees = type === 1 ? { gasPrice: quantity(maxFee) } : { maxFeePerGas: quantity(tip + maxFee), maxPriorityFeePerGas: quantity(tip) };
  return {
    ...{ ...common, ...signed, ...fees, chainId: quantity(BigInt(chainId)), accessList, yParity: quantity(BigInt(yParity)) },
    ...(type === 3 && { maxFeePerBlobGas: quantity(blobFee), blobVersionedHashes: blobHashes }),
    ...(type === 4 && {
      authorizationList: drawn.authorizations.map(({ chainId: forChain, address, nonce: at, signature }) => ({
        ...{ chainId: quantity(forChain), address, nonce: quantity(at) },
        ...{ yParity: quantity(BigInt(signature.yParity)), r: quantity(signature.r), s: quantity(signature.s) },
      })),
    }),
  };
}

/** Blobs and authorizations need one. */
function targetOf({ type, to }: Drawn): Hex | null {
  return type < 3 ? to : (to ?? `0x${"22".repeat(20)}`);
}

function padded(value: bigint): Hex {
  return `0x${value.toString(16).padStart(64, "0")}`;
}

describe("A signed transaction", () => {
  test("is, of every type, what viem writes", () => {
    const property = fc.property(transactions, (drawn) => {
      const bytes = encodeSignedTransaction(new AnswerObject(shown(drawn), "transaction"));
      expect(hexOf(bytes)).toBe(serialized(drawn));
    });
    fc.assert(property, { numRuns: 500 });
  });

  test("of a type that is not known is refused by name", () => {
    const transaction = new AnswerObject({ type: "0x7e" }, "block 7: transactions[0]");
    expect(() => encodeSignedTransaction(transaction)).toThrow('block 7: transactions[0].type is "0x7e"; it must be one of 0, 1, 2, 3, 4');
  });
});

describe("On a node with Ethereum's last rules", () => {
  const account = privateKeyToAccount("0xac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80");
  const other = privateKeyToAccount("0x59c6995e998f97a5a0044966f0945389dc9e86dae88c7a8412f4603b6b78690d");
  const [chainId, gas, maxFeePerGas, maxPriorityFeePerGas] = [43_112, 100_000n, 10n ** 11n, 1n];
  let anvil: Anvil;
  beforeAll(async () => {
    anvil = await startAnvil({ hardfork: "prague", chainId });
  });
  afterAll(() => anvil.stop());

  test("a block of 300 transactions of four types is put together again", async () => {
    const fees = { chainId, gas, maxFeePerGas, maxPriorityFeePerGas, to: account.address };
    const authorization = await other.signAuthorization({ chainId, address: account.address, nonce: 0 });
    const blob = Buffer.alloc(131_072);
    const kinds: readonly Omit<TransactionSerializable, "nonce">[] = [
      { ...fees, type: "eip7702", authorizationList: [authorization] } as never,
      { chainId, gas, gasPrice: maxFeePerGas, to: account.address, type: "legacy" },
      {
        chainId,
        gas,
        gasPrice: maxFeePerGas,
        to: account.address,
        type: "eip2930",
        accessList: [{ address: account.address, storageKeys: [padded(7n)] }],
      },
      { ...fees, type: "eip1559", data: hexOf(blob.subarray(0, 60)) },
    ];
    for (let nonce = 0; nonce < 300; nonce++) {
      const raw = await account.signTransaction({ ...kinds[Math.min(nonce, 1 + (nonce % 3))], nonce } as never);
      await anvil.call("eth_sendRawTransaction", raw);
    }
    await anvil.call("evm_mine");
    const answer = (await anvil.call("eth_getBlockByNumber", "latest", true)) as { transactions: { type: string; hash: Hex }[] };
    expect(new Set(answer.transactions.map(({ type }) => type))).toEqual(new Set(["0x0", "0x1", "0x2", "0x4"]));
    const { transactions } = cChainBlockOfRpc({ ...answer, blockExtraData: "0x", extDataHash: keccak256("0x80") }, 0n);
    expect(transactions.map((each) => keccak256(each))).toEqual(answer.transactions.map(({ hash }) => hash));
    expect(transactions).toHaveLength(300);
  });
});
