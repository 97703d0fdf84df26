/**
 * Derives the P-chain's history from its blocks. It verifies nothing, because the recorded blocks were accepted. Rules: chain-rules 6
 * (time), 8 (L1 validators), 11 and 12 (rewards).
 */

import { PRIMARY_NETWORK_ID } from "../../../../src/base/bytes/id.ts";
import { utxoId } from "../../../../src/base/bytes/utxo-id.ts";
import { isOption, isProposal, type PlatformBlock, type ProposalBlock } from "../../../../src/chains/platform/block.ts";
import { parseGenesis } from "../../../../src/chains/platform/genesis/genesis.ts";
import { genesisBlock } from "../../../../src/chains/platform/genesis/genesis-state.ts";
import type { SignedTx } from "../../../../src/chains/platform/tx/registry.ts";
import { isActive } from "../../../../src/network/network.ts";
import type { AnyOutput, HappenedTx, History, Proposer, Utxo } from "./history.ts";
import { L1Validators } from "./l1-validators.ts";
import { Stakers } from "./stakers.ts";

interface Inputs {
  readonly txId: string;
  readonly outputIndex: number;
}
interface Outputs {
  readonly assetId: string;
  readonly output: AnyOutput;
}

export class PlatformHistory {
  readonly #history: History;
  readonly #stakers: Stakers;
  readonly #l1: L1Validators;
  #proposal: { readonly block: ProposalBlock; readonly proposer: Proposer | undefined } | undefined;

  constructor(history: History) {
    this.#history = history;
    this.#stakers = new Stakers(history);
    this.#l1 = new L1Validators(history);
  }

