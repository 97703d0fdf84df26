/** Builds the P-chain's genesis bytes from a genesis configuration, byte for byte as the reference node does (chain-formats 11.3). */

import { EMPTY_ID, type Id, nameId, PLATFORM_CHAIN_ID, PRIMARY_NETWORK_ID } from "../../../base/bytes/id.ts";
import type { GenesisConfig, InitialStaker } from "../../../network/genesis-file.ts";
import type { Output } from "../output.ts";
import type { Owner } from "../owner.ts";
import { assemble } from "../tx/signed.ts";
import { encodeGenesis, genesisChainTx, genesisValidatorTx, type PlatformGenesis } from "./genesis.ts";
import { distributeStake, heapOrder, type StakePiece } from "./genesis-stake.ts";
import { xChainGenesis } from "./genesis-x-chain.ts";

const SECP256K1_FX = nameId("secp256k1fx");
const NFT_FX = nameId("nftfx");
const PROPERTY_FX = nameId("propertyfx");

type ValidatorTx = PlatformGenesis["validators"][number];
type ChainTx = PlatformGenesis["chains"][number];

/** Genesis transactions are unsigned: they have no credentials. */
export function buildGenesis(config: GenesisConfig): Buffer {
  const { genesisBytes: xGenesis, avaxAssetId } = xChainGenesis(config);
  return encodeGenesis({
    utxos: genesisUtxos(config, avaxAssetId),
    validators: genesisValidators(config, avaxAssetId),
    chains: [
      chain(config, { name: "X-Chain", vm: "avm", fxIds: [SECP256K1_FX, NFT_FX, PROPERTY_FX], genesis: xGenesis }),
      chain(config, { name: "C-Chain", vm: "evm", fxIds: [], genesis: Buffer.from(config.cChainGenesis, "utf8") }),
    ],
    timestamp: config.startTime,
    initialSupply: supply(config),
    // a latin1 string, like every text in the codec
    message: Buffer.from(config.message, "utf8").toString("latin1"),
  });
}

/** Funds that are locked until a time and not staked. */
function genesisUtxos(config: GenesisConfig, assetId: Id): PlatformGenesis["utxos"] {
  const staked = new Set(config.initialStakedFunds);
  return config.allocations
    .filter(({ address }) => !staked.has(address))
    .flatMap(({ address, ethereumAddress, unlockSchedule }) =>
      unlockSchedule
        .filter(({ amount }) => amount > 0n)
        .map((unlock) => ({
          output: genesisOutput({ address, ...unlock }, config.startTime),
          message: Buffer.from(ethereumAddress, "hex"),
        })),
    )
    .map((utxo, outputIndex) => ({ txId: EMPTY_ID, outputIndex, assetId, ...utxo }));
}

function genesisValidators(config: GenesisConfig, assetId: Id): ValidatorTx[] {
  const stakes = distributeStake(config);
  const txs = config.initialStakers.map((staker, i) => {
    const end = config.startTime + config.initialStakeDuration - BigInt(i) * config.initialStakeDurationOffset;
    return { end, tx: validator(config, staker, { pieces: stakes[i]!, assetId, end }) };
  });
  return heapOrder(txs, ({ end }) => end).map(({ tx }) => tx);
}

function validator(
  config: GenesisConfig,
  { nodeId, rewardAddress, delegationFee, signer }: InitialStaker,
  { pieces, assetId, end }: { pieces: readonly StakePiece[]; assetId: Id; end: bigint },
): ValidatorTx {
  const weight = pieces.reduce((sum, { amount }) => sum + amount, 0n);
  const common = {
    ...base(config),
    validator: { nodeId, start: config.startTime, end, weight },
    stake: pieces.map((piece) => ({ assetId, output: genesisOutput(piece, config.startTime) })),
    shares: delegationFee,
  };
  const rewardsOwner: Owner = { kind: "OutputOwners", locktime: 0n, threshold: 1, addresses: [rewardAddress] };
  if (signer === undefined) return assemble(genesisValidatorTx, { kind: "AddValidatorTx", ...common, rewardsOwner }, []);
  const tx = {
    kind: "AddPermissionlessValidatorTx" as const,
    ...common,
    subnetId: PRIMARY_NETWORK_ID,
    signer: { kind: "ProofOfPossession" as const, ...signer },
    validationRewardsOwner: rewardsOwner,
    delegationRewardsOwner: rewardsOwner,
  };
  return assemble(genesisValidatorTx, tx, []);
}

function chain(config: GenesisConfig, { name, vm, fxIds, genesis }: { name: string; vm: string; fxIds: Id[]; genesis: Buffer }): ChainTx {
  const tx = {
    kind: "CreateChainTx" as const,
    ...base(config),
    subnetId: PRIMARY_NETWORK_ID,
    chainName: name,
    vmId: nameId(vm),
    fxIds,
    genesisData: genesis,
    subnetAuthorization: { kind: "Input" as const, signatureIndices: [] },
  };
  return assemble(genesisChainTx, tx, []);
}

function base({ networkId }: GenesisConfig) {
  return { networkId, blockchainId: PLATFORM_CHAIN_ID, outputs: [], inputs: [], memo: Buffer.alloc(0) };
}

function genesisOutput({ amount, locktime, address }: StakePiece, startTime: bigint): Output {
  const output = { kind: "TransferOutput" as const, amount, locktime: 0n, threshold: 1, addresses: [address] };
  return locktime > startTime ? { kind: "LockOut", locktime, output } : output;
}

function supply(config: GenesisConfig): bigint {
  const amounts = config.allocations.flatMap(({ initialAmount, unlockSchedule }) => [
    initialAmount,
    ...unlockSchedule.map((u) => u.amount),
  ]);
  return amounts.reduce((sum, amount) => sum + amount, 0n);
}
