/** What goes into a transaction and what comes out of it, in one form for all chains. */
import type { components } from "../../api/data-api.d.ts";

type Schemas = components["schemas"];
export type AssetAmount = Schemas["AssetAmount"];
export type Transaction = Schemas["Transaction"];
export type PlatformTransaction = Schemas["PChainTransaction"];
type PlatformUtxo = Schemas["PChainUtxo"];
type AssetUtxo = Schemas["Utxo"];
type Credential = Schemas["UtxoCredential"];

/** A UTXO that a transaction consumes or creates, or an account of the C-chain that it takes from or adds to. */
export interface Flow {
  /** UTXO ID; for an account its place in the transaction */
  readonly id: string;
  readonly asset: AssetAmount;
  /** an account of the C-chain, which owns it instead of addresses */
  readonly account?: string | undefined;
  /** bech32 without a chain's letter */
  readonly owners: readonly string[];
  /** how many of the owners must sign */
  readonly threshold: number;
  /** Unix seconds before which it cannot be spent; 0: none */
  readonly locktime: bigint;
  /** Unix seconds before which it can only be staked */
  readonly stakeableLocktime?: bigint | undefined;
  /** `transfer`, `mint`, `nft transfer` … */
  readonly kind: string;
  /** blockchain IDs: where it was created, and where it can be consumed */
  readonly createdOn?: string | undefined;
  readonly consumedOn?: string | undefined;
  /** the transaction in the UTXO's ID */
  readonly createdBy?: string | undefined;
  readonly outputIndex?: string | undefined;
  readonly spentBy?: string | undefined;
  /** Unix seconds */
  readonly spentAt?: number | undefined;
  readonly reward?: string | undefined;
  /** it was locked by the transaction as a stake */
  readonly isStake: boolean;
  /** it is a stake whose staker is active or pending */
  readonly isStaked: boolean;
  readonly credentials: readonly Credential[];
  readonly nft?: { readonly groupId: number; readonly payload?: string | undefined } | undefined;
}

export interface Flows {
  readonly inputs: readonly Flow[];
  readonly outputs: readonly Flow[];
  /** paid later than, or apart from, the transaction's own outputs */
  readonly rewards: readonly Flow[];
}

/** @param stakes numbers of the outputs that are its stake */
export function flowsOf(tx: Transaction, stakes: ReadonlySet<number> = new Set()): Flows {
  const inputs = "consumedUtxos" in tx ? tx.consumedUtxos.map((utxo) => flowOf(utxo)) : [];
  const outputs = "emittedUtxos" in tx ? tx.emittedUtxos.map((utxo) => flowOf(utxo, tx.txHash, stakes)) : [];
  const isOwn = ({ reward }: Flow) => reward === undefined;
  return {
    inputs: [...inputs, ...("evmInputs" in tx ? tx.evmInputs.map((input, i) => accountFlow(input.fromAddress, input, i)) : [])],
    outputs: [
      ...outputs.filter(isOwn),
      ...("evmOutputs" in tx ? tx.evmOutputs.map((output, i) => accountFlow(output.toAddress, output, i)) : []),
    ],
    rewards: outputs.filter((flow) => !isOwn(flow)),
  };
}

function accountFlow(
  account: string,
  { asset, credentials }: { asset: AssetAmount; credentials?: readonly Credential[] },
  i: number,
): Flow {
  const none = { owners: [], threshold: 1, locktime: 0n, isStake: false, isStaked: false };
  return { ...none, id: `account ${i}`, account, asset, kind: "transfer", credentials: credentials ?? [] };
}

function flowOf(utxo: PlatformUtxo | AssetUtxo, txId?: string, stakes: ReadonlySet<number> = new Set()): Flow {
  const common = {
    id: utxo.utxoId,
    asset: utxo.asset,
    owners: utxo.addresses,
    threshold: utxo.threshold,
    createdOn: utxo.createdOnChainId,
    consumedOn: utxo.consumedOnChainId,
    outputIndex: `${utxo.outputIndex}`,
    spentBy: utxo.consumingTxHash,
  };
  return "creationTxHash" in utxo ? { ...common, ...assetMembers(utxo) } : { ...common, ...platformMembers(utxo, txId, stakes) };
}

function platformMembers(utxo: PlatformUtxo, txId: string | undefined, stakes: ReadonlySet<number>) {
  const { txHash, platformLocktime, stakeableLocktime, rewardType, staked, outputIndex } = utxo;
  return {
    kind: "transfer",
    createdBy: txHash,
    locktime: BigInt(platformLocktime ?? 0),
    stakeableLocktime: stakeableLocktime === undefined ? undefined : BigInt(stakeableLocktime),
    spentAt: utxo.consumingBlockTimestamp,
    reward: rewardType,
    isStake: txHash === txId && rewardType === undefined && stakes.has(outputIndex),
    isStaked: staked ?? false,
    credentials: [],
  };
}

