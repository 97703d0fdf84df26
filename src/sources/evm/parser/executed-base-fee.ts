/**
 * The base fee with which a block was executed. Since Helicon the C-chain's header has only a bound of it, because a block is accepted before
 * it is executed. The prices that transactions paid mostly tell it: `min(most that it would pay, base fee + tip)`.
 */
import type { Header } from "./header.ts";
import type { TransactionWithoutFrames } from "./transaction.ts";

type Fees = Pick<Header, "baseFee" | "extraFields">;

/**
 * The header's own base fee moves to the extra fields where the block's is known.
 * @param transactions of the block
 * @param isExecutedFirst the header is Ethereum's, of a development network, whose blocks are executed before they are accepted
 */
export function executedFees(
  { baseFee, extraFields }: Fees,
  transactions: readonly TransactionWithoutFrames[],
  { isExecutedFirst = false }: { readonly isExecutedFirst?: boolean } = {},
): Fees {
  const isBound = baseFee !== undefined && extraFields.settledHeight !== undefined;
  const executed = !isBound ? undefined : isExecutedFirst ? baseFee : executedBaseFee(baseFee, transactions);
  if (executed === undefined) return { baseFee, extraFields };
  return { baseFee: executed, extraFields: { ...extraFields, baseFeePerGas: `0x${baseFee!.toString(16)}` } };
}

/** undefined: the prices leave more than one possible, or none */
function executedBaseFee(bound: bigint, transactions: readonly TransactionWithoutFrames[]): bigint | undefined {
  let [least, most] = [0n, bound];
  for (const { gasPrice, maxFeePerGas, maxPriorityFeePerGas } of transactions) {
    // without a dynamic fee, all that is offered beyond the base fee is a tip
    const { highest, tip } =
      maxFeePerGas === undefined || maxPriorityFeePerGas === undefined
        ? { highest: gasPrice, tip: gasPrice }
        : { highest: maxFeePerGas, tip: maxPriorityFeePerGas };
    const withWholeTip = gasPrice - tip;
    if (withWholeTip > least) least = withWholeTip;
    const own = gasPrice < highest ? withWholeTip : gasPrice;
    if (own < most) most = own;
  }
  return transactions.length > 0 && least === most ? least : undefined;
}
