/**
 * Blocks with transactions of P, X and C, in a store as ingest writes them, and in plain lists from which loops compute the expected
 * answers. The properties that transactions are listed by (type, owners of UTXOs) are arbitrary; the bytes are those of the simplest type
 * with such UTXOs.
 */

import { nodeIdOfCertificate } from "../../../../src/base/bytes/cb58.ts";
import { sha256Hex } from "../../../../src/base/bytes/hash.ts";
import { EMPTY_ID, type Id, type NodeId, PLATFORM_CHAIN_ID, type ShortId } from "../../../../src/base/bytes/id.ts";
import { utxoId } from "../../../../src/base/bytes/utxo-id.ts";
import { encodeAll } from "../../../../src/base/codec/codec.ts";
import { storedWhole } from "../../../../src/base/table/table.ts";
import { type RowKey, View } from "../../../../src/base/table/view.ts";
import { assets, assetTxs } from "../../../../src/chains/asset/tables.ts";
import { atomicTxs } from "../../../../src/chains/atomic/tables.ts";
import { type AtomicTx, encodeAtomicTx, exportedUtxo, parseAtomicTx } from "../../../../src/chains/atomic/tx.ts";
import { utxo as platformUtxo } from "../../../../src/chains/platform/output.ts";
import { platformTxs } from "../../../../src/chains/platform/tables.ts";
import { unsignedTx } from "../../../../src/chains/platform/tx/registry.ts";
import { assemble } from "../../../../src/chains/platform/tx/signed.ts";
import { blockProjection } from "../../../../src/index/primary/block-projection.ts";
import type { PrimaryFacts } from "../../../../src/index/primary/facts.ts";
import { C_CHAIN, P_CHAIN, type PrimaryChain, X_CHAIN } from "../../../../src/index/primary/primary-chain.ts";
import { transactionProjection } from "../../../../src/index/primary/transactions/transaction-projection.ts";
import { transactionGroups } from "../../../../src/index/primary/transactions/transaction-tables.ts";
import type { AffectedUtxo, TxEffects } from "../../../../src/index/primary/transactions/tx-effects.ts";
import { decodeOutput, xChainCodec } from "../../../../src/index/primary/utxos/utxo-codec.ts";
import { utxoRecords } from "../../../../src/index/primary/utxos/utxo-tables.ts";
import type { UnwrappedBlock } from "../../../../src/network/execution.ts";
import type { Store } from "../../../../src/store/store.ts";
import { network } from "../utxos/utxo-world.ts";

export interface Plan {
  readonly type: string;
  /** owners of each UTXO that it consumes, and of each that it emits */
  readonly consumed?: readonly (readonly ShortId[])[];
  readonly emitted?: readonly (readonly ShortId[])[];
  readonly assetId?: Id;
  /** C: whom it debits or credits */
  readonly accounts?: readonly ShortId[];
  /** P: L1 validators that it changes */
  readonly validations?: readonly Id[];
}

export interface ModelTx extends Plan {
  readonly txId: Id;
  readonly chain: PrimaryChain;
  readonly timestamp: bigint;
}

export interface ModelBlock {
  readonly chain: PrimaryChain;
  readonly blockId: Id;
  readonly height: bigint;
  readonly timestamp: bigint;
  readonly proposer: string | undefined;
  readonly txIds: readonly Id[];
}

export interface NewBlock {
  readonly chain: PrimaryChain;
  readonly timestamp: bigint;
  /** name of the node that signed it */
  readonly proposer?: string;
  readonly plans: readonly Plan[];
}

export function someId(text: string): Id {
  return sha256Hex(Buffer.from(text));
}

/** The node of that name. */
export function proposerId(name: string): NodeId {
  return nodeIdOfCertificate(Buffer.from(name));
}

interface Made {
  readonly txId: Id;
  readonly bytes: Uint8Array;
  readonly consumed: readonly AffectedUtxo[];
  readonly emitted: readonly AffectedUtxo[];
}

interface Reference {
  readonly txId: Id;
  readonly outputIndex: number;
  readonly assetId: Id;
}

export class TransactionWorld {
  /** in the order of acceptance, which is that of time */
  readonly txs: ModelTx[] = [];
  readonly blocks: ModelBlock[] = [];
  readonly store: Store;
  #view = new View();
  #count = 0;
  readonly #heights = { [P_CHAIN]: 0n, [X_CHAIN]: 0n, [C_CHAIN]: 0n };

  constructor(store: Store) {
    this.store = store;
    this.#view.setResident(transactionGroups);
  }

