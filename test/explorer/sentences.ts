/** What the sentence of a transaction of P, X or C must say, made as text from the API's answer by other code than the explorer's. */
import { formatUnits } from "viem";
import type { Alias, Transaction } from "./primary-api.ts";

type Platform = Extract<Transaction, { amountBurned: unknown }>;
type Amount = Platform["value"][number];
type Utxo = {
  readonly addresses: readonly string[];
  readonly asset: Amount;
  readonly createdOnChainId: string;
  readonly consumedOnChainId: string;
  readonly utxoType: string;
  readonly rewardType?: string;
  readonly threshold: number;
};

export interface Network {
  /** letters of P, X and C by blockchain ID */
  readonly aliases: ReadonlyMap<string, string>;
  readonly avaxId: string;
}

const GENESIS = "11111111111111111111111111111111LpoYY";

export const short = (text: string) => (text.length <= 21 ? text : `${text.slice(0, 10)}…${text.slice(-8)}`);
const day = (seconds: string | number) =>
  new Date(Number(seconds) * 1000).toLocaleDateString("en-GB", { day: "numeric", month: "short", year: "numeric", timeZone: "UTC" });

/** `1,234.5`: the whole digits, which a copy has. */
export function digits(amount: string | bigint, decimals: number): string {
  const [whole, fraction] = formatUnits(BigInt(amount), decimals).split(".");
  return `${BigInt(whole!).toLocaleString("en")}${fraction === undefined ? "" : `.${fraction}`}`;
}

function amounts(of: readonly Amount[], { avaxId }: Network): string {
  const sums = new Map<string, Amount>();
  for (const each of of) {
    const key = `${each.assetId} ${each.type}`;
    sums.set(key, { ...each, amount: `${BigInt(sums.get(key)?.amount ?? 0) + BigInt(each.amount)}` });
  }
  const texts = [...sums.values()]
    .filter(({ amount }) => amount !== "0")
    .map(({ assetId, amount, denomination, symbol, type }) =>
      assetId === avaxId
        ? `${digits(amount, denomination)} ${symbol}`
        : `${digits(amount, type === "nft" ? 0 : denomination)} ${type === "nft" ? "NFT " : ""}${symbol || "of asset"} ${assetId.slice(0, 6)}…`,
    );
  if (texts.length > 2) return `${texts[0]}, ${texts[1]} and ${texts.length - 2} more assets`;
  return texts.join(" and ") || "nothing";
}

function owners(sets: readonly (readonly string[])[], chain: Alias): string {
  const distinct = [...new Map(sets.map((set) => [[...set].sort().join(), set])).values()];
  if (distinct.length > 1) return `${distinct.length} addresses`;
  const [set] = distinct;
  if (set === undefined || set.length === 0) return "nobody";
  if (set.length > 1) return `${set.length} owners together`;
  return short(set[0]!.startsWith("0x") ? set[0]! : `${chain}-${set[0]}`);
}

const consumed = (tx: Transaction) => ("consumedUtxos" in tx ? (tx.consumedUtxos as readonly Utxo[]) : []);
const emitted = (tx: Transaction) =>
  "emittedUtxos" in tx ? (tx.emittedUtxos as readonly Utxo[]).filter((utxo) => utxo.rewardType === undefined) : [];
const assetsOf = (utxos: readonly Utxo[]) => utxos.map(({ asset }) => asset);

function who(tx: Transaction, chain: Alias): string {
  const accounts = "evmInputs" in tx ? tx.evmInputs.map(({ fromAddress }) => [fromAddress]) : [];
  return owners([...consumed(tx).map(({ addresses }) => addresses), ...accounts], chain);
}

const isBack = (tx: Transaction) => (output: Utxo) =>
  /^transfer$/i.test(output.utxoType) &&
  consumed(tx).some(
    (input) =>
      /^transfer$|^stake$/i.test(input.utxoType) &&
      input.consumedOnChainId === output.consumedOnChainId &&
      input.asset.assetId === output.asset.assetId &&
      input.threshold === output.threshold &&
      [...input.addresses].sort().join() === [...output.addresses].sort().join(),
  );

/** Without the full stop. Undefined where the explorer describes the type instead. */
export function sentenceOf(chain: Alias, tx: Transaction, network: Network): string | undefined {
  const platform = "amountBurned" in tx ? platformSentence(tx, network) : undefined;
  if (platform !== undefined) return platform;
  const own = [...network.aliases].find(([, alias]) => alias === chain)![0];
  const from = who(tx, chain);
  const [source, destination] = "sourceChain" in tx ? [tx.sourceChain, tx.destinationChain].map((id) => network.aliases.get(id ?? "")) : [];
  if (tx.txType === "ImportTx") {
    const imported = consumed(tx).filter(({ createdOnChainId }) => createdOnChainId !== own);
    return `${from} moved ${amounts(assetsOf(imported), network)} from ${source} to ${destination}`;
  }
  if (tx.txType === "ExportTx") {
    const exported = emitted(tx).filter(({ consumedOnChainId }) => consumedOnChainId !== own);
    return `${from} moved ${amounts(assetsOf(exported), network)} from ${source} to ${destination}`;
  }
  if (tx.txType === "BaseTx") {
    const paid = emitted(tx).filter((output) => !isBack(tx)(output));
    if (paid.length === 0) return `${from} sent outputs to itself`;
    return `${from} sent ${amounts(assetsOf(paid), network)} to ${owners(
      paid.map(({ addresses }) => addresses),
      chain,
    )}`;
  }
  if (tx.txType === "CreateAssetTx" && "assetCreated" in tx) {
    const minted = mintedIn(tx);
    const of = minted.length === 0 ? "" : `, of which ${amounts(minted, network)} were minted`;
    return `${from} created the asset ${tx.assetCreated!.name}${of}`;
  }
  return tx.txType === "OperationTx" ? operationSentence(tx, from, network) : undefined;
}

