/**
 * Compares the effects of blocks, decoded from the recordings' logs and traces, with what the workload's driver intended; the driver reads
 * neither. The contracts' classes come from the driver.
 */
import { describe, expect, test } from "vitest";
import { decodeBlock } from "../../../src/evm/decode/decode-block.ts";
import { ERC20, ERC721, ERC1155, type TokenClass, type TransactionFacts, type TransferKind } from "../../../src/evm/facts.ts";
import { openBlock } from "../../../src/sources/evm/parser/block-parser.ts";
import { readJson } from "../../conformance/json-lines.ts";
import { EVM_RECORDINGS, type EvmRecordingName, recordingFolder } from "../../conformance/recordings.ts";
import { noncesOf } from "../replay-rpc/nonces.ts";
import { readRecording } from "../replay-rpc/recording.ts";

interface IntendedTransfer {
  readonly contract: string;
  readonly from: string;
  readonly to: string;
  readonly value?: string;
  readonly id?: string;
  readonly batchIndex?: number;
}

interface IntendedInternal {
  readonly type: string;
  readonly from: string;
  readonly to: string;
  readonly value: string;
  readonly reverted: boolean;
  /** a C-chain makes no frame of it */
  readonly notExecuted?: boolean;
}

interface Expected {
  readonly client: string;
  readonly contracts: readonly { readonly name: string; readonly address: string; readonly erc?: string }[];
  readonly txs: readonly {
    readonly label: string;
    readonly hash: string;
    readonly from: string;
    readonly status: number;
    readonly failure?: string;
    readonly erc20: readonly IntendedTransfer[];
    readonly erc721: readonly IntendedTransfer[];
    readonly erc1155: readonly IntendedTransfer[];
    readonly internal: readonly IntendedInternal[];
    readonly deployments: readonly { readonly address: string; readonly type: string; readonly creator?: string }[];
  }[];
  readonly final: { readonly erc20: readonly { readonly contract: string; readonly holder: string; readonly balance: string }[] };
}

const KINDS: Record<string, TransferKind> = { "ERC-20": ERC20, "ERC-721": ERC721, "ERC-1155": ERC1155 };

function bare(hex: string): string {
  return hex.slice(2).toLowerCase();
}

function load(name: EvmRecordingName): { expected: Expected; decoded: ReadonlyMap<string, TransactionFacts> } {
  const folder = recordingFolder(name);
  const expected = readJson<Expected>(folder, "expected.json");
  const classes = new Map<string, TokenClass>(
    expected.contracts.map(({ name, address, erc }) => [bare(address), { kind: KINDS[erc ?? ""], isWrapped: name === "wnat" }]),
  );
  const decoded = new Map<string, TransactionFacts>();
  const { blocks, accounts } = readRecording(folder);
  const nonceAt = noncesOf(blocks, accounts);
  for (const { height, block, receipts, traces } of blocks) {
    const opened = openBlock({ block, receipts, traces: traces ?? undefined });
    const nonces = new Map(opened.creators.map((creator) => [creator, BigInt(nonceAt(`0x${creator}`, height - 1))]));
    const facts = decodeBlock(opened.block(nonces), (token) => classes.get(token));
    for (const each of facts.transactions) decoded.set(each.transaction.hash, each);
  }
  return { expected, decoded };
}

function intendedTransfers(kind: TransferKind, transfers: readonly IntendedTransfer[]): object[] {
  return transfers.map(({ contract, from, to, value, id, batchIndex = 0 }) => ({
    kind,
    token: bare(contract),
    from: bare(from),
    to: bare(to),
    tokenId: BigInt(id ?? 0),
    value: BigInt(value ?? 1),
    batchIndex,
  }));
}

describe.each(EVM_RECORDINGS)("%s", (name) => {
  const { expected, decoded } = load(name);
  const pairs = expected.txs.map((intended) => ({ intended, facts: decoded.get(bare(intended.hash))! }));

  test("has every transaction that was sent, and no other", () => {
    expect([...decoded.keys()].sort()).toEqual(expected.txs.map(({ hash }) => bare(hash)).sort());
  });

  test("moved what was meant to be moved, in the order of the logs", () => {
    for (const { intended, facts } of pairs) {
      for (const [kind, transfers] of [
        [ERC20, intended.erc20],
        [ERC721, intended.erc721],
        [ERC1155, intended.erc1155],
      ] as const) {
        const found = facts.transfers.filter((transfer) => transfer.kind === kind).map(({ logIndex: _, ...transfer }) => transfer);
        expect(found, intended.label).toEqual(intendedTransfers(kind, transfers));
      }
    }
  });

  test("called with value and created what was meant, reverted or not", () => {
    for (const { intended, facts } of pairs) {
      const wanted = intended.internal
        .filter(({ type }) => type !== "SELFDESTRUCT")
        .map(({ type, from, to, value, reverted, notExecuted }) => ({
          notExecuted,
          // of a creation that was not executed the trace has no salt
          shown: { type, from: bare(from), to: notExecuted ? expect.any(String) : bare(to), value: BigInt(value), isReverted: reverted },
        }));
      // what ran out of gas is not known of by the driver
      if (intended.failure === "out of gas" && wanted.length === 0) continue;
      const found = facts.internals.map(({ gasLimit: _, gasUsed: __, ...shown }) => shown);
      const isAnvil = expected.client.startsWith("anvil");
      expect(found, intended.label).toEqual(wanted.filter(({ notExecuted }) => isAnvil || !notExecuted).map(({ shown }) => shown));
    }
  });

  test("deployed what was meant to be deployed, and nothing that failed", () => {
    for (const { intended, facts } of pairs) {
      expect(
        facts.deployments.map(({ contract }) => contract),
        intended.label,
      ).toEqual(intended.deployments.map(({ address }) => bare(address)));
      for (const [at, { type, creator }] of intended.deployments.entries()) {
        const { deployer, factory } = facts.deployments[at]!;
        expect(deployer).toBe(bare(intended.from));
        expect(factory).toBe(type === "TX" ? undefined : bare(creator!));
      }
    }
  });

  test("left the balances of the wrapped token that its ledger had", () => {
    const wrapped = expected.contracts.find(({ name }) => name === "wnat")!.address;
    const sums = new Map<string, bigint>();
    const add = (holder: string, change: bigint) => sums.set(holder, (sums.get(holder) ?? 0n) + change);
    for (const { transfers, balanceChanges } of decoded.values()) {
      for (const { token, from, to, value } of transfers) {
        if (token !== bare(wrapped)) continue;
        add(from, -value);
        add(to, value);
      }
      for (const { holder, change } of balanceChanges) add(holder, change);
    }
    sums.delete("00".repeat(20));
    const ledger = expected.final.erc20.filter(({ contract, balance }) => contract === wrapped && balance !== "0");
    expect(new Map([...sums].filter(([, sum]) => sum !== 0n))).toEqual(
      new Map(ledger.map(({ holder, balance }) => [bare(holder), BigInt(balance)])),
    );
    expect(ledger.length).toBeGreaterThan(0);
  });
});
