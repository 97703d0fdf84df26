/** What a transaction of P or X, or an import or export of C, moved: paid, staked, exported and so on, never the change that its sender got back. */
import { type AssetAmount, difference, type Flow, type Flows, isChange, type Transaction } from "./flows.ts";

export type Verb = "paid" | "staked" | "exported" | "imported" | "minted" | "paid in" | "rewarded" | "returned";

/** Who owns an output: addresses without a chain's letter, or one account of the C-chain. */
export interface Recipient {
  readonly owners: readonly string[];
  readonly isAccount: boolean;
}

export interface Move {
  readonly verb: Verb;
  /** one for each asset, none of them 0 */
  readonly amounts: readonly AssetAmount[];
  /** each once; empty where nobody in particular gets it */
  readonly recipients: readonly Recipient[];
}

/** @param ownChainId of the chain that the transaction is of */
export function movesOf(tx: Transaction, flows: Flows, ownChainId: string): Move[] {
  const platform = "amountBurned" in tx ? tx : undefined;
  const isReward = platform?.stakingTxHash !== undefined;
  const minted = "amountUnlocked" in tx ? difference(tx.amountUnlocked, tx.amountCreated).minted : [];
  return [
    move("staked", platform?.amountStaked ?? []),
    move("paid in", platform?.amountL1ValidatorBalanceBurned ?? []),
    moveOf("exported", exportedOf(flows, ownChainId)),
    importOf(flows, ownChainId),
    ...(isReward
      ? [moveOf("rewarded", flows.rewards), moveOf("returned", flows.outputs)]
      : [moveOf("paid", paidOf(tx, flows, minted, ownChainId))]),
    move("returned", balanceOf(tx)),
    move("minted", minted),
  ].filter(({ amounts }) => amounts.length > 0);
}

function exportedOf({ outputs }: Flows, ownChainId: string): readonly Flow[] {
  return outputs.filter(({ account, consumedOn }) => account === undefined && consumedOn !== ownChainId);
}

/** What came from the other chain, and who has it now. */
function importOf({ inputs, outputs }: Flows, ownChainId: string): Move {
  const imported = inputs.filter(({ account, createdOn }) => account === undefined && createdOn !== ownChainId);
  return { ...moveOf("imported", imported), recipients: recipientsOf(outputs) };
}

/** Outputs for others. Who stakes or imports gets the outputs itself; minted ones count as minted. */
function paidOf({ txType }: Transaction, { inputs, outputs }: Flows, minted: readonly AssetAmount[], ownChainId: string): readonly Flow[] {
  if (!/^(?:Base|Export|Operation)Tx$/.test(txType)) return [];
  const isPayment = ({ kind, account, consumedOn, asset: { assetId, type } }: Flow) =>
    /^(?:nft )?transfer$/.test(kind) &&
    account === undefined &&
    consumedOn === ownChainId &&
    !minted.some((asset) => asset.assetId === assetId && asset.type === type);
  return outputs.filter((output) => isPayment(output) && !isChange(output, inputs));
}

/** What an L1 validator had left when it was disabled. */
function balanceOf(tx: Transaction): readonly AssetAmount[] {
  if (tx.txType !== "DisableL1ValidatorTx" || !("value" in tx)) return [];
  const change = tx.l1ValidatorDetails?.[0]?.balanceChange ?? 0;
  const [asset] = tx.value;
  return asset === undefined || BigInt(change) >= 0n ? [] : [{ ...asset, amount: `${-BigInt(change)}` }];
}

function moveOf(verb: Verb, flows: readonly Flow[]): Move {
  return { ...move(verb, sumsOf(flows)), recipients: recipientsOf(flows) };
}

function move(verb: Verb, amounts: readonly AssetAmount[]): Move {
  return { verb, amounts: amounts.filter(({ amount }) => amount !== "0"), recipients: [] };
}

function sumsOf(flows: readonly Flow[]): readonly AssetAmount[] {
  return difference(
    flows.map(({ asset }) => asset),
    [],
  ).burned;
}

function recipientsOf(flows: readonly Flow[]): readonly Recipient[] {
  const recipients = new Map<string, Recipient>();
  for (const { account, owners } of flows) {
    const recipient = account === undefined ? { owners, isAccount: false } : { owners: [account], isAccount: true };
    recipients.set([...recipient.owners].sort().join(), recipient);
  }
  return [...recipients.values()];
}
