/**
 * The expected lists of the Data API for a recording, item by item, as short texts with everything that the workload's driver intended.
 * Newest first unless stated otherwise. Policies where the driver leaves a choice:
 *
 * - `fake` transfers (a well-formed log of a contract that is not such a token) are listed as in the log, but do not change balances;
 * - `shape` transfers are listed by the contract's kind: an ERC-20 whose Transfer event has all arguments indexed, or none, stays an
 *   ERC-20;
 * - SELFDESTRUCT is not an internal transaction; a call marked `notExecuted` is one only if the node has a frame of it (anvil);
 * - the address of a CREATE2 that was not executed depends on its salt, which recorded nodes do not return: the zero address is used
 *   instead;
 * - a CREATE that was not executed has the address it would have had, which the driver does not specify (`null`);
 * - the zero address holds nothing.
 */
import type { EvmRecording, ExpectedInternal, ExpectedTransfer, PlacedTransaction } from "./recording.ts";

export const ZERO_ADDRESS = `0x${"0".repeat(40)}`;

export const TRANSFER_KINDS = ["erc20", "erc721", "erc1155"] as const;
export type TransferKind = (typeof TRANSFER_KINDS)[number];

const NOBODY = "null";

type Party = { readonly from: string; readonly to: string | null };

export class Expectation {
  readonly recording: EvmRecording;
  /** newest first */
  readonly transactions: readonly PlacedTransaction[];
  /** everybody who is named anywhere, and a stranger */
  readonly addresses: readonly string[];
  readonly #named: ReadonlySet<string>;

  readonly #share: number;

  /** @param share one in so many addresses, transactions and blocks is asked about */
  constructor(recording: EvmRecording, { share = 1 } = {}) {
    this.recording = recording;
    this.#share = share;
    this.transactions = recording.transactions.toReversed();
    const named = new Set([ZERO_ADDRESS, `0x${"5".repeat(40)}`, ...recording.states.flatMap(({ accounts }) => Object.keys(accounts))]);
    for (const tx of recording.transactions) {
      for (const { from, to } of [{ from: tx.from, to: receiver(tx) }, ...this.#parts(tx)]) named.add(from).add(to ?? NOBODY);
      for (const { contract } of transfersOf(tx)) named.add(contract);
      for (const { address } of tx.deployments) named.add(address);
    }
    named.delete(NOBODY);
    this.addresses = [...named].sort();
    this.#named = named;
  }

  isContract(address: string): boolean {
    return this.transactions.some((tx) => tx.deployments.some((deployment) => deployment.address === address));
  }

  /** Those to ask about. */
  some<T>(list: readonly T[]): T[] {
    return list.filter((_, i) => i % this.#share === 0);
  }

  /** Answers name receivers that the driver says nothing about. */
  withoutStrangers(text: string): string {
    return text.replace(/→(0x[0-9a-f]{40})/, (arrow, address) => (this.#named.has(address) ? arrow : `→${NOBODY}`));
  }

  /** `transactions` of an address: each followed by those of its parts that name the address. */
  addressTransactions(address: string): string[] {
    return this.transactions.flatMap((tx) => {
      const parts = this.parts(tx, address);
      return isParty({ from: tx.from, to: receiver(tx) }, address) || parts.length > 0 ? [native(tx), ...parts] : [];
    });
  }

  natives(isWanted: (tx: PlacedTransaction) => boolean): string[] {
    return this.transactions.filter(isWanted).map(native);
  }

  /** Transfers of a kind that name an address. */
  transfers(kind: TransferKind, address: string): string[] {
    return this.transactions.flatMap((tx) =>
      tx[kind]
        .filter((transfer) => isParty(transfer, address))
        .map((transfer) => transferText(tx, kind, transfer))
        .reverse(),
    );
  }

  /** Of one token: a contract emits one kind, except for those that imitate. */
  tokenTransfers(token: string): string[] {
    return this.transactions.flatMap((tx) =>
      TRANSFER_KINDS.flatMap((kind) =>
        tx[kind].filter(({ contract }) => contract === token).map((transfer) => transferText(tx, kind, transfer)),
      ).reverse(),
    );
  }

  internals(address: string): string[] {
    return this.transactions.flatMap((tx) =>
      this.#internals(tx)
        .filter((internal) => isParty(internal, address))
        .map((internal) => internalText(tx, internal))
        .reverse(),
    );
  }

  /** Everything inside a transaction in the order of the chain; only what names the address, if one is given. */
  parts(tx: PlacedTransaction, address?: string): string[] {
    const isWanted = (party: Party) => address === undefined || isParty(party, address);
    return [
      ...TRANSFER_KINDS.flatMap((kind) => tx[kind].filter(isWanted).map((transfer) => transferText(tx, kind, transfer))),
      ...this.#internals(tx)
        .filter(isWanted)
        .map((internal) => internalText(tx, internal)),
    ];
  }

  /** Contracts that an address made, as sender of the transaction or as factory. */
  deployments(deployer: string): string[] {
    return this.transactions.flatMap((tx) =>
      tx.deployments
        .filter(({ creator }) => tx.from === deployer || creator === deployer)
        .map(({ address, creator, type }) => deploymentText(address, tx.hash, tx.from, type === "TX" ? undefined : creator))
        .reverse(),
    );
  }

  #internals(tx: PlacedTransaction): readonly ExpectedInternal[] {
    const listed = tx.internal.filter(({ type, notExecuted }) => type !== "SELFDESTRUCT" && (!notExecuted || this.recording.isAnvil));
    return listed.map((internal) => (internal.type === "CREATE2" && internal.notExecuted ? { ...internal, to: ZERO_ADDRESS } : internal));
  }

  #parts(tx: PlacedTransaction): Party[] {
    return [...transfersOf(tx), ...this.#internals(tx)];
  }
}

/** `to` as the API shows it: a creation's is the contract, also of one that fails. */
export function receiver({ to, created }: Pick<PlacedTransaction, "to" | "created">): string {
  return to ?? created!;
}

function transfersOf(tx: PlacedTransaction): ExpectedTransfer[] {
  return TRANSFER_KINDS.flatMap((kind) => tx[kind]);
}

function isParty({ from, to }: Party, address: string): boolean {
  return from === address || to === address;
}

export type NativeParts = Pick<
  PlacedTransaction,
  "hash" | "height" | "index" | "from" | "to" | "created" | "status" | "value" | "nonce" | "type" | "gasLimit" | "method"
>;

export function native(tx: NativeParts): string {
  const { hash, height, index, from, status, value, nonce, type, gasLimit, method } = tx;
  const call = `${method.callType} ${method.methodHash}`;
  return `tx ${hash} ${height}/${index} ${from}→${receiver(tx)} status ${status} value ${value} nonce ${nonce} type ${type} gas ${gasLimit} ${call}`;
}

export function transferText(
  { hash }: { hash: string },
  kind: TransferKind,
  { contract, from, to, id = "-", value = "-" }: ExpectedTransfer,
): string {
  return `${kind} ${hash} ${contract} ${from}→${to} id ${id} value ${value}`;
}

export function internalText({ hash }: { hash: string }, { type, from, to, value, reverted }: ExpectedInternal): string {
  return `internal ${hash} ${type} ${from}→${to} value ${value} reverted ${reverted}`;
}

export function deploymentText(contract: string, hash: string, deployer: string, factory: string | undefined): string {
  return `deployment ${contract} ${hash} by ${deployer} in ${factory ?? "-"}`;
}