  genesis(): void {
    const history = this.#history;
    const { network } = history;
    const { utxos, validators, chains, timestamp, initialSupply } = parseGenesis(network.genesisBytes);
    const block = genesisBlock(network);
    history.time = timestamp;
    history.supplies.set(PRIMARY_NETWORK_ID, initialSupply);
    for (const utxo of utxos) history.addUtxo(utxo, { createdOn: "P", consumedOn: "P", height: 0n, time: timestamp });
    // the order of the genesis is that of the transactions at height 0
    for (const tx of [...validators, ...chains] as SignedTx[]) this.#apply(tx, { id: block.id, height: 0n }, { isCommitted: true });
    this.#addBlock(
      { id: block.id, height: 0n, parentId: network.genesisId, kind: "ApricotCommitBlock", bytes: block.bytes },
      [],
      undefined,
    );
  }

  add(block: PlatformBlock, proposer: Proposer | undefined): void {
    if (isProposal(block)) {
      this.#proposal = { block, proposer };
    } else if (isOption(block)) {
      const { block: proposal, proposer: outer } = this.#proposal!;
      const isCommitted = block.kind === "ApricotCommitBlock" || block.kind === "BanffCommitBlock";
      if (proposal.kind === "BanffProposalBlock") this.#decide(proposal, proposal.txs, proposal.time);
      this.#apply(proposal.tx, proposal, { isCommitted });
      const txs = proposal.kind === "BanffProposalBlock" ? [...proposal.txs, proposal.tx] : [proposal.tx];
      this.#addBlock(proposal, txs, outer);
      this.#addBlock(block, [], proposer);
    } else {
      const txs = "txs" in block ? block.txs : [block.tx];
      this.#decide(block, txs, "time" in block ? block.time : undefined);
      this.#addBlock(block, txs, proposer);
    }
  }

  #addBlock(
    { id, height, parentId, kind, bytes }: Pick<PlatformBlock, "id" | "height" | "parentId" | "kind" | "bytes">,
    txs: readonly SignedTx[],
    proposer: Proposer | undefined,
  ): void {
    const { time, accruedFees, supplies, blocks } = this.#history;
    this.#history.height = height;
    blocks.push({
      ...{ chain: "P", height, blockId: id, parentId, kind, time, txIds: txs.map((tx) => tx.id), size: bytes.length, proposer },
      ...{ accruedFees, activeL1Validators: this.#l1.active.length, supply: supplies.get(PRIMARY_NETWORK_ID)! },
    });
  }

  #decide(block: PlatformBlock, txs: readonly SignedTx[], time: bigint | undefined): void {
    if (time !== undefined) this.#advanceTime(time);
    for (const tx of txs) this.#apply(tx, block, { isCommitted: true });
    this.#l1.deactivateWhoCannotPayTheNextSecond();
  }

  /** The rest of what time brings to stakers happens in reward transactions. */
  #advanceTime(time: bigint): void {
    const history = this.#history;
    this.#stakers.advanceTime(time);
    if (isActive(history.network, "etna", time)) this.#l1.charge(time - history.time);
    history.time = time;
  }

  #apply(signed: SignedTx, { id: blockId, height }: { id: string; height: bigint }, { isCommitted }: { isCommitted: boolean }): void {
    const { unsigned } = signed;
    if (unsigned.kind === "AdvanceTimeTx" && isCommitted) this.#advanceTime(unsigned.time);
    const history = this.#history;
    const { time } = history;
    const tx = history.addTx({ chain: "P", txId: signed.id, type: unsigned.kind, tx: signed, height, blockId, time });
    if ("inputs" in unsigned) {
      const imported = unsigned.kind === "ImportTx" ? unsigned.importedInputs : [];
      this.#consume(tx, [...unsigned.inputs, ...imported]);
      this.#produce(tx, unsigned.outputs);
    }
    switch (unsigned.kind) {
      case "ExportTx":
        this.#produce(tx, unsigned.exportedOutputs, history.chainOf(unsigned.destinationChain));
        break;
      case "CreateSubnetTx":
        history.subnets.push({ subnetId: tx.txId, height, time, owner: unsigned.owner });
        break;
      case "TransferSubnetOwnershipTx":
        history.subnets.find(({ subnetId }) => subnetId === unsigned.subnetId)!.owner = unsigned.newOwner;
        break;
      case "TransformSubnetTx":
        history.supplies.set(unsigned.subnetId, unsigned.initialSupply);
        history.transformations.set(unsigned.subnetId, unsigned);
        break;
      case "CreateChainTx": {
        const { subnetId, chainName: name, vmId, genesisData: genesis } = unsigned;
        history.blockchains.push({ chainId: tx.txId, subnetId, name, vmId, genesis, height, time });
        break;
      }
      case "AddValidatorTx":
      case "AddDelegatorTx":
      case "AddPermissionlessValidatorTx":
      case "AddPermissionlessDelegatorTx":
      case "AddAutoRenewedValidatorTx": {
        const stake = this.#produce(tx, unsigned.stake);
        if (isCommitted) this.#stakers.enter(tx, unsigned, stake, { isGenesis: height === 0n });
        break;
      }
      case "AddSubnetValidatorTx":
        if (isCommitted) this.#stakers.enter(tx, unsigned, [], { isGenesis: false });
        break;
      case "RemoveSubnetValidatorTx":
        this.#stakers.remove(tx, unsigned);
        break;
      case "SetAutoRenewedValidatorConfigTx":
        this.#stakers.configure(tx, unsigned);
        break;
      case "RewardValidatorTx":
      case "RewardAutoRenewedValidatorTx":
        this.#stakers.reward(tx, unsigned.txId, { isCommitted });
        break;
      default:
        this.#l1.apply(tx, unsigned, (output) => this.#produce(tx, [output]));
    }
    if (unsigned.kind === "ConvertSubnetToL1Tx") {
      const { chainId: managerChainId, address: managerAddress } = unsigned;
      history.subnets.find(({ subnetId }) => subnetId === unsigned.subnetId)!.conversion = { tx, managerChainId, managerAddress };
    }
  }

  #consume(tx: HappenedTx, inputs: readonly Inputs[]): void {
    for (const [inputIndex, input] of inputs.entries()) {
      this.#history.consume(utxoId(input.txId, input.outputIndex), { tx, inputIndex });
    }
  }

  /** The outputs that come next in the transaction. */
  #produce(tx: HappenedTx, outputs: readonly Outputs[], consumedOn: "P" | "X" | "C" = "P"): Utxo[] {
    const { txId, height, time } = tx;
    const made = outputs.map(({ assetId, output }, i) =>
      this.#history.addUtxo({ txId, outputIndex: tx.produced.length + i, assetId, output }, { createdOn: "P", consumedOn, height, time }),
    );
    tx.produced.push(...made);
    return made;
  }
}
