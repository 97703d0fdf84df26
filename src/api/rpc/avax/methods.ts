/** The methods of `/ext/bc/C/avax`. */
import type { Method } from "../method.ts";
import { getAtomicTx, getAtomicTxStatus } from "./get-atomic-tx.ts";
import { getUtxos } from "./get-utxos.ts";
import { issueTx } from "./issue-tx.ts";

export const avaxMethods: readonly Method[] = [getUtxos, issueTx, getAtomicTx, getAtomicTxStatus];
