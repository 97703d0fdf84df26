import { decodeEventLog, encodeFunctionData, type Hex, padHex, parseAbi } from "viem";
import { beforeEach, describe, expect, test } from "vitest";
import {
  allowListAccount,
  MINTER_RESERVE,
  NATIVE_MINTER_ADDRESS,
  ROLES,
  TX_ALLOW_LIST_ADDRESS,
} from "../../../../src/devnet/anvil/precompiles/allow-list-contract.ts";
import { EvmNetwork } from "../evm-network.ts";
import { call, type Receipt } from "./warp-actor.ts";

const abi = parseAbi([
  "event RoleSet(uint256 indexed role, address indexed account, address indexed sender, uint256 oldRole)",
  "event NativeCoinMinted(address indexed sender, address indexed recipient, uint256 amount)",
  "function readAllowList(address addr) view returns (uint256 role)",
  "function setAdmin(address addr)",
  "function setEnabled(address addr)",
  "function setManager(address addr)",
  "function setNone(address addr)",
  "function mintNativeCoin(address addr, uint256 amount)",
]);
const SETTERS = [
  ["setNone", 0],
  ["setEnabled", 1],
  ["setAdmin", 2],
  ["setManager", 3],
] as const;
const MINTER: Hex = `0x${NATIVE_MINTER_ADDRESS}`;
const LIST: Hex = `0x${TX_ALLOW_LIST_ADDRESS}`;
const OTHER = `0x${"ab".repeat(20)}` as const;

let network: EvmNetwork;

beforeEach(async () => {
  // since Helicon the C-chain charges for gas that was not used; chains with allow lists do not
  network = await EvmNetwork.start({ upgrades: "granite" });
});

/** Puts the contract there, with a role for the funded account and one for the other. */
async function withRoles(address: string, own: number, other: number): Promise<void> {
  const { code, storage } = allowListAccount(new Map());
  expect(storage).toEqual({});
  const slot = (account: string) =>
    padHex(account as Hex, { size: 32 })
      .slice(2)
      .toLowerCase();
  const value = (role: number) => role.toString(16).padStart(64, "0");
  await network.devnet.evmControls.edit([
    { kind: "code", address, code: Buffer.from(code.slice(2), "hex") },
    { kind: "balance", address, value: address === NATIVE_MINTER_ADDRESS ? MINTER_RESERVE : 0n },
    { kind: "storage", address, slot: slot(network.account.address), value: value(own) },
    { kind: "storage", address, slot: slot(OTHER), value: value(other) },
  ]);
}

describe("the roles of an allow list", () => {
  test("may be changed by an admin, and between none and enabled by a manager", async () => {
    for (const own of [0, 1, 2, 3]) {
      for (const [functionName, role] of SETTERS) {
        for (const old of [0, 1, 2, 3]) {
          await withRoles(TX_ALLOW_LIST_ADDRESS, own, old);
          const receipt = await call(network, { to: LIST, data: encodeFunctionData({ abi, functionName, args: [OTHER] }) });
          const isAllowed = own === ROLES.admin || (own === ROLES.manager && old < 2 && role < 2);
          expect(receipt.status, `${own} ${functionName} ${old}`).toBe(isAllowed ? "0x1" : "0x0");
          expect(Number(await network.ask("eth_getStorageAt", LIST, padHex(OTHER, { size: 32 }), "latest"))).toBe(isAllowed ? role : old);
          if (!isAllowed) continue;
          expect(eventOf(receipt)).toMatchObject({
            eventName: "RoleSet",
            args: {
              role: BigInt(role),
              account: expect.stringMatching(new RegExp(OTHER, "i")),
              sender: network.account.address,
              oldRole: BigInt(old),
            },
          });
        }
      }
    }
  });

  test("are read for what the precompile charges", async () => {
    await withRoles(TX_ALLOW_LIST_ADDRESS, 2, 3);
    const data = encodeFunctionData({ abi, functionName: "readAllowList", args: [OTHER] });
    expect(Number(await network.ask("eth_call", { to: LIST, data }, "latest"))).toBe(3);
    expect(await gasOf(LIST, data)).toBe(5000);
  });

  test("are changed for what the precompile charges, if there was one before", async () => {
    await withRoles(TX_ALLOW_LIST_ADDRESS, 2, 1);
    expect(await gasOf(LIST, encodeFunctionData({ abi, functionName: "setManager", args: [OTHER] }))).toBe(22_131);
  });
});

describe("the native minter", () => {
  test.each([
    [1, "0x1"],
    [2, "0x1"],
    [3, "0x1"],
    [0, "0x0"],
    [4, "0x0"],
  ])("mints for role %i: %s", async (role, status) => {
    await withRoles(NATIVE_MINTER_ADDRESS, role, 0);
    const receipt = await mint(OTHER, 12_345n);
    expect(receipt.status).toBe(status);
    expect(await network.balance(OTHER)).toBe(status === "0x1" ? 12_345n : 0n);
    if (status === "0x0") return;
    expect(eventOf(receipt)).toMatchObject({ eventName: "NativeCoinMinted", args: { sender: network.account.address, amount: 12_345n } });
  });

  test("does not run the recipient's code", async () => {
    await withRoles(NATIVE_MINTER_ADDRESS, 1, 0);
    const refusing = `0x${"cd".repeat(20)}` as const;
    await network.devnet.evmControls.edit([{ kind: "code", address: refusing.slice(2), code: Buffer.of(0xfe) }]);
    expect((await mint(refusing, 7n)).status).toBe("0x1");
    expect(await network.balance(refusing)).toBe(7n);
  });

  test("is not at the other address", async () => {
    await withRoles(TX_ALLOW_LIST_ADDRESS, 1, 0);
    const data = encodeFunctionData({ abi, functionName: "mintNativeCoin", args: [OTHER, 1n] });
    expect((await call(network, { to: LIST, data })).status).toBe("0x0");
  });
});

function mint(to: Hex, amount: bigint): Promise<Receipt> {
  return call(network, { to: MINTER, data: encodeFunctionData({ abi, functionName: "mintNativeCoin", args: [to, amount] }) });
}

function eventOf({ logs }: Receipt) {
  expect(logs).toHaveLength(1);
  const { data, topics } = logs[0]!;
  return decodeEventLog({ abi, data, topics: topics as [Hex, ...Hex[]] });
}

/** Without what every transaction costs. */
async function gasOf(to: Hex, data: Hex): Promise<number> {
  const receipt = await call(network, { to, data });
  const inputGas = Buffer.from(data.slice(2), "hex").reduce((sum, byte) => sum + (byte === 0 ? 4 : 16), 0);
  return Number(receipt.gasUsed) - 21_000 - inputGas;
}
