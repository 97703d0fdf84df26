/** Random actions on a network with an EVM. */
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import fc from "fast-check";
import type { EvmOptions } from "../../../src/devnet/anvil/evm-node.ts";
import { toHex } from "../../../src/devnet/anvil/header.ts";
import { encodeUnsigned } from "../../../src/devnet/anvil/pool/unsigned-transaction.ts";
import { EVM_CHAIN_ID, EvmNetwork, FEES } from "./evm-network.ts";

const AVAX = 1_000_000_000n;
/** Stores what it is paid under the block number, and makes another contract. */
const STORES_AND_CREATES = "0x3443556000600060006000f050600160005260206000f3";
const REVERTS = "0x60006000fd";
/** Transfer(address,address,uint256) */
const TRANSFER = "ddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef";
/** Deposit(address,uint256) */
const DEPOSIT = "e1fffcc4923d04b559f4d29a8bfc6cda04eb5b0d3c460751c2402c5c5cc9109c";
const HOLDER = "ab".repeat(20);
/** A contract, for which a test sends transactions. */
export const STRANGER = "57".repeat(20);
const PRICE = toHex(FEES.maxFeePerGas);
/** Transactions of each kind: fees, recipient and data. */
const UNSIGNED = [
  { type: "0x2", maxFeePerGas: PRICE, maxPriorityFeePerGas: "0x3", to: `0x${HOLDER}`, input: "0x1234", accessList: [] },
  { type: "0x0", gasPrice: PRICE, input: STORES_AND_CREATES },
  {
    type: "0x1",
    gasPrice: PRICE,
    to: `0x${HOLDER}`,
    input: "0x",
    accessList: [{ address: `0x${HOLDER}`, storageKeys: [`0x${"00".repeat(32)}`] }],
  },
] as const;
/** No transaction pays it. */
export const EDITED = "ed".repeat(20);
/** While they are made, contracts log the block number as an amount that came from nowhere; the code that they leave answers nothing. */
const [KEEPS_NUMBER, LEAVES_CODE] = ["43600052", "60016000f3"];
const MINTS = `0x${KEEPS_NUMBER}73${HOLDER}60007f${TRANSFER}60206000a3${LEAVES_CODE}`;
const MINTS_IN_DOUBT = `0x4373${HOLDER}60007f${TRANSFER}60006000a4${LEAVES_CODE}`;
const DEPOSITS = `0x${KEEPS_NUMBER}73${HOLDER}7f${DEPOSIT}60206000a2${LEAVES_CODE}`;

function word(value: bigint): string {
  return value.toString(16).padStart(64, "0");
}

/** What happens between one look at the network and the next. */
export type Action = (network: EvmNetwork) => Promise<unknown>;

const deploy =
  (data: string): Action =>
  async (network) =>
    network.send(
      await network.sign({ ...FEES, type: "eip1559", nonce: await network.nonce(), data: data as `0x${string}`, value: 3n, gas: 200_000n }),
    );

const actions: readonly (readonly [name: string, action: Action])[] = [
  ["pays", (network) => network.pay(`0x${"ab".repeat(20)}`, 12_345n)],
  ["makes empty blocks", ({ devnet }) => devnet.mineEvm(2, 5n)],
  ["gives the next block its time", ({ devnet }) => devnet.setNextEvmTimestamp(devnet.clock.seconds() + 100n)],
  [
    "pays with an old kind of transaction",
    async (network) =>
      network.send(
        await network.sign({
          type: "legacy",
          gasPrice: FEES.maxFeePerGas,
          nonce: await network.nonce(),
          to: network.account.address,
          gas: 50_000n,
        }),
      ),
  ],
  [
    "lists what it reads",
    async (network) =>
      network.send(
        await network.sign({
          type: "eip2930",
          gasPrice: FEES.maxFeePerGas,
          nonce: await network.nonce(),
          to: `0x${"cd".repeat(20)}`,
          value: 1n,
          gas: 60_000n,
          accessList: [{ address: network.account.address, storageKeys: [] }],
        }),
      ),
  ],
  ["deploys a contract", deploy(STORES_AND_CREATES)],
  ["deploys what fails", deploy(REVERTS)],
  ["makes a token", deploy(MINTS)],
  ["makes what may be one token or another", deploy(MINTS_IN_DOUBT)],
  ["makes what may be a wrapped one", deploy(DEPOSITS)],
  ["exports to C", (network) => network.exportToC(AVAX)],
  ["imports", async (network) => ((await network.exported()).length > 0 ? network.importToC() : undefined)],
  ["exports to X", async (network) => network.exportToX(AVAX / 3n, await network.nonce())],
  ["moves the clock", (network) => network.devnet.advanceTime(17n)],
  ["edits a balance", ({ devnet }) => devnet.evmControls.edit([{ kind: "balance", address: EDITED, value: devnet.clock.nanoseconds() }])],
  [
    "sends for a contract without its signature",
    async (network) => {
      const { evm, devnet } = network;
      const nonce = await network.nonce(`0x${STRANGER}`);
      if (nonce === 0) {
        await devnet.evmControls.edit([{ kind: "code", address: STRANGER, code: Buffer.from("00", "hex") }]);
        await network.pay(`0x${STRANGER}`, 10n ** 18n);
      }
      const kind = UNSIGNED[nonce % UNSIGNED.length]!;
      const fields = { chainId: toHex(BigInt(EVM_CHAIN_ID)), nonce: toHex(BigInt(nonce)), gas: "0x30d40", value: "0x0", ...kind };
      await evm.issueUnsigned(encodeUnsigned(fields), STRANGER);
    },
  ],
  [
    "edits accounts",
    async (network) => {
      const nonce = BigInt(await network.nonce(`0x${EDITED}`)) + 1n;
      await network.devnet.evmControls.edit([
        { kind: "nonce", address: EDITED, value: nonce },
        { kind: "code", address: EDITED, code: Buffer.from(nonce % 3n === 0n ? "" : STORES_AND_CREATES.slice(2), "hex") },
        { kind: "storage", address: EDITED, slot: word(nonce % 4n), value: word(nonce % 3n) },
        { kind: "storage", address: HOLDER, slot: word(1n), value: word(nonce % 2n) },
      ]);
    },
  ],
];

export const someActions = fc.array(fc.nat({ max: actions.length - 1 }), { minLength: 1, maxLength: 12 });

export async function act(network: EvmNetwork, numbers: readonly number[]): Promise<void> {
  for (const number of numbers) await actions[number]![1](network);
}

/** By their names, in this order. */
export async function actNamed(network: EvmNetwork, ...names: readonly string[]): Promise<void> {
  await act(
    network,
    names.map((wanted) => actions.findIndex(([name]) => name === wanted)),
  );
}

/** Keeps everything; the child starts anew. */
export async function restart(network: EvmNetwork, evm: EvmOptions = {}, upgrades?: string): Promise<EvmNetwork> {
  await network.devnet.stop();
  return EvmNetwork.start({ directory: network.directory, ...(upgrades !== undefined && { upgrades }) }, { evm });
}

/** As an operator's kill -9, or the machine short of memory. */
export async function killChild(network: EvmNetwork): Promise<void> {
  process.kill(Number(await readFile(join(network.directory, "c-chain", "pid"), "utf8")), "SIGKILL");
}
