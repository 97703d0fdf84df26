/** Compares lists of transactions of generated chains with simple loops over the history, page by page. */
import fc from "fast-check";
import { expect, test } from "vitest";
import { listContractDeployments } from "../../../../src/api/data/evm/contracts/list-deployments.ts";
import { formatAddress } from "../../../../src/api/data/evm/present-token.ts";
import { listAddressTransactions, listAddressTransactionsV2 } from "../../../../src/api/data/evm/transactions/list-address-transactions.ts";
import { listInternalTransactions } from "../../../../src/api/data/evm/transactions/list-internal-transactions.ts";
import { listLatestEvmTransactions } from "../../../../src/api/data/evm/transactions/list-latest-evm-transactions.ts";
import { listNativeTransactions } from "../../../../src/api/data/evm/transactions/list-native-transactions.ts";
import {
  listErc20Transactions,
  listErc721Transactions,
  listErc1155Transactions,
} from "../../../../src/api/data/evm/transactions/list-token-transactions.ts";
import { listTransactionsOfBlock } from "../../../../src/api/data/evm/transactions/list-transactions-of-block.ts";
import { decodeBlock } from "../../../../src/evm/decode/decode-block.ts";
import { ERC20, ERC721, ERC1155, type Internal, type TransactionFacts, type Transfer } from "../../../../src/evm/facts.ts";
import type { Address, EvmBlock } from "../../../../src/sources/evm/parser/block.ts";
import { classOf, type IntendedBlock, type Intent, intendedChain, makeChain, PEOPLE, TOKENS, ZERO } from "../../../evm/decode/intents.ts";
import { CHAIN } from "../../../evm/index/indexed-rows.ts";
import { walk } from "../staking/request.ts";
import { askedOf, evmChain, silentLabels } from "./evm-chain.ts";
import { withIndexedChains } from "./indexed-store.ts";

type Happened = TransactionFacts & { readonly block: EvmBlock };
// biome-ignore lint/suspicious/noExplicitAny: tests look into answers of many forms
type Json = Record<string, any>;

function happened(blocks: readonly EvmBlock[]): Happened[] {
  return blocks.flatMap((block) => decodeBlock(block, classOf).transactions.map((facts) => ({ block, ...facts })));
}

const isPartyOf =
  (address: Address) =>
  ({ from, to }: { readonly from: Address; readonly to: Address }) =>
    from === address || to === address;

function isNative({ transaction: { from, to, created } }: Happened, address: Address): boolean {
  return isPartyOf(address)({ from, to: to ?? created! });
}

function transferText({ token, from, to, tokenId, value, logIndex, kind }: Transfer): string {
  const amounts = { [ERC20]: `${value}`, [ERC721]: `#${tokenId}`, [ERC1155]: `#${tokenId} ${value}` };
  return [token, from, to, logIndex, amounts[kind]].join(" ");
}

function internalText({ type, from, to, value, isReverted, gasUsed, gasLimit }: Internal): string {
  return [type, from, to, value, isReverted, gasUsed, gasLimit].join(" ");
}

function ownText({ transaction, transfers, internals }: Happened, address: Address) {
  const own = (kind: number) => transfers.filter((transfer) => transfer.kind === kind && isPartyOf(address)(transfer)).map(transferText);
  return {
    hash: transaction.hash,
    erc20: own(ERC20),
    erc721: own(ERC721),
    erc1155: own(ERC1155),
    internals: internals.filter(isPartyOf(address)).map(internalText),
  };
}

const bare = (text: string) => text.slice(2).toLowerCase();

function shownTransfer({ from, to, logIndex, value, erc20Token, erc721Token, erc1155Token }: Json): string {
  const token = erc20Token ?? erc721Token ?? erc1155Token;
  const amounts = [token.tokenId === undefined ? [] : [`#${token.tokenId}`], value ?? []].flat();
  return [bare(token.address), bare(from.address), bare(to.address), logIndex, ...amounts].join(" ");
}

function shownInternal({ internalTxType, from, to, value, isReverted, gasUsed, gasLimit }: Json): string {
  return [internalTxType, bare(from.address), bare(to.address), value, isReverted, gasUsed, gasLimit].join(" ");
}