  block({ chain, timestamp, proposer, plans }: NewBlock): void {
    const height = ++this.#heights[chain];
    const blockId = someId(`block ${chain} ${height}`);
    const place = { chain, height, timestamp };
    const made = plans.map((plan) => this.#make(plan, place));
    const effects = made.map((tx, i) => this.#write(tx, plans[i]!, { ...place, blockId }));
    const facts = this.#facts({ ...place, blockId, proposer }, made, plans);
    for (const projection of [blockProjection, transactionProjection]) projection.project(this.#view, facts, effects, network);
    for (const [i, { txId }] of made.entries()) this.txs.push({ ...plans[i]!, txId, chain, timestamp });
    this.blocks.push({ ...place, blockId, proposer, txIds: made.map(({ txId }) => txId) });
  }

  /** Assets that a list can be asked for. */
  async haveAssets(assetIds: readonly Id[]): Promise<void> {
    for (const [i, assetId] of assetIds.entries())
      this.#view.put(assets, { chain: 0, assetId }, { name: `asset ${i}`, symbol: "A", denomination: 9, fxIndices: [0] });
    await this.commit();
  }

  async commit(): Promise<void> {
    await transactionProjection.finish!(this.#view, (keys) => this.#fetch(keys), this.store);
    await this.store.commit(this.#view.drain());
    this.#view.evict();
  }

  async #fetch(keys: readonly RowKey[]): Promise<void> {
    for (const row of keys) if (!this.#view.knows(row)) this.#view.load(row.table, row.key, await this.store.get(row.table, row.key));
  }

  #make(plan: Plan, { chain, height, timestamp }: { chain: PrimaryChain; height: bigint; timestamp: bigint }): Made {
    const { consumed = [], emitted = [], assetId = network.avaxAssetId, accounts = [] } = plan;
    const number = ++this.#count;
    const from = someId(`origin of ${number}`);
    const inputs = consumed.map((_, outputIndex) => ({ txId: from, outputIndex, assetId }));
    const outputs = emitted.map((owners) => ({ assetId, output: { amount: 1000n, ...ownedBy(owners) } }));
    const memo = Buffer.from(`${number}`);
    const tx = chain === C_CHAIN ? atomic(plan, inputs, outputs, accounts, number) : base(chain, inputs, outputs, memo);
    const record = { reward: 0, stake: undefined, height, timestamp, consumedOn: chain };
    const spent = { txId: EMPTY_ID, chain, height, timestamp };
    const createdOn = chain === C_CHAIN ? X_CHAIN : chain;
    return {
      ...tx,
      consumed: inputs.map((input, inputIndex) => ({
        utxoId: utxoId(input.txId, input.outputIndex),
        record: {
          ...record,
          createdOn,
          bytes: encodeUtxo(createdOn, input, { amount: 1000n, ...ownedBy(consumed[inputIndex]!) }),
          spent: { ...spent, inputIndex },
        },
      })),
      emitted: outputs.map(({ output }, outputIndex) => ({
        utxoId: utxoId(tx.txId, outputIndex),
        record: {
          ...record,
          createdOn: chain,
          bytes: encodeUtxo(chain, { txId: tx.txId, outputIndex, assetId }, output),
          spent: undefined,
        },
      })),
    };
  }

  #write(
    { txId, bytes, consumed, emitted }: Made,
    { type, accounts = [] }: Plan,
    { chain, height, timestamp, blockId }: { chain: PrimaryChain; height: bigint; timestamp: bigint; blockId: Id },
  ): TxEffects {
    const view = this.#view;
    if (chain === P_CHAIN) view.put(platformTxs, { txId }, { height, status: 4, ...storedWhole(bytes) });
    if (chain === X_CHAIN) view.put(assetTxs, { chain: 0, txId }, { height, index: 0n, ...storedWhole(bytes) });
    if (chain === C_CHAIN) view.put(atomicTxs, { txId }, { height, blockId, bytes });
    for (const { utxoId: id, record } of [...consumed, ...emitted]) view.put(utxoRecords, { utxoId: id }, record);
    const decoded = (utxos: readonly AffectedUtxo[]) => utxos.map((utxo) => ({ ...utxo, output: decodeOutput(utxo.record, network) }));
    return { chain, txId, type, height, timestamp, consumed: decoded(consumed), produced: decoded(emitted), evmAddresses: accounts };
  }

  #facts({ chain, blockId, height, timestamp, proposer }: Omit<ModelBlock, "txIds">, made: readonly Made[], plans: readonly Plan[]) {
    const parentId = someId(`block ${chain} ${height - 1n}`);
    const bytes = Buffer.alloc(10);
    const unwrapped = wrapper(blockId, bytes, proposer);
    const block = { blockId, parentId, height, bytes };
    const events = plans.flatMap(({ validations = [] }, i) =>
      validations.map((validationId) => ({ kind: "l1-validator", validationId, txId: made[i]!.txId })),
    );
    const facts = {
      [P_CHAIN]: {
        chain,
        facts: {
          blocks: [{ ...block, kind: "BanffStandardBlock" }],
          timestamp,
          events,
          accruedFees: 0n,
          activeL1Validators: 0,
          supply: 1n,
        },
        origins: [{ unwrapped, acceptedAt: 0n }],
      },
      [X_CHAIN]: { chain, facts: { block, timestamp }, unwrapped, acceptedAt: 0n },
      [C_CHAIN]: { chain, facts: { blockId, parentId, height, timestamp }, origin: { unwrapped, acceptedAt: 0n } },
    }[chain];
    // what projections of lists do not read is not there
    return facts as unknown as PrimaryFacts;
  }
}

function ownedBy(owners: readonly ShortId[]) {
  return { locktime: 0n, threshold: 1, addresses: [...owners].sort() };
}

type Output = ReturnType<typeof ownedBy> & { readonly amount: bigint };

function encodeUtxo(chain: PrimaryChain, reference: Reference, output: Output): Uint8Array {
  if (chain === X_CHAIN) {
    return encodeAll(xChainCodec(network).utxo, { ...reference, output: { kind: "secp256k1.TransferOutput", ...output } });
  }
  const codec = chain === P_CHAIN ? platformUtxo : exportedUtxo;
  return encodeAll(codec as typeof exportedUtxo, { ...reference, output: { kind: "TransferOutput", ...output } });
}

type NewOutput = { readonly assetId: Id; readonly output: Output };

function base(chain: PrimaryChain, references: readonly Reference[], outputs: readonly NewOutput[], memo: Buffer) {
  const common = { kind: "BaseTx" as const, networkId: network.networkId, memo };
  const spending = { amount: 1000n, signatureIndices: [0] };
  if (chain === P_CHAIN) {
    const tx = {
      ...{ ...common, blockchainId: PLATFORM_CHAIN_ID },
      inputs: references.map((reference) => ({ ...reference, input: { kind: "TransferInput" as const, ...spending } })),
      outputs: outputs.map(({ assetId, output }) => ({ assetId, output: { kind: "TransferOutput" as const, ...output } })),
    };
    const { id: txId, bytes } = assemble(unsignedTx, tx, []);
    return { txId, bytes };
  }
  const tx = {
    ...{ ...common, blockchainId: network.xChainId },
    inputs: references.map((reference) => ({ ...reference, input: { kind: "secp256k1.TransferInput" as const, ...spending } })),
    outputs: outputs.map(({ assetId, output }) => ({ assetId, output: { kind: "secp256k1.TransferOutput" as const, ...output } })),
  };
  const { id: txId, bytes } = xChainCodec(network).makeTx(tx, []);
  return { txId, bytes };
}

/** An import consumes what X exported, an export emits for X. */
function atomic(
  { type }: Plan,
  inputs: readonly Reference[],
  outputs: readonly NewOutput[],
  accounts: readonly ShortId[],
  number: number,
): Pick<Made, "txId" | "bytes"> {
  const common = { networkId: network.networkId, blockchainId: network.cChainId };
  const ofAccount = (address: ShortId) => ({ address, amount: BigInt(number), assetId: network.avaxAssetId });
  const unsigned = (
    type === "ImportTx"
      ? {
          ...{ kind: "ImportTx", ...common, sourceChain: network.xChainId },
          importedInputs: inputs.map((input) => ({ ...input, input: { kind: "TransferInput", amount: 1000n, signatureIndices: [0] } })),
          outputs: accounts.map(ofAccount),
        }
      : {
          ...{ kind: "ExportTx", ...common, destinationChain: network.xChainId },
          inputs: accounts.map((account) => ({ ...ofAccount(account), nonce: BigInt(number) })),
          exportedOutputs: outputs.map(({ assetId, output }) => ({ assetId, output: { kind: "TransferOutput", ...output } })),
        }
  ) as AtomicTx["unsigned"];
  const { id, bytes } = parseAtomicTx(encodeAtomicTx({ unsigned, credentials: [] }));
  return { txId: id, bytes };
}

/** A wrapper whose certificate is the proposer's name; a bare block without one. */
function wrapper(blockId: Id, inner: Uint8Array, proposer: string | undefined): UnwrappedBlock {
  const nothing = Buffer.alloc(0);
  if (proposer === undefined) return { containerId: blockId, head: nothing, inner, tail: nothing };
  const certificate = Buffer.from(proposer);
  const length = Buffer.alloc(4);
  length.writeUInt32BE(certificate.length);
  const head = Buffer.concat([Buffer.alloc(2 + 4 + 32 + 8 + 8), length, certificate]);
  return { containerId: someId(`container of ${blockId}`), head, inner, tail: nothing, header: { parentId: EMPTY_ID } };
}
