/** Converts the Data API's answers to the form of `expectation.ts`, without what the workload's driver does not specify. */
import { deploymentText, internalText, native, TRANSFER_KINDS, type TransferKind, transferText } from "./expectation.ts";

type Json = Readonly<Record<string, unknown>>;

function address(rich: unknown): string {
  return (rich as { address: string }).address.toLowerCase();
}

export function nativeAnswered(tx: Json): string {
  const { callType, methodHash } = tx.method as Record<string, string>;
  return native({
    hash: tx.txHash as string,
    height: Number(tx.blockNumber),
    index: tx.blockIndex as number,
    from: address(tx.from),
    to: address(tx.to),
    status: Number(tx.txStatus) as 0 | 1,
    value: tx.value as string,
    nonce: Number(tx.nonce),
    type: tx.txType as number,
    gasLimit: Number(tx.gasLimit),
    method: { callType: callType!, methodHash: methodHash! },
  });
}

/** @param hash of the transaction that it is shown in; by default its own member */
export function transferAnswered(transfer: Json, hash = transfer.txHash as string): string {
  const kind = TRANSFER_KINDS.find((name) => `${name}Token` in transfer);
  if (kind === undefined) throw new TypeError(`no kind of token in ${JSON.stringify(transfer)}`);
  const token = transfer[`${kind}Token`] as { tokenId?: string };
  return transferText({ hash }, kind, {
    contract: address(token),
    from: address(transfer.from),
    to: address(transfer.to),
    ...(token.tokenId !== undefined && { id: token.tokenId }),
    ...(transfer.value !== undefined && { value: transfer.value as string }),
  });
}

export function internalAnswered(internal: Json, hash = internal.txHash as string): string {
  return internalText(
    { hash },
    {
      type: internal.internalTxType as string,
      from: address(internal.from),
      to: address(internal.to),
      value: internal.value as string,
      reverted: internal.isReverted as boolean,
    },
  );
}

/** A transaction with its parts, as `transactions` of an address and one transaction show it. */
export function wholeAnswered(whole: Json): string[] {
  const tx = whole.nativeTransaction as Json;
  const hash = tx.txHash as string;
  const list = (name: string) => (whole[name] ?? []) as Json[];
  return [
    nativeAnswered(tx),
    ...TRANSFER_KINDS.flatMap((kind: TransferKind) => list(`${kind}Transfers`).map((transfer) => transferAnswered(transfer, hash))),
    ...list("internalTransactions").map((internal) => internalAnswered(internal, hash)),
  ];
}

export function deploymentAnswered(contract: Json): string {
  const { txHash, deployerAddress, deployerContractAddress } = contract.deploymentDetails as Record<string, string>;
  return deploymentText(address(contract), txHash!, deployerAddress!.toLowerCase(), deployerContractAddress?.toLowerCase());
}
