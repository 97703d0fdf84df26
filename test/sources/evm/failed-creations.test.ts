import { readFileSync } from "node:fs";
import { pino } from "pino";
import { type Abi, encodeDeployData, encodeFunctionData, getContractAddress, type Hex, parseGwei, type SignedAuthorization } from "viem";
import { mnemonicToAccount } from "viem/accounts";
import { expect, test } from "vitest";
import { ComparedBlocks } from "../../../src/sources/evm/compared-blocks.ts";
import { wholeBlock } from "../../../src/sources/evm/read-block.ts";
import { openUpstreamRpc } from "../../../src/sources/upstream/open-upstream-rpc.ts";
import { recordingFolder } from "../../conformance/recordings.ts";
import { startAnvil } from "../../evm/anvil.ts";
import { startReplayRpc } from "../../evm/replay-rpc/replay-rpc.ts";

interface Artifact {
  readonly abi: Abi;
  readonly bytecode: Hex;
}

const artifacts = JSON.parse(readFileSync(new URL("../../evm/workload/artifacts.json", import.meta.url), "utf8")) as Record<
  string,
  Artifact
>;
const log = pino({ level: "silent" });
const GAS = "0x3d0900";

test("failed creations by a contract have the addresses that they would have had, by nonce and by salt", async () => {
  const anvil = await startAnvil();
  const rpc = openUpstreamRpc({ urls: [anvil.url], log });
  try {
    const [from] = (await anvil.call("eth_accounts")) as string[];
    const deployed = await anvil.call("eth_sendTransaction", {
      from,
      data: encodeDeployData({ ...artifacts.Factory!, args: [] }),
      gas: GAS,
    });
    await anvil.call("evm_mine");
    const { contractAddress: factory } = (await anvil.call("eth_getTransactionReceipt", deployed)) as { contractAddress: Hex };
    const make = (functionName: "make" | "make2", code: Hex, ...salt: Hex[]) =>
      anvil.call("eth_sendTransaction", {
        from,
        to: factory,
        data: encodeFunctionData({ abi: artifacts.Factory!.abi, functionName, args: [code, 0n, ...salt] }),
        gas: GAS,
      });
    const good = encodeDeployData({ ...artifacts.OldNft!, args: [] });
    const failing = artifacts.FailingCreation!.bytecode;
    const [one, two] = ["0x01", "0xff02"].map((salt) => `0x${salt.slice(2).padStart(64, "0")}` as Hex);
    await make("make", good);
    await anvil.call("evm_mine");
    // the second one meets the address of the first; a failed call of the factory takes its nonce back
    for (const salt of [one!, one!, two!]) await make("make2", salt === two ? failing : good, salt);
    await make("make", failing);
    await anvil.call("evm_mine");
    const [block] = await new ComparedBlocks(rpc, log, { traces: true }).fetch(3n, 1, 3n, new AbortController().signal);
    const frames = wholeBlock(block!).transactions.map(({ frames: [frame] }) => ({ to: `0x${frame!.to}`, isReverted: frame!.isReverted }));
    const bySalt = (salt: Hex, bytecode: Hex) => getContractAddress({ opcode: "CREATE2", from: factory, salt, bytecode }).toLowerCase();
    expect(frames).toEqual([
      { to: bySalt(one!, good), isReverted: false },
      { to: bySalt(one!, good), isReverted: true },
      { to: bySalt(two!, failing), isReverted: true },
      { to: getContractAddress({ from: factory, nonce: 3n }).toLowerCase(), isReverted: true },
    ]);
  } finally {
    await rpc.close();
    await anvil.stop();
  }
});

