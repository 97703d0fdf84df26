/**
 * The local network, 12345, with the usual funds, validators and C-chain of development networks. Its keys are public. Its genesis time
 * moves forward in whole periods, so that its validators' year is never over for long (chain-formats 11.2).
 */

import type { ShortId } from "../base/bytes/id.ts";
import type { GenesisConfig, InitialStaker } from "./genesis-file.ts";
import { LOCAL_ID } from "./presets.ts";

const AVAX = 1_000_000_000n;
const MINUTE = 60n;
const DAY = 24n * 60n * MINUTE;

/** 2024-07-15 */
export const LOCAL_EPOCH = 1_721_016_000n;
export const RESTART_PERIOD = 270n * DAY;
/** 2021-10-05. This locktime has long passed, but it still distinguishes outputs when stake is distributed. */
const UNLOCKED = 1_633_824_000n;

/** The address of the key that all examples use; its funds are for tests. */
const FUNDED = "3cb7d3842e8cee6a0ebd09f1fe884f6861e1b29c";
const STAKED = "46a9c04f4bf783aa69daabd519dcf36978168b66";
const RESERVE = "e0cfe8cae22827d032805ded484e393ce51cbedb";
const ETHEREUM = "b3d82b1367d362de99ab59a658165aff520cbd4d";
/** The C-chain account of the same key as FUNDED. */
const C_CHAIN_FUNDED = "8db97C7cEcE249c2b98bDC0226Cc4C2A57BF52FC";

/** Node IDs of the five staking certificates, with their shares of their delegators' rewards. */
const STAKERS: readonly InitialStaker[] = [
  staker({
    nodeId: "479f66c8be895830547e70b4b298cafd433dba6e",
    delegationFee: 1_000_000,
    publicKey: "900c9b119b5c82d781d4b49be78c3fc7ae65f2b435b7ed9e3a8b9a03e475edff86d8a64827fec8db23a6f236afbf127d",
    proof:
      "8bfd6d4d2086b2b8115d8f72f94095fefe5a6c07876b2accf51a811adf520f389e74a3d2152a6d90b521e2be58ffe468043dc5ea68b4c44410eb67f8dc24f13ed4f194000764c0e922cd254a3588a4962b1cb4db7de4bb9cda9d9d4d6b03f3d2",
  }),
  staker({
    nodeId: "de31b4d8b22991d51aa6aa1fc733f23a851a8c94",
    delegationFee: 500_000,
    publicKey: "a058ff27a4c570664bfa28e34939368539a1340867951943d0f56fa8aac13bc09ff64f341acf8cc0cef74202c2d6f9c0",
    proof:
      "ac52195616344127df74d924e11701ca5e0867647ae36171d168fcf95d536e94061659b3edb924fffdb69dd5aa5cb2d703f8920c825c8f7b74dd0112c9c27814790bfcfa3a08e1d9358da1c54e1f6c0b4d9772432f79d7dceaa3a95c3a7e6adc",
  }),
  staker({
    nodeId: "e9094f73698002fd52c90819b457b9fbc866ab80",
    delegationFee: 250_000,
    publicKey: "a10b6955a85684a0f5c94b8381f04506f1bee60625927d372323f78b3d30196cc56c8618c77eaf429298e74673d832c3",
    proof:
      "8d505f7b53960813f1e007f04702ae1bd524cce036b4695fbf8a16eb50b35cdbdd4eedec2b0ce281f35ae36e3ac29fb40867c94cabe2ba0b462f177dd8c3d293b0586b92d392e8278711fb434fe2601ae1b2e0867cfd128180c936a8010c5552",
  }),
  staker({
    nodeId: "aa18d3991cf637aa6c162f5e95cf163f69cd8291",
    delegationFee: 125_000,
    publicKey: "accd61ceb90c61628aa0fa34acab27ecb08f6897e9ccad283578c278c52109f9e10e4f8bc31aa6d7905c4e1623de367e",
    proof:
      "910082e2b61fe4895b4a8f754c9e3a93c346156363acf67546a87e4bc1db7bbfa3239daa5292ad9bc30a11f60e59bbd30b375785b71fe45abd154d717b6471c2406df2534297305ae93d6abeb38fc461170fc0b74b8aa4550f30257a264c75b0",
  }),
  staker({
    nodeId: "f29bce5f34a74301eb0de716d5194e4a4aea5d7a",
    delegationFee: 62_500,
    publicKey: "8048109c3da13de0700f9f3590c3270bfc42277417f6d0cc84282947e1a1f8b4980fd3e3fe223acf0f56a5838890814a",
    proof:
      "b034e0d0ec808b7ec456a6d88bdad7b32854794605a11139d70430d81fb93834a3f81d8969042952daff335fec51018016a7ecb19d38597c5743a4eb3fb945ebe28a4250dd7bcb7a192c98d2fcaf15320a9bee239c66ddf61bb24f87c6e91971",
  }),
];

/** 2020-12-05, the C-chain's genesis time on the reference node's local network. */
const C_CHAIN_TIME = 0x5fcb13d0n;

/** The EVM's chain ID on the reference node's local network. */
const C_CHAIN_ID = 43112;