/** What there is more of afterwards. */
function mintedIn(tx: Transaction): readonly Amount[] {
  if (!("amountCreated" in tx)) return [];
  return tx.amountCreated.flatMap((created) => {
    const before = tx.amountUnlocked.find(({ assetId, type }) => assetId === created.assetId && type === created.type);
    const more = BigInt(created.amount) - BigInt(before?.amount ?? 0);
    return more > 0n ? [{ ...created, amount: `${more}` }] : [];
  });
}

function operationSentence(tx: Transaction, from: string, network: Network): string {
  const minted = mintedIn(tx);
  const paid = emitted(tx).filter(
    (output) =>
      /^(?:nft )?transfer$/.test(output.utxoType) &&
      !minted.some(({ assetId, type }) => assetId === output.asset.assetId && type === output.asset.type) &&
      !isBack(tx)(output),
  );
  const did = [
    ...(minted.length > 0 ? [`minted ${amounts(minted, network)}`] : []),
    ...(paid.length > 0
      ? [
          `sent ${amounts(assetsOf(paid), network)} to ${owners(
            paid.map(({ addresses }) => addresses),
            "X",
          )}`,
        ]
      : []),
  ];
  return `${from} ${did.length === 0 ? "used rights of an asset" : did.join(" and ")}`;
}

function platformSentence(tx: Platform, network: Network): string | undefined {
  const from = who(tx, "P");
  const [validator] = tx.l1ValidatorDetails ?? [];
  const node = short(tx.nodeId ?? "");
  const subnet = tx.subnetId === undefined || tx.subnetId === GENESIS ? "the primary network" : `the subnet ${short(tx.subnetId)}`;
  const l1 = `the L1 ${short(tx.subnetId ?? validator?.subnetId ?? "")}`;
  const until = tx.endTimestamp === undefined || tx.endTimestamp === 0 ? "" : ` until ${day(tx.endTimestamp)}`;
  const staked = amounts(tx.amountStaked, network);
  const paidIn = amounts(tx.amountL1ValidatorBalanceBurned, network);
  switch (tx.txType) {
    case "AddValidatorTx":
    case "AddPermissionlessValidatorTx":
      return `${from} staked ${staked} so that ${node} validates ${subnet}${until}`;
    case "AddDelegatorTx":
    case "AddPermissionlessDelegatorTx":
      return `${node} was delegated ${staked} by ${from}${subnet === "the primary network" ? "" : ` on ${subnet}`}${until}`;
    case "AddSubnetValidatorTx":
      return `${node} was made a validator of ${subnet}${until}`;
    case "RemoveSubnetValidatorTx":
      return `${node} was removed from ${subnet}`;
    case "RewardValidatorTx": {
      const rewards = (tx.emittedUtxos as readonly Utxo[]).filter(({ rewardType }) => rewardType !== undefined);
      const returned = amounts(assetsOf(emitted(tx)), network);
      const earned = rewards.length === 0 ? "no reward" : `${amounts(assetsOf(rewards), network)} earned`;
      return `A staking period of ${tx.nodeId === undefined ? "a validator" : node} ended: ${earned}${returned === "nothing" ? "" : `, ${returned} returned`}`;
    }
    case "CreateSubnetTx":
      return `${from} created the subnet ${short(tx.txHash)}`;
    case "CreateChainTx":
      return `${from} created the blockchain ${tx.blockchainInfo!.chainName} in ${subnet}`;
    case "ConvertSubnetToL1Tx": {
      const count = tx.l1ValidatorDetails?.length ?? 0;
      return `${from} made ${l1} of a subnet, with ${count} ${count === 1 ? "validator" : "validators"} and ${paidIn} for them`;
    }
    case "RegisterL1ValidatorTx":
      return `${short(validator!.nodeId)} became a validator of ${l1}, with ${paidIn} paid in`;
    case "SetL1ValidatorWeightTx":
      return validator === undefined || `${validator.weight}` === "0"
        ? `${validator === undefined ? "A validator" : short(validator.nodeId)} was removed from ${l1}`
        : `The weight of ${short(validator.nodeId)} in ${l1} was set to ${BigInt(validator.weight).toLocaleString("en")}`;
    case "DisableL1ValidatorTx": {
      const returned = -BigInt(validator?.balanceChange ?? 0);
      return `${short(validator!.nodeId)} was disabled in ${l1}${returned === 0n ? "" : `, and ${digits(returned, 9)} AVAX of its balance returned`}`;
    }
    case "TransferSubnetOwnershipTx":
      return `${from} gave ${subnet} to ${owners([tx.subnetOwnershipInfo!.addresses], "P")}`;
    case "TransformSubnetTx":
      return `${from} opened ${subnet} to everybody who stakes`;
    case "IncreaseL1ValidatorBalanceTx":
      return `${from} paid ${paidIn} into the balance of ${short(validator!.nodeId)} in ${l1}`;
    default:
      return undefined;
  }
}
