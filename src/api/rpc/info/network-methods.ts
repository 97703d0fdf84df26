/** The methods of info.* about the network, whose answers are constants of its definition (rpc-avm-info-health 5.1, 5.2, 5.8). */

import { formatId } from "../../../base/bytes/cb58.ts";
import type { JsonObject } from "../../../base/json/go-encode.ts";
import { timeIn } from "../../../network/go-time.ts";
import type { UpgradeName } from "../../../network/network.ts";
import { method, type RpcContext } from "../method.ts";

export const getNetworkId = method({
  name: "info.getNetworkID",
  summary: "The network's ID.",
  cost: "no row",
  computeUnits: 1,
  params: {},
  handler: (_, { network }) => ({ networkID: `${network.networkId}` }),
});

export const getNetworkName = method({
  name: "info.getNetworkName",
  summary: "The network's name.",
  cost: "no row",
  computeUnits: 1,
  params: {},
  handler: (_, { network }) => ({ networkName: network.name }),
});

/** Fees of P-chain transactions before Etna. They are no longer charged, but the API still returns them. */
const MAINNET_ID = 1;
const MAINNET_FEES = { createSubnet: 1_000_000_000n, transformSubnet: 10_000_000_000n, createBlockchain: 1_000_000_000n };
const FUJI_ID = 5;
const FUJI_FEES = { createSubnet: 100_000_000n, transformSubnet: 1_000_000_000n, createBlockchain: 100_000_000n };
const OTHER_FEES = { createSubnet: 100_000_000n, transformSubnet: 100_000_000n, createBlockchain: 100_000_000n };
const STAKER_FEE = 1_000_000n;

/** Deprecated since v1.12.2. */
export const getTxFee = method({
  name: "info.getTxFee",
  summary: "Fees of X, and the former fees of the P-chain.",
  cost: "no row",
  computeUnits: 1,
  params: {},
  handler(_, { network }) {
    const fees = network.networkId === MAINNET_ID ? MAINNET_FEES : network.networkId === FUJI_ID ? FUJI_FEES : OTHER_FEES;
    return {
      txFee: `${network.txFee}`,
      createAssetTxFee: `${network.createAssetTxFee}`,
      createSubnetTxFee: `${fees.createSubnet}`,
      transformSubnetTxFee: `${fees.transformSubnet}`,
      createBlockchainTxFee: `${fees.createBlockchain}`,
      addPrimaryNetworkValidatorFee: "0",
      addPrimaryNetworkDelegatorFee: "0",
      addSubnetValidatorFee: `${STAKER_FEE}`,
      addSubnetDelegatorFee: `${STAKER_FEE}`,
    };
  },
});

export const upgrades = method({
  name: "info.upgrades",
  summary: "The activation time of each upgrade.",
  cost: "no row; on a follower one call of its node in 5 s",
  computeUnits: 1,
  params: {},
  async handler(_, context): Promise<JsonObject> {
    const { network } = context;
    const { times, apricotPhase4MinPChainHeight, cortinaXChainStopVertexId, graniteEpochDuration } = network.upgrades;
    const time = (name: UpgradeName) => upgradeTimeText(times[name]);
    return {
      apricotPhase1Time: time("apricotPhase1"),
      apricotPhase2Time: time("apricotPhase2"),
      apricotPhase3Time: time("apricotPhase3"),
      apricotPhase4Time: time("apricotPhase4"),
      apricotPhase4MinPChainHeight,
      apricotPhase5Time: time("apricotPhase5"),
      apricotPhasePre6Time: time("apricotPhasePre6"),
      apricotPhase6Time: time("apricotPhase6"),
      apricotPhasePost6Time: time("apricotPhasePost6"),
      banffTime: time("banff"),
      cortinaTime: time("cortina"),
      cortinaXChainStopVertexID: formatId(cortinaXChainStopVertexId),
      durangoTime: time("durango"),
      etnaTime: time("etna"),
      fortunaTime: time("fortuna"),
      graniteTime: time("granite"),
      graniteEpochDuration,
      heliconTime: time("helicon"),
      ...(await laterUpgrades(context)),
    };
  },
});

const TIME_MEMBER = /^[a-z]\w{0,63}Time$/;
/** what a node may name beyond those that Firn knows */
const MOST_LATER = 16;

/** Upgrades that the followed node names and Firn does not know yet; those that Firn knows are Firn's own, whatever the node says. */
async function laterUpgrades(context: RpcContext): Promise<JsonObject> {
  const told = context.isFollower ? await context.beyondState().live?.fact("info.upgrades") : undefined;
  if (told === undefined || !("result" in told)) return {};
  const members = Object.entries((told.result ?? {}) as object).filter(
    ([name, time]) =>
      TIME_MEMBER.test(name) && !(name.slice(0, -"Time".length) in context.network.upgrades.times) && timeIn(time) !== undefined,
  );
  return Object.fromEntries(members.slice(0, MOST_LATER));
}

/** RFC 3339 in UTC, in whole seconds. */
export function upgradeTimeText(seconds: bigint): string {
  return `${new Date(Number(seconds) * 1000).toISOString().slice(0, 19)}Z`;
}
