/**
 * A chain of Subnet-EVM as the development EVM runs it. From its fee configuration it has the gas limit and the base fee, which stays at the
 * minimum.
 */

import type { Id } from "../../../base/bytes/id.ts";
import { QUORUM_NUMERATOR } from "../../../chains/platform/warp/verify.ts";
import { encodeSubnetEvmBlock, parseSubnetEvmBlock } from "../../../chains/subnet-evm/block.ts";
import type { SubnetEvmGenesis } from "../../../chains/subnet-evm/genesis.ts";
import type { GenesisAccount } from "../../../chains/subnet-evm/genesis-alloc.ts";
import type { NetworkInstance } from "../../../network/network.ts";
import { toHex } from "../header.ts";
import { withAllowLists } from "../precompiles/allow-list-contract.ts";
import { withWarp } from "../precompiles/warp-contract.ts";
import type { EvmChainSpec, L1ChainFacts, WarpRules } from "./evm-chain-spec.ts";

interface SubnetEvmSpecParts extends L1ChainFacts {
  readonly chainId: Id;
  readonly network: NetworkInstance;
}

const NOTHING = new Uint8Array();
/** Ethereum's upgrades that are active from genesis on; later ones come with Avalanche's. */
const FIRST_UPGRADES = [
  ...["homestead", "eip150", "eip155", "eip158", "byzantium", "constantinople", "petersburg", "istanbul", "muirGlacier", "berlin"],
  "london",
];

export function subnetEvmSpec({ chainId, network, ...l1 }: SubnetEvmSpecParts): EvmChainSpec {
  const { chainName, genesis } = l1;
  const warp = warpRules(l1, network);
  const json = childGenesis(genesis);
  const { durango, etna, granite } = genesis.times;
  return {
    chainId,
    name: `the L1 ${JSON.stringify(chainName)}`,
    evmChainId: genesis.evmChainId,
    genesis: {
      json: warp?.isActiveAt(genesis.timestamp) ? withWarp(json, network.networkId, chainId) : json,
      timestamp: genesis.timestamp,
    },
    gasLimit: genesis.feeConfig.gasLimit,
    l1,
    avaxAssetId: network.avaxAssetId,
    hasTxAllowList: genesis.txAllowList !== undefined,
    ...(warp && { warp }),
    isSaevmAt: () => false,
    hardforkAt: (at) => (at >= etna ? "cancun" : at >= durango ? "shanghai" : "london"),
    baseFeeAt: () => genesis.feeConfig.minBaseFee,
    encode: encodeSubnetEvmBlock,
    parse: (bytes) => ({ ...parseSubnetEvmBlock(bytes), extraData: NOTHING, atomicTxs: [] }),
    shown: (block) => {
      const timestamp = block?.timestamp ?? genesis.timestamp;
      const milliseconds = timestamp >= granite && { timestampMilliseconds: toHex(timestamp * 1000n) };
      // blocks of a devnet do not pay for being early
      return { block: {}, header: { blockGasCost: "0x0", ...milliseconds } };
    },
  };
}

function warpRules({ subnetId, genesis: { warp, times } }: L1ChainFacts, { networkId }: NetworkInstance): WarpRules | undefined {
  if (warp === undefined) return undefined;
  const { from, requiresPrimarySigners, quorumNumerator } = warp;
  return {
    networkId,
    subnetId,
    quorumNumerator: quorumNumerator === 0n ? QUORUM_NUMERATOR : quorumNumerator,
    requiresPrimarySigners,
    isActiveAt: (at) => at >= from,
    isGraniteAt: (at) => at >= times.granite,
  };
}

/** The genesis as the child reads it, without what only Subnet-EVM knows. */
function childGenesis({ evmChainId, timestamp, feeConfig, alloc, ...precompiles }: SubnetEvmGenesis): Readonly<Record<string, unknown>> {
  const upgrades = Object.fromEntries(FIRST_UPGRADES.map((name) => [`${name}Block`, 0]));
  return {
    config: { chainId: Number(evmChainId), ...upgrades },
    nonce: "0x0",
    timestamp: toHex(timestamp),
    extraData: "0x",
    gasLimit: toHex(feeConfig.gasLimit),
    difficulty: "0x0",
    mixHash: `0x${"0".repeat(64)}`,
    coinbase: `0x${"0".repeat(40)}`,
    alloc: withAllowLists(Object.fromEntries([...alloc].map(([address, account]) => [`0x${address}`, childAccount(account)])), precompiles),
  };
}

function childAccount({ balance, nonce, code, storage }: GenesisAccount) {
  return { balance: toHex(balance), nonce: toHex(nonce), code, storage };
}
