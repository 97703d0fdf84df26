/** A devnet whose C-chain has tokens of each standard, a coin with a hostile name, calls within calls, and failures. */
import { createWalletClient, encodeDeployData, encodeFunctionData, type Hex, http, publicActions, stringToHex } from "viem";
import { privateKeyToAccount } from "viem/accounts";
import { parseId } from "../../src/base/bytes/cb58.ts";
import { type LocalNetwork, startDevnet } from "../../src/serve/local-network/start.ts";
import { deploying } from "../devnet/anvil/precompiles/warp-actor.ts";
import { MESSENGER, sendingTo } from "../devnet/warp/messenger.ts";
import { eventually } from "../patience.ts";
import { tokenContract } from "../sdk/devnet/tokens.ts";

/** A blockchain that the devnet does not have. */
export const UNKNOWN_CHAIN = "12".repeat(32);
/** ewoq's */
const KEY = "0x56289e99c94b6912bfc12adc093c9b51124f0dc54ac7a766b2bc5ccf558d8027";
const OTHER = "0x00000000000000000000000000000000000000AA";

export const CHAIN_ID = "43112";
/** Markup, text that turns what follows around, and a character without width. */
export const HOSTILE_NAME = '<img src=x onerror="document.title=1"> \u202egnp.exe\u200b';
export const HOSTILE_SYMBOL = "<b>$</b>";
const PICTURE = `<svg xmlns="http://www.w3.org/2000/svg" width="64" height="64"><rect width="64" height="64" fill="teal"/></svg>`;
const METADATA = {
  name: "Leaf",
  description: HOSTILE_NAME,
  image: dataUri("image/svg+xml", PICTURE),
  attributes: [{ trait_type: "Colour", value: "teal" }],
};

function dataUri(type: string, text: string): string {
  return `data:${type};base64,${Buffer.from(text).toString("base64")}`;
}

interface Contract {
  readonly address: Hex;
  readonly deployment: Hex;
}

/** @param sendsMessages whose relayer has coins that no transaction gave it */
export async function openEvmContracts({ sendsMessages = false } = {}) {
  const network: LocalNetwork = await startDevnet();
  const url = `${network.url}/ext/bc/C/rpc`;
  const account = privateKeyToAccount(KEY);
  const chain = {
    id: Number(CHAIN_ID),
    name: "C",
    nativeCurrency: { name: "AVAX", symbol: "AVAX", decimals: 18 },
    rpcUrls: { default: { http: [url] } },
  };
  const wallet = createWalletClient({ account, chain, transport: http(url) }).extend(publicActions);

  /** @returns the transaction's hash; a failing one is sent all the same */
  const send = async (to: Hex | undefined, data: Hex, value = 0n): Promise<Hex> => {
    const hash = await wallet.sendTransaction({ ...(to && { to }), data, value, gas: 3_000_000n });
    await wallet.waitForTransactionReceipt({ hash });
    return hash;
  };
  const deploy = async (name: string, args: readonly unknown[]): Promise<Contract> => {
    const { abi, bytecode } = tokenContract(name);
    const deployment = await send(undefined, encodeDeployData({ abi, bytecode, args }));
    const { contractAddress } = await wallet.getTransactionReceipt({ hash: deployment });
    return { address: contractAddress!, deployment };
  };
  const call = (name: string, { address }: Contract, functionName: string, args: readonly unknown[] = [], value = 0n) =>
    send(address, encodeFunctionData({ abi: tokenContract(name).abi, functionName, args }), value);

  /** To the C-chain itself, and to a chain that is not there. @returns the ID of the first, which its relayer has delivered */
  const sentMessage = async (): Promise<string> => {
    const messenger = (await wallet.getTransactionReceipt({ hash: await send(undefined, deploying(MESSENGER)) })).contractAddress!;
    for (const [nonce, destination] of [parseId(network.blockchainIds.C), UNKNOWN_CHAIN].entries()) {
      await send(messenger, sendingTo(destination, nonce, "0x1122"));
    }
    return eventually(async () => {
      const { messages } = (await (await fetch(`${network.url}/v1/icm/messages`)).json()) as {
        messages: { messageId: string; status: string }[];
      };
      return messages.find(({ status }) => status === "delivered")?.messageId;
    });
  };

  const coin = await deploy("Coin", ["Test Coin", "TST", 6, 123_456_789_012_345n, account.address]);
  const hostile = await deploy("Coin", [HOSTILE_NAME, HOSTILE_SYMBOL, 255, 10n ** 70n + 1n, account.address]);
  const nft = await deploy("Nft", ["Leaves", "LEAF", dataUri("application/json", JSON.stringify(METADATA))]);
  const multi = await deploy("NamedMulti", ["https://example.invalid/{id}.json"]);
  const failer = await deploy("Failer", []);
  const actor = await deploy("Actor", []);

  const transfer = await call("Coin", coin, "transfer", [OTHER, 1_234_567_890n]);
  const many = await call("Coin", coin, "transferMany", [
    [OTHER, account.address, actor.address],
    [1n, 2n, 3n],
  ]);
  const hostileTransfer = await call("Coin", hostile, "transfer", [OTHER, 10n ** 69n + 7n]);
  await call("Nft", nft, "mint", [account.address, 7n]);
  await call("Nft", nft, "mint", [OTHER, 2n ** 256n - 1n]);
  await call("NamedMulti", multi, "mintBatch", [account.address, [1n, 2n], [10n, 20n]]);
  const batch = await call("NamedMulti", multi, "safeBatchTransferFrom", [account.address, OTHER, [1n, 2n], [3n, 4n], "0x"]);
  const withReason = await call("Failer", failer, "withReason");
  const withCustom = await call("Failer", failer, "withCustom", [42n]);
  const panic = await call("Failer", failer, "panicMath", [0n]);
  const pay = { op: 0, strict: false, to: OTHER, value: 5n, aux: 0n, data: "0x" };
  const fail = {
    ...pay,
    to: failer.address,
    value: 0n,
    data: encodeFunctionData({ abi: tokenContract("Failer").abi, functionName: "withReason" }),
  };
  const text = { ...pay, op: 8, value: 0n, data: stringToHex(HOSTILE_NAME) };
  const calls = await call("Actor", actor, "run", [[pay, fail, text, pay]], 10n);
  const plain = await send(OTHER, "0x", 1_500_000_000_000_000_001n);
  const message = sendsMessages ? await sentMessage() : undefined;
  return {
    network,
    url: network.url,
    account: account.address,
    message,
    contracts: { coin, hostile, nft, multi, failer, actor },
    transactions: { transfer, many, hostileTransfer, batch, withReason, withCustom, panic, calls, plain },
    stop: () => network.stop(),
  };
}
