/** The genesis of an L1 that a devnet makes when none is given: the funded keys are rich, and warp is on. */
import type { ShortId } from "../../base/bytes/id.ts";

interface DefaultGenesis {
  readonly evmChainId: bigint;
  /** Unix seconds */
  readonly timestamp: bigint;
  /** accounts that get `FUNDS` each */
  readonly funded: readonly ShortId[];
}

/** a million of the native token, in its smallest unit */
const FUNDS = 10n ** 24n;
const GAS_LIMIT = 15_000_000;
const FEES = {
  gasLimit: GAS_LIMIT,
  targetBlockRate: 2,
  minBaseFee: 1_000_000_000,
  targetGas: 15_000_000,
  baseFeeChangeDenominator: 36,
  minBlockGasCost: 0,
  maxBlockGasCost: 1_000_000,
  blockGasCostStep: 200_000,
};

export function defaultGenesis({ evmChainId, timestamp, funded }: DefaultGenesis): Buffer {
  const genesis = {
    config: { chainId: Number(evmChainId), feeConfig: FEES, warpConfig: { blockTimestamp: Number(timestamp) } },
    timestamp: hex(timestamp),
    gasLimit: hex(BigInt(GAS_LIMIT)),
    difficulty: "0x0",
    alloc: Object.fromEntries(funded.map((address) => [`0x${address}`, { balance: hex(FUNDS) }])),
  };
  return Buffer.from(JSON.stringify(genesis));
}

function hex(value: bigint): string {
  return `0x${value.toString(16)}`;
}