test("failed creations by accounts with delegated code count the authorizations that the chain took, and no others", async () => {
  const anvil = await startAnvil({ hardfork: "prague" });
  const rpc = openUpstreamRpc({ urls: [anvil.url], log });
  try {
    const account = (addressIndex: number) =>
      mnemonicToAccount("test test test test test test test test test test test junk", { addressIndex });
    const [sponsor, ...owners] = [0, 1, 2, 3, 4].map(account) as [ReturnType<typeof account>, ...ReturnType<typeof account>[]];
    const code = encodeDeployData({ ...artifacts.Factory!, args: [] });
    await anvil.call("eth_sendTransaction", { from: sponsor.address, data: code, gas: GAS });
    await anvil.call("evm_mine");
    const factory = getContractAddress({ from: sponsor.address, nonce: 0n });
    const failing = encodeFunctionData({
      abi: artifacts.Factory!.abi,
      functionName: "make",
      args: [artifacts.FailingCreation!.bytecode, 0n],
    });
    const sent: { readonly owner: Hex; readonly hash: unknown }[] = [];
    const nonces = new Map<string, number>([[sponsor.address, 1]]);
    const send = async (sender: typeof sponsor, owner: typeof sponsor, authorizationList: SignedAuthorization[]) => {
      const nonce = nonces.get(sender.address) ?? 0;
      nonces.set(sender.address, nonce + 1);
      const fees = { gas: 4_000_000n, maxFeePerGas: parseGwei("9"), maxPriorityFeePerGas: 1n };
      const signed = await sender.signTransaction!({
        chainId: 43_112,
        type: "eip7702",
        nonce,
        to: owner.address,
        data: failing,
        authorizationList,
        ...fees,
      });
      sent.push({ owner: owner.address, hash: await anvil.call("eth_sendRawTransaction", signed) });
    };
    const sign = (owner: typeof sponsor, nonce: number, chainId = 43_112) =>
      owner.signAuthorization!({ chainId, contractAddress: factory, nonce });
    const [one, two, three, four] = owners as [typeof sponsor, typeof sponsor, typeof sponsor, typeof sponsor];
    const malleable = ({ s, yParity, ...signed }: SignedAuthorization): SignedAuthorization => {
      const order = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n;
      return { ...signed, s: `0x${(order - BigInt(s)).toString(16).padStart(64, "0")}`, yParity: 1 - yParity! } as SignedAuthorization;
    };
    await send(sponsor, one, [await sign(one, 0)]);
    // of any chain; a second time; of another chain; too old; too new; another form of a signature
    await send(sponsor, two, [
      await sign(two, 0, 0),
      await sign(two, 1),
      await sign(two, 2, 1),
      await sign(two, 1),
      await sign(two, 3),
      malleable(await sign(two, 2)),
    ]);
    // whoever sends it is counted once more before
    await send(three, three, [await sign(three, 1)]);
    await send(sponsor, one, [await sign(one, 1), await sign(four, 0)]);
    await anvil.call("evm_mine");
    // being authorized was its first nonce
    nonces.set(four.address, 1);
    await send(four, four, [await sign(one, 7), await sign(four, 2)]);
    await send(sponsor, three, [await sign(three, 2)]);
    await anvil.call("evm_mine");
    const blocks = await new ComparedBlocks(rpc, log, { traces: true }).fetch(2n, 2, 3n, new AbortController().signal);
    // a failed call of the factory takes its creation back: the account's nonce is still the one of the creation
    const nonceAt = async (owner: Hex, height: string) => BigInt((await anvil.call("eth_getTransactionCount", owner, height)) as string);
    const expected = await Promise.all(
      sent.map(async ({ owner }, i) => {
        // of the account that is authorized again later in the block
        const later = i === 0 ? 1n : 0n;
        const nonce = (await nonceAt(owner, i < 4 ? "0x2" : "0x3")) - later;
        return getContractAddress({ from: owner, nonce }).toLowerCase();
      }),
    );
    const frames = blocks.flatMap((block) =>
      wholeBlock(block).transactions.flatMap(({ frames }) => frames.filter(({ type }) => type === "CREATE")),
    );
    expect(frames.map(({ to }) => `0x${to}`)).toEqual(expected);
  } finally {
    await rpc.close();
    await anvil.stop();
  }
});

test("blocks are read also where no node tells the salt of a failed creation", async () => {
  const node = await startReplayRpc({ recording: recordingFolder("evm-anvil-1") });
  const rpc = openUpstreamRpc({ urls: [node.url], log });
  try {
    const blocks = await new ComparedBlocks(rpc, log, { traces: true }).fetch(
      0n,
      node.head + 1,
      BigInt(node.head),
      new AbortController().signal,
    );
    expect(blocks.length).toBe(node.head + 1);
    const creations = blocks.flatMap((block) =>
      wholeBlock(block).transactions.flatMap(({ frames }) => frames.filter(({ type }) => type === "CREATE2")),
    );
    expect(creations.filter(({ to }) => to === "0".repeat(40)).map(({ isReverted }) => isReverted)).toEqual([true, true]);
    expect(creations.length).toBeGreaterThan(5);
  } finally {
    await rpc.close();
    await node.close();
  }
});
