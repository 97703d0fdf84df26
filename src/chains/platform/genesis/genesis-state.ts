/** The P-chain's genesis: block 0, and the state after it (chain-rules 4.2). */

import { sha256Hex } from "../../../base/bytes/hash.ts";
import { type Id, PRIMARY_NETWORK_ID } from "../../../base/bytes/id.ts";
import { encodeVersioned, struct, u32, u64 } from "../../../base/codec/codec.ts";
import { storedWhole } from "../../../base/table/table.ts";
import type { NetworkInstance } from "../../../network/network.ts";
import { id } from "../output.ts";
import { mintPotentialReward } from "../potential-reward.ts";
import type { PlatformState } from "../state/platform-state.ts";
import { Priority } from "../state/staker.ts";
import { TX_COMMITTED } from "../tables.ts";
import { stakerBytes } from "../tx/base.ts";
import type { SignedTx } from "../tx/registry.ts";
import type { Signed } from "../tx/signed.ts";
import { parseGenesis } from "./genesis.ts";

const commitBlock = struct({ typeId: u32, parentId: id, height: u64 });
const APRICOT_COMMIT_BLOCK = 2;

/** Block 0: a commit block whose parent is the hash of the genesis. */
export function genesisBlock(network: NetworkInstance): { readonly id: Id; readonly bytes: Uint8Array } {
  const blockBytes = encodeVersioned(commitBlock, { typeId: APRICOT_COMMIT_BLOCK, parentId: network.genesisId, height: 0n });
  return { id: sha256Hex(blockBytes), bytes: blockBytes };
}

/** Writes the state after genesis into an empty view. */
export function writeGenesisState(state: PlatformState): void {
  const { network } = state;
  const { utxos, validators, chains, timestamp, initialSupply } = parseGenesis(network.genesisBytes);
  const block = genesisBlock(network);
  // done before the scalars exist, so that genesis outputs rank as older than those of block 1
  for (const { message: _, ...utxo } of utxos) state.produceUtxo(utxo);
  state.createScalars({
    height: 0n,
    lastAccepted: block.id,
    timestamp,
    feeCapacity: 0n,
    feeExcess: 0n,
    l1Excess: 0n,
    accruedFees: 0n,
  });
  state.setSupply(PRIMARY_NETWORK_ID, initialSupply);
  const place = { height: 0n, blockId: block.id };
  const recordTx = (tx: SignedTx) => {
    state.putTx(tx.id, { height: 0n, status: TX_COMMITTED, ...storedWhole(tx.bytes) });
    state.changes.endTx(state.changes.beginTx(), { tx, isCommitted: true, ...place });
  };
  for (const tx of validators) {
    addGenesisValidator(tx, state);
    recordTx(tx);
  }
  for (const tx of chains) {
    addGenesisChain(tx, state);
    recordTx(tx);
  }
}

/** Called in list order, because each reward raises the supply from which the next one is computed. */
function addGenesisValidator(tx: SignedTx, state: PlatformState): void {
  const { unsigned } = tx;
  if (unsigned.kind !== "AddValidatorTx" && unsigned.kind !== "AddPermissionlessValidatorTx") {
    throw new TypeError(`a genesis validator is a ${unsigned.kind}; it would have to be an AddValidatorTx`);
  }
  const { nodeId, start: startTime, end: endTime, weight } = unsigned.validator;
  const subnetId = PRIMARY_NETWORK_ID;
  const signer = unsigned.kind === "AddPermissionlessValidatorTx" ? unsigned.signer : undefined;
  state.putStaker({
    txId: tx.id,
    nodeId,
    subnetId,
    publicKey: signer?.kind === "ProofOfPossession" ? signer.publicKey : undefined,
    weight,
    startTime,
    endTime,
    potentialReward: mintPotentialReward(state, { subnetId, startTime, endTime, weight }),
    priority: Priority.primaryValidatorCurrent,
    tx: stakerBytes(tx as Signed<typeof unsigned>),
  });
}

function addGenesisChain(tx: SignedTx, state: PlatformState): void {
  const { unsigned } = tx;
  if (unsigned.kind !== "CreateChainTx") throw new TypeError(`a genesis chain is a ${unsigned.kind}; it would have to be a CreateChainTx`);
  const { subnetId, chainName, vmId, fxIds, genesisData } = unsigned;
  state.addChain(tx.id, { subnetId, name: chainName, vmId, fxIds, genesis: genesisData });
}
