/** The methods of an asset chain's endpoint, `/ext/bc/X` and `/ext/bc/<blockchain ID>`, and of `/ext/bc/X/wallet`. */
import type { Method } from "../method.ts";
import { getAllBalances, getBalance } from "./balances.ts";
import { getAssetDescription } from "./get-asset-description.ts";
import { getBlock, getBlockByHeight } from "./get-block.ts";
import { getHeight } from "./get-height.ts";
import { getTx, getTxStatus } from "./get-tx.ts";
import { getTxFee } from "./get-tx-fee.ts";
import { getUtxos } from "./get-utxos.ts";
import { issueTx, walletIssueTx } from "./issue-tx.ts";

export const avmMethods: readonly Method[] = [
  getBlock,
  getBlockByHeight,
  getHeight,
  issueTx,
  getTxStatus,
  getTx,
  getUtxos,
  getAssetDescription,
  getBalance,
  getAllBalances,
  getTxFee,
];

export const walletMethods: readonly Method[] = [walletIssueTx];