function shownDetails(details: Json) {
  for (const list of ["erc20Transfers", "erc721Transfers", "erc1155Transfers", "internalTransactions"])
    expect(details[list]).not.toEqual([]);
  return {
    hash: bare(details.nativeTransaction.txHash),
    erc20: (details.erc20Transfers ?? []).map(shownTransfer),
    erc721: (details.erc721Transfers ?? []).map(shownTransfer),
    erc1155: (details.erc1155Transfers ?? []).map(shownTransfer),
    internals: (details.internalTransactions ?? []).map(shownInternal),
  };
}

const pages = fc.record({
  pageSize: fc.integer({ min: 1, max: 5 }),
  startBlock: fc.option(fc.integer({ min: 0, max: 9 }), { nil: undefined }),
  endBlock: fc.option(fc.integer({ min: 0, max: 9 }), { nil: undefined }),
});

interface Pages {
  readonly pageSize: number;
  readonly startBlock: number | undefined;
  readonly endBlock: number | undefined;
}

function queryOf(pages: Pages): Record<string, string> {
  return Object.fromEntries(Object.entries(pages).flatMap(([name, value]) => (value === undefined ? [] : [[name, `${value}`]])));
}

function isWithin({ block: { height } }: { readonly block: EvmBlock }, { startBlock = 0, endBlock = 100 }: Pages): boolean {
  return height >= startBlock && height < endBlock;
}

/** Runs `check` with all that happened, oldest first. */
async function onChain(intended: readonly IntendedBlock[], check: (all: readonly Happened[], ask: Ask) => Promise<void>): Promise<void> {
  const blocks = makeChain(intended);
  await withIndexedChains(new Map([[CHAIN, blocks]]), (store) =>
    check(happened(blocks), (route, query, params, items = "transactions") =>
      walk(route, store, askedOf(evmChain({ labels: maliciousLabels })), query, items, params),
    ),
  );
}

type Ask = (
  route: Parameters<typeof walk>[0],
  query: Record<string, string>,
  params?: Record<string, string>,
  items?: string,
) => Promise<Json[]>;

const MALICIOUS: Address = TOKENS.plain;
const maliciousLabels = {
  ...silentLabels,
  token: (token: Address) => (token === MALICIOUS ? { reputation: "Malicious" as const } : undefined),
};

const EVERYBODY = [...PEOPLE, ZERO];

test("An address has every transaction that it had a part in once, with its own parts only, in both orders", async () => {
  await fc.assert(
    fc.asyncProperty(intendedChain, pages, fc.boolean(), (intended, page, isAscending) =>
      onChain(intended, async (all, ask) => {
        for (const address of EVERYBODY) {
          const expected = all
            .filter((one) => isWithin(one, page))
            .map((one) => ({ one, own: ownText(one, address) }))
            .filter(
              ({ one, own }) => isNative(one, address) || Object.values(own).some((parts) => Array.isArray(parts) && parts.length > 0),
            )
            .map(({ own }) => own);
          if (!isAscending) expected.reverse();
          const query = { ...queryOf(page), sortOrder: isAscending ? "asc" : "desc" };
          for (const route of [listAddressTransactions, listAddressTransactionsV2]) {
            const found = await ask(route, query, { address: formatAddress(address) });
            expect(found.map(shownDetails)).toEqual(expected);
          }
        }
      }),
    ),
    { numRuns: 15 },
  );
});

test("Without spam an address has what is left of its transactions, on full pages", async () => {
  await fc.assert(
    fc.asyncProperty(intendedChain, pages, (intended, page) =>
      onChain(intended, async (all, ask) => {
        for (const address of PEOPLE) {
          const expected = all
            .filter((one) => isWithin(one, page))
            .map((one) => ({ one, own: ownText(one, address) }))
            .map(({ one, own }) => ({ one, own: { ...own, erc20: own.erc20.filter((transfer) => !transfer.startsWith(MALICIOUS)) } }))
            .filter(
              ({ one, own }) => isNative(one, address) || Object.values(own).some((parts) => Array.isArray(parts) && parts.length > 0),
            )
            .map(({ own }) => own)
            .reverse();
          const query = { ...queryOf(page), pageSize: "5", filterSpamTokens: "true" };
          const found = await ask(listAddressTransactionsV2, query, { address: formatAddress(address) });
          expect(found.map(shownDetails)).toEqual(expected);
        }
      }),
    ),
    { numRuns: 15 },
  );
});

