import type { Method } from "../method.ts";
import { getAllValidatorsAt } from "./get-all-validators-at.ts";
import { getBalance } from "./get-balance.ts";
import { getBlock } from "./get-block.ts";
import { getBlockByHeight } from "./get-block-by-height.ts";
import { getBlockchainStatus } from "./get-blockchain-status.ts";
import { getBlockchains } from "./get-blockchains.ts";
import { getCurrentSupply } from "./get-current-supply.ts";
import { getCurrentValidators } from "./get-current-validators.ts";
import { getFeeConfig } from "./get-fee-config.ts";
import { getFeeState } from "./get-fee-state.ts";
import { getHeight } from "./get-height.ts";
import { getL1Validator } from "./get-l1-validator.ts";
import { getMinStake } from "./get-min-stake.ts";
import { getProposedHeight } from "./get-proposed-height.ts";
import { getRewardUtxos } from "./get-reward-utxos.ts";
import { getStake } from "./get-stake.ts";
import { getStakingAssetId } from "./get-staking-asset-id.ts";
import { getSubnet } from "./get-subnet.ts";
import { getSubnets } from "./get-subnets.ts";
import { getTimestamp } from "./get-timestamp.ts";
import { getTotalStake } from "./get-total-stake.ts";
import { getTx } from "./get-tx.ts";
import { getTxStatus } from "./get-tx-status.ts";
import { getUtxos } from "./get-utxos.ts";
import { getValidatorFeeConfig } from "./get-validator-fee-config.ts";
import { getValidatorFeeState } from "./get-validator-fee-state.ts";
import { getValidatorsAt } from "./get-validators-at.ts";
import { issueTx } from "./issue-tx.ts";
import { sampleValidators } from "./sample-validators.ts";
import { validatedBy } from "./validated-by.ts";
import { validates } from "./validates.ts";

export const platformMethods: readonly Method[] = [
  getAllValidatorsAt,
  getBalance,
  getBlock,
  getBlockByHeight,
  getBlockchainStatus,
  getBlockchains,
  getCurrentSupply,
  getCurrentValidators,
  getFeeConfig,
  getFeeState,
  getHeight,
  getL1Validator,
  getMinStake,
  getProposedHeight,
  getRewardUtxos,
  getStake,
  getStakingAssetId,
  getSubnet,
  getSubnets,
  getTimestamp,
  getTotalStake,
  getTx,
  getTxStatus,
  getUtxos,
  getValidatorFeeConfig,
  getValidatorFeeState,
  getValidatorsAt,
  issueTx,
  sampleValidators,
  validatedBy,
  validates,
];
