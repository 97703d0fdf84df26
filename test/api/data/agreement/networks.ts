/**
 * Compares `getSubnets`, `getSubnet`, `getBlockchains`, `validates` and `validatedBy`; `getHeight`, `getTimestamp` and `getCurrentSupply`
 * with the Data API's newest block; and `getAssetDescription`.
 *
 * The Data API lists the P-chain as a blockchain of the primary network; the node does not. The Data API has no IDs of conversions and
 * transformations, and only the supply of the primary network.
 */
import { formatId } from "../../../../src/base/bytes/cb58.ts";
import { EMPTY_ID } from "../../../../src/base/bytes/id.ts";
import { bare, type Chain, chainPath, type Moment, networkPath } from "./moment.ts";
import { isObject, type Json } from "./recorded.ts";

const NONE = formatId(EMPTY_ID);
const PRIMARY_NETWORK = NONE;
const P_CHAIN_ID = NONE;
const MOST = { pageSize: 10_000 };

const set = (items: Json[]) => items.map((item) => JSON.stringify(item));

export async function compareSubnets(moment: Moment): Promise<void> {
  const { tally, answers } = moment;
  const listed = (await moment.client.walk(`${networkPath(moment)}/subnets`, "subnets", MOST)) as Json[];
  for (const { params, result } of answers.of("platform.getSubnets")) {
    const ids = Array.isArray(params?.ids) && params.ids.length > 0 ? params.ids : undefined;
    if (ids === undefined && isObject(params) && Object.keys(params).some((name) => name !== "ids")) continue;
    const wanted = listed.filter(({ subnetId }) => ids === undefined || ids.includes(subnetId));
    const shown: Json[] = result.subnets ?? [];
    // `getSubnets` hides the owners of subnets that were transformed, `getSubnet` does not
    const isHidden = new Set(shown.filter(({ controlKeys }) => controlKeys.length === 0).map(({ id }) => id));
    const form = (item: Json) => [item.subnetId, ...(isHidden.has(item.subnetId) ? [[], 0] : [item.ownerAddresses, item.threshold])];
    // an ID that is asked for twice is answered twice
    const expected = new Set(set(shown.map(({ id, controlKeys, threshold }) => [id, controlKeys.map(bare), Number(threshold)])));
    tally.compareSets("platform.getSubnets", JSON.stringify(params), set(wanted.map(form)), expected);
  }
  for (const { params, result } of answers.of("platform.getSubnet")) {
    const subnetId = params?.subnetID ?? PRIMARY_NETWORK;
    const item: Json = await moment.client.get(`${networkPath(moment)}/subnets/${subnetId}`);
    tally.compare("platform.getSubnet", subnetId, subnetForm(item), recordedSubnetForm(subnetId, result));
    const inList = listed.find((other) => other.subnetId === subnetId);
    tally.compare("platform.getSubnet", `${subnetId} in the list`, inList, item);
  }
}

const subnetForm = (item: Json) => ({
  subnetId: item.subnetId,
  owner: [item.ownerAddresses, item.threshold, item.locktime],
  ownership: [item.subnetOwnershipInfo.addresses, item.subnetOwnershipInfo.threshold, item.subnetOwnershipInfo.locktime],
  isL1: item.isL1,
  manager: item.l1ValidatorManagerDetails && [
    item.l1ValidatorManagerDetails.blockchainId,
    item.l1ValidatorManagerDetails.contractAddress.toLowerCase(),
  ],
});

function recordedSubnetForm(subnetId: string, { controlKeys, threshold, locktime, conversionID, managerChainID, managerAddress }: Json) {
  const owner = [controlKeys.map(bare), Number(threshold), Number(locktime)];
  const isL1 = conversionID !== NONE;
  return { subnetId, owner, ownership: owner, isL1, manager: isL1 ? [managerChainID, managerAddress.toLowerCase()] : undefined };
}