test("The filtered lists of an address have one item for each transaction, transfer or internal transaction of theirs", async () => {
  await fc.assert(
    fc.asyncProperty(intendedChain, pages, (intended, page) =>
      onChain(intended, async (all, ask) => {
        const within = all.filter((one) => isWithin(one, page));
        for (const address of EVERYBODY) {
          const params = { address: formatAddress(address) };
          const native = await ask(listNativeTransactions, queryOf(page), params);
          expect(native.map(({ txHash }) => bare(txHash))).toEqual(
            within
              .filter((one) => isNative(one, address))
              .map(({ transaction }) => transaction.hash)
              .reverse(),
          );
          for (const [kind, route] of [
            [ERC20, listErc20Transactions],
            [ERC721, listErc721Transactions],
            [ERC1155, listErc1155Transactions],
          ] as const) {
            const expected = within.flatMap(({ transaction: { hash }, transfers }) =>
              transfers
                .filter((transfer) => transfer.kind === kind && isPartyOf(address)(transfer))
                .map((transfer) => `${hash} ${transferText(transfer)}`),
            );
            const found = await ask(route, queryOf(page), params);
            expect(found.map((item) => `${bare(item.txHash)} ${shownTransfer(item)}`)).toEqual(expected.reverse());
          }
          const internals = within.flatMap(({ transaction: { hash }, internals }) =>
            internals.filter(isPartyOf(address)).map((internal) => `${hash} ${internalText(internal)}`),
          );
          const found = await ask(listInternalTransactions, queryOf(page), params);
          expect(found.map((item) => `${bare(item.txHash)} ${shownInternal(item)}`)).toEqual(internals.reverse());
        }
      }),
    ),
    { numRuns: 15 },
  );
});

test("A chain has its transactions newest first, by status too, a block in its own order", async () => {
  await fc.assert(
    fc.asyncProperty(intendedChain, fc.integer({ min: 1, max: 5 }), (intended, pageSize) =>
      onChain(intended, async (all, ask) => {
        const hashes = (wanted: readonly Happened[]) => wanted.map(({ transaction: { hash } }) => hash);
        const size = { pageSize: `${pageSize}` };
        const shown = (items: readonly Json[]) => items.map(({ txHash }) => bare(txHash));
        expect(shown(await ask(listLatestEvmTransactions, size))).toEqual(hashes(all).reverse());
        for (const status of ["failed", "success"]) {
          const ended = all.filter(({ transaction: { isSuccess } }) => isSuccess === (status === "success"));
          expect(shown(await ask(listLatestEvmTransactions, { ...size, status }))).toEqual(hashes(ended).reverse());
        }
        for (const [height, block] of makeChain(intended).entries()) {
          const own = hashes(all.filter((one) => one.block.height === BigInt(height)));
          for (const blockId of [`${height}`, `0x${block.hash.toUpperCase()}`]) {
            expect(shown(await ask(listTransactionsOfBlock, size, { blockId }))).toEqual(own);
          }
        }
      }),
    ),
    { numRuns: 15 },
  );
});

test("A contract that is made again is listed for each time, with who sent the transaction then", async () => {
  const [first, second, factory, contract] = PEOPLE as [string, string, string, string];
  const create: Intent = { kind: "frame", type: "CREATE2", from: factory, to: contract, value: 0n, isReverted: false };
  const make = (from: Address) => ({ from, to: factory, isSuccess: true, inputLength: 4, intents: [create] });
  await onChain([[make(first)], [make(second)]], async (all, ask) => {
    const shown = async (address: Address) => {
      const contracts = await ask(listContractDeployments, { pageSize: "1" }, { address: formatAddress(address) }, "contracts");
      return contracts.map(({ deploymentDetails: { txHash, deployerAddress, deployerContractAddress } }) =>
        [txHash, deployerAddress, deployerContractAddress].map(bare),
      );
    };
    const [old, again] = all.map(({ transaction: { hash, from } }) => [hash, from, factory]);
    expect(await shown(factory)).toEqual([again, old]);
    expect([await shown(first), await shown(second)]).toEqual([[old], [again]]);
  });
});
