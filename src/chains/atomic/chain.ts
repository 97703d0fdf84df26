/**
 * The atomic side of the C-chain: what its blocks export to and import from shared memory (chain-formats 9, chain-rules 16). The EVM is not
 * executed, so balances, nonces and state roots are not checked; hashes, order, signatures and fees are.
 */

import { formatId } from "../../base/bytes/cb58.ts";
import { formatEvmAddress } from "../../base/bytes/evm-address.ts";
import { EMPTY_ID, type Id } from "../../base/bytes/id.ts";
import { utxoId, utxoIdOf } from "../../base/bytes/utxo-id.ts";
import { encodeVersioned } from "../../base/codec/codec.ts";
import type { TableValue } from "../../base/table/table.ts";
import { type RowKey, rowKey, type View } from "../../base/table/view.ts";
import { type ExecutionContext, executeBlock, NotExportedError, RuleError } from "../../network/execution.ts";
import { isActive, type Network, type NetworkInstance } from "../../network/network.ts";
import { type SharedElement, SharedMemory, sharedElementKeys } from "../shared-memory/shared-memory.ts";
import { type CChainBlock, hashExtraData, parseCChainBlock } from "./block.ts";
import { hasPinnedExtraData } from "./extra-data-pins.ts";
import type { AtomicFacts } from "./facts.ts";
import { checkSanity, verifyCredentialCount, verifySaevmTx } from "./saevm.ts";
import { signingAccount, verifySpend } from "./spend.ts";
import { atomicTxs, evmTips } from "./tables.ts";
import { type AtomicExport, type AtomicImport, type AtomicTx, exportedUtxo, parseAtomicTx, parseSharedUtxo } from "./tx.ts";
import { extraDataGas, verifyAtomicTx, verifyAuthorization, within } from "./verify.ts";

const MAINNET_ID = 1;

const heights: ReadonlySet<number> = new Set([
  102972, 103105, 103143, 103183, 103197, 103203, 103208, 103209, 103259, 103261, 103266, 103287, 103339, 103346, 103350, 103358, 103437,
  103472, 103478, 103493, 103514, 103536, 103545, 103547, 103554, 103555, 103559, 103561, 103563, 103564, 103569, 103570, 103575, 103577,
  103578, 103582, 103587, 103590, 103591, 103594, 103597, 103598, 103603, 103604, 103607, 103612, 103614, 103617, 103618, 103621, 103623,
  103624, 103627, 103628, 103629, 103630, 103633,
]);

/**
 * Heights of the mainnet C-chain whose blocks were accepted without applying their imports to shared memory, because other blocks
 * hold the same imports (chain-rules 16.6).
 */
function isBonusBlock(network: Network, height: bigint): boolean {
  return network.networkId === MAINNET_ID && heights.has(Number(height));
}

type Progress = TableValue<typeof evmTips>;

export class CChain {
  static readonly residentTables = [evmTips];

  readonly #network: NetworkInstance;
  readonly #view: View;
  readonly #memory: SharedMemory;

  constructor(network: NetworkInstance, view: View) {
    this.#network = network;
    this.#view = view;
    this.#memory = new SharedMemory(view);
  }

  /** undefined before `genesis` was applied */
  get progress(): Progress | undefined {
    return this.#view.get(evmTips, { chainId: this.#network.cChainId });
  }

