/** The synthetic network's parameters, genesis and addresses. Its addresses have no keys, so credentials contain signatures of zeros. */

import { sha256, sha256Hex } from "../../src/base/bytes/hash.ts";
import type { NodeId, ShortId } from "../../src/base/bytes/id.ts";
import { publicKeyOfSecret } from "../../src/base/signatures/bls.ts";
import { provePossession } from "../../src/base/signatures/possession.ts";
import { buildGenesis } from "../../src/chains/platform/genesis/genesis-config.ts";
import type { ProofOfPossession } from "../../src/chains/platform/signer.ts";
import { networkInstance } from "../../src/ingest/network-instance.ts";
import type { NetworkInstance } from "../../src/network/network.ts";
import { parseNetworkFile } from "../../src/network/network-file.ts";

export const AVAX = 1_000_000_000n;
export const GENESIS_TIME = 1_750_000_000n;
const YEAR = 31_536_000n;
const SHORT_ID_DIGITS = 40;
const NETWORK_ID = 54_321;
const LONG_AGO = "2020-12-05T05:00:00Z";

/** Mainnet's parameters, except that a block may contain any number of transactions, because this bench is not about fees. */
export const networkFile = {
  networkID: NETWORK_ID,
  hrp: "custom",
  parameters: {
    txFee: "1000000",
    createAssetTxFee: "10000000",
    minValidatorStake: "2000000000000",
    maxValidatorStake: "3000000000000000",
    minDelegatorStake: "25000000000",
    minDelegationFee: "20000",
    minStakeDuration: "48h",
    heliconMinStakeDuration: "48h",
    maxStakeDuration: "8760h",
    uptimeRequirement: "0.8",
    stakeMaxConsumptionRate: "120000",
    stakeMinConsumptionRate: "100000",
    stakeMintingPeriod: "8760h",
    stakeSupplyCap: "720000000000000000",
    dynamicFees: {
      bandwidthWeight: "1",
      dbReadWeight: "1000",
      dbWriteWeight: "1000",
      computeWeight: "4",
      maxGasCapacity: "1000000000000000",
      maxGasPerSecond: "1000000000000000",
      targetGasPerSecond: "1000000000000000",
      minGasPrice: "1",
      excessConversionConstant: "1000000000000000",
    },
    validatorFees: { capacity: "20000", target: "10000", minPrice: "512", excessConversionConstant: "1246488645" },
  },
  upgrades: {
    ...Object.fromEntries(
      [
        ...["apricotPhase1", "apricotPhase2", "apricotPhase3", "apricotPhase4", "apricotPhase5", "apricotPhasePre6", "apricotPhase6"],
        ...["apricotPhasePost6", "banff", "cortina", "durango", "etna", "fortuna", "granite"],
      ].map((name) => [`${name}Time`, LONG_AGO]),
    ),
    heliconTime: "9999-12-01T00:00:00Z",
    apricotPhase4MinPChainHeight: 0,
    cortinaXChainStopVertexID: "11111111111111111111111111111111LpoYY",
    graniteEpochDuration: 300_000_000_000,
  },
};

/** Address `index` of a kind: "holder", "staker". */
export function addressOf(kind: string, index = 0): ShortId {
  return sha256Hex(Buffer.from(`${kind} ${index}`)).slice(0, SHORT_ID_DIGITS);
}

export function nodeOf(index: number): NodeId {
  return addressOf("node", index);
}

/** Number of distinct keys with proofs; further nodes reuse them, which the rules allow. */
const DISTINCT_KEYS = 2000;
const proofs = new Map<number, ProofOfPossession>();

export function proofOf(node: number): ProofOfPossession {
  const number = node % DISTINCT_KEYS;
  let proof = proofs.get(number);
  if (proof === undefined) {
    // the highest bits are cleared to keep it below the group order
    const secretKey = sha256(Buffer.from(`key ${number}`));
    secretKey[0]! &= 0x3f;
    proof = { publicKey: publicKeyOfSecret(secretKey), proofOfPossession: provePossession(secretKey) };
    proofs.set(number, proof);
  }
  return proof;
}

/** A genesis whose funds are one UTXO of `addressOf("faucet")` on each of P and X. */
export function syntheticNetwork(): NetworkInstance {
  const faucet = { ethereumAddress: "00".repeat(20), address: addressOf("faucet") };
  const genesis = buildGenesis({
    networkId: NETWORK_ID,
    startTime: GENESIS_TIME,
    initialStakeDuration: YEAR,
    initialStakeDurationOffset: 0n,
    allocations: [
      { ...faucet, initialAmount: 100_000_000n * AVAX, unlockSchedule: [{ amount: 250_000_000n * AVAX, locktime: 0n }] },
      { ...faucet, address: addressOf("genesis staker"), initialAmount: 0n, unlockSchedule: [{ amount: 1_000_000n * AVAX, locktime: 0n }] },
    ],
    initialStakedFunds: [addressOf("genesis staker")],
    initialStakers: [
      { nodeId: addressOf("genesis node"), rewardAddress: addressOf("genesis staker"), delegationFee: 20_000, signer: proofOf(0) },
    ],
    cChainGenesis: JSON.stringify({ config: { chainId: NETWORK_ID }, timestamp: "0x0", alloc: {} }),
    message: "synthetic",
  });
  return networkInstance(parseNetworkFile(networkFile), genesis);
}