function assetMembers({ creationTxHash, utxoType, locktime, consumingTxTimestamp, credentials, groupId, payload }: AssetUtxo) {
  return {
    kind: utxoType,
    createdBy: creationTxHash,
    locktime: BigInt(locktime),
    spentAt: consumingTxTimestamp,
    isStake: false,
    isStaked: false,
    credentials: credentials ?? [],
    nft: groupId === undefined ? undefined : { groupId, payload },
  };
}

/** The sums of assets that leave, without those that are 0. */
export interface Difference {
  /** consumed but not created again: fees, and what was burned */
  readonly burned: readonly AssetAmount[];
  /** created out of nothing */
  readonly minted: readonly AssetAmount[];
}

/** How the sums of what a transaction consumed and created differ, asset by asset. */
export function difference(consumed: readonly AssetAmount[], created: readonly AssetAmount[]): Difference {
  const sums = new Map<string, { asset: AssetAmount; sum: bigint }>();
  const add = (asset: AssetAmount, amount: bigint) => {
    const name = `${asset.assetId} ${asset.type}`;
    sums.set(name, { asset, sum: (sums.get(name)?.sum ?? 0n) + amount });
  };
  for (const asset of consumed) add(asset, BigInt(asset.amount));
  for (const asset of created) add(asset, -BigInt(asset.amount));
  const all = [...sums.values()];
  return {
    burned: all.filter(({ sum }) => sum > 0n).map(({ asset, sum }) => ({ ...asset, amount: `${sum}` })),
    minted: all.filter(({ sum }) => sum < 0n).map(({ asset, sum }) => ({ ...asset, amount: `${-sum}` })),
  };
}

/** What the transaction took from its sender for good: its fee, and on P what it burned besides. */
export function burnedOf(tx: Transaction): readonly AssetAmount[] {
  return "amountBurned" in tx ? tx.amountBurned : difference(tx.amountUnlocked, tx.amountCreated).burned;
}

/** Outputs of a P-chain transaction that are its stake: they come after its other outputs. */
export function stakesOf(unsigned: Readonly<Record<string, unknown>> | undefined): ReadonlySet<number> {
  const [outputs, stake] = [unsigned?.outputs, unsigned?.stake];
  if (!Array.isArray(outputs) || !Array.isArray(stake)) return new Set();
  return new Set(stake.map((_, i) => outputs.length + i));
}

/** The transactions on the other chain that belong to an atomic transfer. */
export interface OtherHalf {
  /** `export`: the inputs were exported by these; `import`: the outputs were imported by these */
  readonly is: "export" | "import";
  readonly chainId: string;
  /** each once */
  readonly txIds: readonly string[];
  /** exported outputs that nobody has imported yet */
  readonly waiting: number;
}

/** The other half of each transfer that the transaction takes part in. */
export function otherHalves({ inputs, outputs }: Flows, ownChainId: string): OtherHalf[] {
  const imported = inputs.filter(({ createdOn, account }) => account === undefined && createdOn !== ownChainId);
  const exported = outputs.filter(({ consumedOn, account }) => account === undefined && consumedOn !== ownChainId);
  return [
    ...byChain(imported, "export", ({ createdOn, createdBy }) => [createdOn, createdBy]),
    ...byChain(exported, "import", ({ consumedOn, spentBy }) => [consumedOn, spentBy]),
  ];
}

function byChain(
  flows: readonly Flow[],
  is: OtherHalf["is"],
  placeOf: (flow: Flow) => [string | undefined, string | undefined],
): OtherHalf[] {
  const chains = new Map<string, (string | undefined)[]>();
  for (const [chainId, txId] of flows.map(placeOf)) chains.set(chainId!, [...(chains.get(chainId!) ?? []), txId]);
  return [...chains].map(([chainId, txIds]) => ({
    is,
    chainId,
    txIds: [...new Set(txIds.filter((txId) => txId !== undefined))],
    waiting: txIds.filter((txId) => txId === undefined).length,
  }));
}

/** Whether the output goes back to somebody who paid: it has the asset and the owners of an input, and stays on the chain. */
export function isChange(output: Flow, inputs: readonly Flow[]): boolean {
  if (output.kind !== "transfer" || output.isStake || output.owners.length === 0) return false;
  const isBack = (input: Flow) => input.kind === "transfer" && input.consumedOn === output.consumedOn && whoseOf(input) === whoseOf(output);
  return inputs.some(isBack);
}

function whoseOf({ asset, owners, threshold }: Flow): string {
  return `${asset.assetId} ${threshold} ${[...owners].sort().join()}`;
}
