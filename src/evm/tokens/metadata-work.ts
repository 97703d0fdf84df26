/**
 * Asks contracts for their names as they come into `evm_contract_queue`, and tokens again every day. The queue is written by the index (due at
 * once) and by this (due later); a contract that was asked meanwhile leaves an entry behind, which is dropped when its time comes.
 */
import { evmTokens, evmTokenTransfers, evmTransfers } from "../../index/evm/tables.ts";
import { evmContractMetadata, evmContractQueue } from "../../index/evm/token-tables.ts";
import type { TableKey } from "../../primitives/table.ts";
import type { Address } from "../block.ts";
import type { TransferKind } from "../facts.ts";
import { type MetContract, metadataQuestions, readMetadata } from "./contract-metadata.ts";
import { rowChange } from "./token-commits.ts";
import { type TokenWork, type WorkParts, workOrPostpone } from "./token-work.ts";

const REFRESH_SECONDS = 86_400n;
const POSTPONE_SECONDS = 3_600n;
const PIECE = 32;
const ZERO_ADDRESS: Address = "00".repeat(20);

type QueueKey = TableKey<typeof evmContractQueue>;

interface DueContract extends MetContract {
  readonly entry: QueueKey;
}

export class MetadataWork implements TokenWork {
  readonly #parts: WorkParts;

  constructor(parts: WorkParts) {
    this.#parts = parts;
  }

  async step(signal: AbortSignal): Promise<boolean> {
    const { store, chain, clock, rpc } = this.#parts;
    const until = { dueAt: clock() + 1n };
    const entries = (await store.scan(evmContractQueue, { prefix: { chain }, until, limit: PIECE })).map(({ key }) => key);
    if (entries.length === 0) return false;
    const due = await this.#stillDue(entries);
    await workOrPostpone(
      due,
      rpc,
      (contracts) => this.#ask(contracts, signal),
      (contract, error) => this.#postpone(contract, error),
      signal,
    );
    return true;
  }

  /** Drops entries of contracts that were asked since for another reason. */
  async #stillDue(entries: readonly QueueKey[]): Promise<DueContract[]> {
    const { store, chain, commits } = this.#parts;
    const known = await store.getMany(
      evmContractMetadata,
      entries.map(({ contract }) => ({ chain, contract })),
    );
    const isOld = ({ dueAt }: QueueKey, i: number) => dueAt !== 0n && (known[i]?.checkedAt ?? 0n) + REFRESH_SECONDS > dueAt;
    await commits.commit(entries.filter(isOld).map((entry) => rowChange(evmContractQueue, entry, undefined)));
    const wanted = entries.filter((entry, i) => !isOld(entry, i));
    const met = await this.#met(wanted.map(({ contract }) => contract));
    const holders = await Promise.all(wanted.map(({ contract }, i) => (met[i] === undefined ? undefined : this.#someHolder(contract))));
    return wanted.map((entry, i) => ({ entry, contract: entry.contract, met: met[i], holder: holders[i] }));
  }

  async #met(contracts: readonly Address[]): Promise<(TransferKind | undefined)[]> {
    const { store, chain } = this.#parts;
    const rows = await store.getMany(
      evmTokens,
      contracts.map((token) => ({ chain, token })),
    );
    return rows.map((row) => (row === undefined || row.kind === 0 ? undefined : (row.kind as TransferKind)));
  }

  async #someHolder(token: Address): Promise<Address | undefined> {
    const { store, chain } = this.#parts;
    const [last] = await store.scan(evmTokenTransfers, { prefix: { chain, token }, reverse: true, limit: 1 });
    if (last === undefined) return undefined;
    const { height, index, logIndex, batchIndex } = last.key;
    const transfer = await store.get(evmTransfers, { chain, height, index, logIndex, batchIndex });
    return [transfer?.to, transfer?.from].find((party) => party !== undefined && party !== ZERO_ADDRESS);
  }

  async #ask(contracts: readonly DueContract[], signal: AbortSignal): Promise<void> {
    const { reader, commits, chain, clock } = this.#parts;
    const answers = await reader.ask(contracts.map(metadataQuestions), "latest", signal);
    const checkedAt = clock();
    const changes = contracts.flatMap((due, i) => {
      const { entry, contract, met } = due;
      const metadata = readMetadata(answers[i]!, due);
      const isToken = metadata.kind !== 0 || met !== undefined;
      const again = { chain, dueAt: checkedAt + REFRESH_SECONDS, contract };
      return [
        rowChange(evmContractMetadata, { chain, contract }, { ...metadata, checkedAt }),
        rowChange(evmContractQueue, entry, undefined),
        ...(isToken ? [rowChange(evmContractQueue, again, {})] : []),
      ];
    });
    await commits.commit(changes);
    await this.#askAgainIfMetMeanwhile(contracts);
  }

  /** A first transfer that was committed while a contract was asked put the same entry into the queue that is removed now. */
  async #askAgainIfMetMeanwhile(contracts: readonly DueContract[]): Promise<void> {
    const { commits, chain } = this.#parts;
    const met = await this.#met(contracts.map(({ contract }) => contract));
    const changed = contracts.filter((due, i) => met[i] !== due.met);
    await commits.commit(changed.map(({ contract }) => rowChange(evmContractQueue, { chain, dueAt: 0n, contract }, {})));
  }

  async #postpone({ entry, contract }: DueContract, error: unknown): Promise<void> {
    const { commits, chain, clock, log } = this.#parts;
    log.warn({ err: error, contract: `0x${contract}` }, "Could not ask a contract for its metadata; asking again in an hour");
    const later = { chain, dueAt: clock() + POSTPONE_SECONDS, contract };
    await commits.commit([rowChange(evmContractQueue, entry, undefined), rowChange(evmContractQueue, later, {})]);
  }
}