/** Somebody whom genesis pays on P, X and C beside those of the reference node. */
interface FundedAccount {
  readonly address: ShortId;
  readonly evmAddress: ShortId;
}

/** A contract that the C-chain's genesis has. */
export interface GenesisContract {
  readonly address: ShortId;
  /** hex */
  readonly code: string;
}

/** What each of them has on each chain. */
const FUNDS = 10_000n * AVAX;
/** aAVAX per nAVAX */
const PER_NANO_AVAX = 1_000_000_000n;

/** The C-chain's genesis as text, because the order of its members determines the network's IDs. */
function cChainGenesis({ cChainTime, cChainId, funded, contracts }: Required<LocalGenesisOptions>): string {
  const balance = `0x${(FUNDS * PER_NANO_AVAX).toString(16)}`;
  return JSON.stringify({
    ...C_CHAIN_GENESIS,
    config: { ...C_CHAIN_GENESIS.config, chainId: cChainId },
    timestamp: `0x${cChainTime.toString(16).toUpperCase()}`,
    alloc: {
      ...C_CHAIN_GENESIS.alloc,
      ...Object.fromEntries(funded.map(({ evmAddress }) => [evmAddress, { balance }])),
      ...Object.fromEntries(contracts.map(({ address, code }) => [address, { balance: "0x0", nonce: "0x1", code: `0x${code}` }])),
    },
  });
}

const C_CHAIN_GENESIS = {
  config: {
    chainId: C_CHAIN_ID,
    homesteadBlock: 0,
    daoForkBlock: 0,
    daoForkSupport: true,
    eip150Block: 0,
    eip150Hash: "0x2086799aeebeae135c246c65021c82b4e15a2c451340993aacfd2751886514f0",
    eip155Block: 0,
    eip158Block: 0,
    byzantiumBlock: 0,
    constantinopleBlock: 0,
    petersburgBlock: 0,
    istanbulBlock: 0,
    muirGlacierBlock: 0,
    apricotPhase1BlockTimestamp: 0,
    apricotPhase2BlockTimestamp: 0,
  },
  nonce: "0x0",
  timestamp: "",
  extraData: "0x00",
  gasLimit: "0x5f5e100",
  difficulty: "0x0",
  mixHash: `0x${"0".repeat(64)}`,
  coinbase: `0x${"0".repeat(40)}`,
  alloc: { [C_CHAIN_FUNDED]: { balance: "0x295BE96E64066972000000" } },
  number: "0x0",
  gasUsed: "0x0",
  parentHash: `0x${"0".repeat(64)}`,
};

/** The start of the period that contains a wall-clock time (Unix seconds). */
export function localStartTime(clock: bigint): bigint {
  if (clock < LOCAL_EPOCH) return LOCAL_EPOCH;
  return clock - ((clock - LOCAL_EPOCH) % RESTART_PERIOD);
}

interface LocalGenesisOptions {
  /** the P-chain's genesis time, Unix seconds */
  readonly startTime?: bigint;
  readonly networkId?: number;
  /** the C-chain's genesis time, Unix seconds; by default the reference node's */
  readonly cChainTime?: bigint;
  /** the EVM's chain ID; by default the reference node's */
  readonly cChainId?: number;
  /** by default nobody */
  readonly funded?: readonly FundedAccount[];
  /** by default none */
  readonly contracts?: readonly GenesisContract[];
}

export function localGenesis(options: LocalGenesisOptions = {}): GenesisConfig {
  const {
    startTime = LOCAL_EPOCH,
    networkId = LOCAL_ID,
    cChainTime = C_CHAIN_TIME,
    cChainId = C_CHAIN_ID,
    funded = [],
    contracts = [],
  } = options;
  return {
    networkId,
    allocations: [
      allocation(STAKED, 0n, [{ amount: 10_000_000n * AVAX, locktime: UNLOCKED }]),
      allocation(FUNDED, 300_000_000n * AVAX, [
        { amount: 20_000_000n * AVAX, locktime: 0n },
        { amount: 10_000_000n * AVAX, locktime: UNLOCKED },
      ]),
      allocation(RESERVE, 10_000_000n * AVAX, [{ amount: 10_000_000n * AVAX, locktime: UNLOCKED }]),
      ...funded.map(({ address }) => allocation(address, FUNDS, [{ amount: FUNDS, locktime: 0n }])),
    ],
    startTime,
    initialStakeDuration: 365n * DAY,
    initialStakeDurationOffset: 90n * MINUTE,
    initialStakedFunds: [STAKED],
    initialStakers: STAKERS,
    cChainGenesis: cChainGenesis({ startTime, networkId, cChainTime, cChainId, funded, contracts }),
    message: "{{ fun_quote }}",
  };
}

function allocation(address: string, initialAmount: bigint, unlockSchedule: GenesisConfig["allocations"][number]["unlockSchedule"]) {
  return { ethereumAddress: ETHEREUM, address, initialAmount, unlockSchedule };
}

function staker(facts: { nodeId: string; delegationFee: number; publicKey: string; proof: string }): InitialStaker {
  const { nodeId, delegationFee, publicKey, proof } = facts;
  return { nodeId, rewardAddress: FUNDED, delegationFee, signer: { publicKey, proofOfPossession: Buffer.from(proof, "hex") } };
}