export async function compareBlockchains(moment: Moment): Promise<void> {
  const { tally, answers } = moment;
  const listed = (await moment.client.walk(`${networkPath(moment)}/blockchains`, "blockchains", MOST)) as Json[];
  const subnets = (await moment.client.walk(`${networkPath(moment)}/subnets`, "subnets", MOST)) as Json[];
  const chains = listed.filter(({ blockchainId }) => blockchainId !== P_CHAIN_ID);
  // within a subnet every VM is an ID, also the one that is "avm" elsewhere
  const vmIds = new Map(subnets.flatMap(({ blockchains }) => blockchains.map(({ blockchainId, vmId }: Json) => [blockchainId, vmId])));
  for (const { params, result } of answers.plain("platform.getBlockchains")) {
    tally.compareSets(
      "platform.getBlockchains",
      JSON.stringify(params),
      set(chains.map(({ blockchainId, blockchainName, subnetId }) => [blockchainId, blockchainName, subnetId, vmIds.get(blockchainId)])),
      set(result.blockchains.map(({ id, name, subnetID, vmID }: Json) => [id, name, subnetID, vmID])),
    );
  }
  for (const { params, result } of answers.of("platform.validates")) {
    const subnetId = params?.subnetID ?? PRIMARY_NETWORK;
    const { blockchains = [] } = subnets.find((subnet) => subnet.subnetId === subnetId) ?? {};
    const ids = blockchains.map(({ blockchainId }: Json) => blockchainId).filter((id: string) => id !== P_CHAIN_ID);
    tally.compareSets("platform.validates", subnetId, ids, result.blockchainIDs ?? []);
  }
  for (const { params, result } of answers.of("platform.validatedBy")) {
    const blockchainId = params?.blockchainID;
    const { status, body } = await moment.client.ask(`${networkPath(moment)}/blockchains/${blockchainId}`);
    // the node takes aliases of chains too
    if (blockchainId?.length > 10) tally.compare("platform.validatedBy", blockchainId, [status, body.subnetId], [200, result.subnetID]);
  }
}

export async function compareTips(moment: Moment): Promise<void> {
  const { tally, answers } = moment;
  const newest = async (chain: Chain): Promise<Json> => {
    const { blocks }: Json = await moment.client.get(`${chainPath(moment, chain)}/blocks`, { pageSize: 1 });
    return blocks[0];
  };
  const tip = await newest("P");
  const details: Json = await moment.client.get(networkPath(moment));
  for (const { result } of answers.plain("platform.getHeight")) tally.compare("platform.getHeight", "", tip.blockNumber, result.height);
  for (const { result } of answers.plain("platform.getTimestamp")) {
    tally.compare("platform.getTimestamp", "", tip.blockTimestamp * 1000, Date.parse(result.timestamp));
  }
  for (const { params, result } of answers.of("platform.getCurrentSupply")) {
    if ((params?.subnetID ?? PRIMARY_NETWORK) !== PRIMARY_NETWORK || Object.keys(params ?? {}).some((name) => name !== "subnetID"))
      continue;
    tally.compare(
      "platform.getCurrentSupply",
      JSON.stringify(params),
      [tip.currentSupply, tip.blockNumber],
      [result.supply, result.height ?? tip.blockNumber],
    );
    const ratio = ratioOf(moment, result.supply);
    if (ratio !== undefined)
      tally.compare("platform.getCurrentSupply", "the part that is staked", details.validatorDetails.stakingRatio, ratio);
  }
  for (const { result } of answers.plain("avm.getHeight"))
    tally.compare("avm.getHeight", "", (await newest("X")).blockNumber, result.height);
}

const RATIO_DIGITS = 20;

/** Of what the node says is staked, rounded down; undefined if it was not asked for that. */
function ratioOf({ answers }: Moment, supply: string): string | undefined {
  const staked = answers.of("platform.getTotalStake").find(({ params }) => (params?.subnetID ?? PRIMARY_NETWORK) === PRIMARY_NETWORK);
  if (staked === undefined) return undefined;
  const digits = `${(BigInt(staked.result.stake) * 10n ** BigInt(RATIO_DIGITS)) / BigInt(supply)}`.padStart(RATIO_DIGITS + 1, "0");
  return `${digits.slice(0, -RATIO_DIGITS)}.${digits.slice(-RATIO_DIGITS)}`;
}

export async function compareAssets(moment: Moment): Promise<void> {
  const method = "avm.getAssetDescription";
  for (const { params, result } of moment.answers.of(method)) {
    const item: Json = await moment.client.get(`${chainPath(moment, "X")}/assets/${result.assetID}`);
    const actual = [item.assetId, item.name, item.symbol, item.denomination];
    moment.tally.compare(method, JSON.stringify(params), actual, [result.assetID, result.name, result.symbol, Number(result.denomination)]);
  }
}