  /**
   * Starts the chain from the genesis JSON in its CreateChainTx. The hash of block 0 depends on the EVM's state and stays unknown, so block
   * 1 may name any parent.
   */
  genesis(genesis: Uint8Array): AtomicFacts {
    const { timestamp = "0x0" } = JSON.parse(Buffer.from(genesis).toString("utf8")) as { timestamp?: string };
    const progress = { height: 0n, lastAccepted: EMPTY_ID, timestamp: BigInt(timestamp) };
    this.#view.put(evmTips, { chainId: this.#network.cChainId }, progress);
    const block = { blockId: EMPTY_ID, parentId: EMPTY_ID, height: 0n, timestamp: progress.timestamp };
    return { chainId: this.#network.cChainId, ...block, atomicTxs: [] };
  }

  /** @param bytes the block without its proposervm wrapper */
  parse(bytes: Uint8Array): CChainBlock {
    return parseCChainBlock(bytes, this.#network.upgrades.times.apricotPhase5);
  }

  keysRead(block: CChainBlock): RowKey[] {
    return block.atomicTxs.flatMap((tx) => this.txKeysRead(tx));
  }

  /** The rows that `verifyTx` reads, and some that only `execute` does. */
  txKeysRead(tx: AtomicTx): RowKey[] {
    const { elements, removed, peer } = operations(tx);
    const own = this.#network.cChainId;
    const written = elements.map(({ key }) => key);
    return [...sharedElementKeys(peer, own, written), ...sharedElementKeys(own, peer, removed), rowKey(atomicTxs, { txId: tx.id })];
  }

  /**
   * Checks a transaction as far as that is possible without EVM state: balances and nonces are not checked, and the gas price only if a
   * base fee is given and before Helicon. A refusal has the node's text, with the prefix "issuing tx: " since Helicon.
   */
  verifyTx(input: Uint8Array | AtomicTx, context: ExecutionContext, { baseFee = 0n }: { baseFee?: bigint } = {}): AtomicTx {
    const tx = input instanceof Uint8Array ? parseAtomicTx(input) : input;
    const timestamp = this.progress?.timestamp ?? 0n;
    if (isActive(this.#network, "helicon", timestamp)) {
      within("sanity check", () => checkSanity(tx, this.#network));
      within("credential verification", () => verifySaevmCredentials(tx, this.#memory, context));
    } else {
      verifyAtomicTx(tx, { network: this.#network, timestamp, baseFee });
      verifyAuthorization(tx, this.#memory, context);
    }
    return tx;
  }

  /** Executes a block. If the block is refused, the view is unchanged. */
  execute(block: CChainBlock, context: ExecutionContext): AtomicFacts {
    executeBlock(block.id, this.#view, () => {
      this.#verify(block);
      this.#apply(block, context);
    });
    const { id: blockId, parentId, height, timestamp } = block;
    const chainId = this.#network.cChainId;
    this.#view.put(evmTips, { chainId }, { height, lastAccepted: blockId, timestamp });
    return { chainId, blockId, parentId, height, timestamp, atomicTxs: isBonusBlock(this.#network, height) ? [] : block.atomicTxs };
  }

  #verify(block: CChainBlock): void {
    const progress = this.progress;
    if (progress === undefined) throw new RuleError("no-genesis", "the C-chain has no genesis yet");
    if (block.height !== progress.height + 1n) {
      throw new RuleError("wrong-height", `block has height ${block.height}, expected ${progress.height + 1n}`);
    }
    if (progress.lastAccepted !== EMPTY_ID && block.parentId !== progress.lastAccepted) {
      throw new RuleError("wrong-parent", `block has parent ${block.parentId}, expected ${progress.lastAccepted}`);
    }
    if (block.timestamp < progress.timestamp) {
      throw new RuleError("wrong-time", `block time ${block.timestamp} is before its parent's ${progress.timestamp}`);
    }
    this.#verifyExtraData(block);
    const rules = { network: this.#network, ...block };
    const verifyTx = isActive(this.#network, "helicon", block.timestamp) ? verifySaevmTx : verifyAtomicTx;
    for (const tx of block.atomicTxs) verifyWithId(tx, () => verifyTx(tx, rules));
  }

  #verifyExtraData(block: CChainBlock): void {
    if (block.extraDataHash === undefined) return;
    const active = (upgrade: "apricotPhase1" | "apricotPhase4" | "helicon") => isActive(this.#network, upgrade, block.timestamp);
    const hash = active("apricotPhase1") ? hashExtraData(block.extraData) : EMPTY_ID;
    if (block.extraDataHash !== hash) {
      throw new RuleError("extra-data-hash", `extra data hash mismatch: have ${block.extraDataHash}, want ${hash}`);
    }
    if (!hasPinnedExtraData(this.#network, block)) {
      throw new RuleError("extra-data-hash", `the extra data of block ${block.id} is not what the network accepted it with`);
    }
    if (!active("apricotPhase4") || active("helicon")) return;
    const gas = extraDataGas(block.atomicTxs, { network: this.#network, ...block });
    if (block.extraDataGasUsed !== gas) {
      throw new RuleError("extra-data-gas", `invalid extDataGasUsed: have ${block.extraDataGasUsed}, want ${gas}`);
    }
  }

  #apply(block: CChainBlock, context: ExecutionContext): void {
    const isBonus = isBonusBlock(this.#network, block.height);
    const verifySigners = isActive(this.#network, "helicon", block.timestamp) ? verifySaevmCredentials : verifyAuthorization;
    for (const tx of block.atomicTxs) {
      const isKnown = this.#view.get(atomicTxs, { txId: tx.id }) !== undefined;
      // a bonus block repeats transactions, which belong to the block that applied them
      if (!isBonus || !isKnown) {
        this.#view.put(atomicTxs, { txId: tx.id }, { height: block.height, blockId: block.id, bytes: tx.bytes });
      }
      if (isBonus) continue;
      verifyWithId(tx, () => verifySigners(tx, this.#memory, context));
      const { elements, removed, peer } = operations(tx);
      this.#memory.remove(this.#network.cChainId, peer, removed);
      this.#memory.put(this.#network.cChainId, peer, elements);
    }
  }
}

/** The effect of a transaction on shared memory. */
function operations(tx: AtomicTx): { peer: Id; removed: Id[]; elements: SharedElement[] } {
  const { unsigned } = tx;
  if (unsigned.kind === "ImportTx") return { peer: unsigned.sourceChain, removed: importedKeys(unsigned), elements: [] };
  return { peer: unsigned.destinationChain, removed: [], elements: exportedElements(tx.id, unsigned) };
}

function importedKeys({ importedInputs }: AtomicImport): Id[] {
  return importedInputs.map(utxoIdOf);
}

function exportedElements(txId: Id, { exportedOutputs }: AtomicExport): SharedElement[] {
  return exportedOutputs.map(({ assetId, output }, outputIndex) => ({
    key: utxoId(txId, outputIndex),
    bytes: encodeVersioned(exportedUtxo, { txId, outputIndex, assetId, output }),
    traits: output.addresses,
  }));
}

function verifyWithId(tx: AtomicTx, verify: () => void): void {
  try {
    verify();
  } catch (error) {
    if (error instanceof RuleError) error.txId ??= tx.id;
    throw error;
  }
}

// Checks signatures as the C-chain's VM does since Helicon, with its texts.

/** Checks that the owners of the spent funds signed; imported UTXOs are looked up in shared memory. */
function verifySaevmCredentials(tx: AtomicTx, memory: SharedMemory, context: ExecutionContext): void {
  verifyCredentialCount(tx);
  const { unsigned } = tx;
  if (unsigned.kind === "ImportTx") verifyImported(tx, unsigned, memory, context);
  else if (context.level === "full") verifyAccounts(tx, unsigned);
}

function verifyImported(tx: AtomicTx, unsigned: AtomicImport, memory: SharedMemory, context: ExecutionContext): void {
  for (const [i, input] of unsigned.importedInputs.entries()) {
    const { blockchainId, sourceChain } = unsigned;
    const key = utxoIdOf(input);
    const element = memory.get(blockchainId, sourceChain, key);
    if (element === undefined) {
      // While trusted blocks are replayed, the exporting chain may be behind; the removal then leaves a tombstone
      if (context.level === "replay") continue;
      const text = `fetching UTXOs from ${formatId(sourceChain)}: not found`;
      throw new NotExportedError("missing-utxo", text, { sourceChain, utxoId: key });
    }
    const utxo = parseSharedUtxo(element.bytes);
    if (utxo.assetId !== input.assetId) {
      const [own, other] = [formatId(input.assetId), formatId(utxo.assetId)];
      throw new RuleError("asset-mismatch", `mismatched asset IDs (${i}): input asset ${own} does not match UTXO asset ${other}`);
    }
    within(`verifying transfer (${i})`, () => verifySpend(tx, input, tx.credentials[i]!, utxo, context));
  }
}

function verifyAccounts(tx: AtomicTx, { inputs }: AtomicExport): void {
  for (const [i, { address }] of inputs.entries()) {
    const { signatures } = tx.credentials[i]!;
    if (signatures.length !== 1) {
      throw new RuleError("signature-count", `incorrect number of signatures (${i}): want 1, got ${signatures.length}`);
    }
    const signer = signingAccount(tx, signatures[0]!);
    if (signer === address) continue;
    const text = `signature does not match address (${i}): want ${formatEvmAddress(address)}, got ${formatEvmAddress(signer)}`;
    throw new RuleError("wrong-account", text);
  }
}
