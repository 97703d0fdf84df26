/** Decides which calls to the C-chain's EVM only read. All others count as changes, because an unknown method might be one. */

/** Namespaces that only read, except for the methods named below. */
const READING = /^(?:eth|net|web3|txpool|debug|trace|ots|erigon|warp)_/;
const CHANGING = /^(?:eth_(?:send|sign|resend|submit)|debug_(?:clear|set|free))/;

export function changesNetwork(calls: readonly { readonly method: string | undefined }[]): boolean {
  return calls.some(({ method }) => method !== undefined && (!READING.test(method) || CHANGING.test(method)));
}
