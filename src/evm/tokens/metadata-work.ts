/**
 * Asks contracts for their metadata in the order of `evm_contract_queue`, and tokens again every day. The index adds entries that are due
 * at once; this adds entries that are due later. If a contract is asked for another reason meanwhile, its entry is dropped when it becomes
 * due.
 */

import type { TableKey } from "../../base/table/table.ts";
import type { Address } from "../../sources/evm/parser/block.ts";
import type { TransferKind } from "../facts.ts";
import { newestTokenTransfers } from "../index/read-lists.ts";
import { evmContracts, evmTokens } from "../index/tables.ts";
import { evmContractMetadata, evmContractQueue, evmNamedTokens } from "../index/token-tables.ts";
import { type MetContract, metadataQuestions, readMetadata } from "./contract-metadata.ts";
import { MetadataTurns } from "./metadata-turns.ts";
import { rowChange } from "./token-commits.ts";
import { nameChanges } from "./token-names.ts";
import { type TokenWork, type WorkParts, workOrPostpone } from "./token-work.ts";

const REFRESH_SECONDS = 86_400n;
const POSTPONE_SECONDS = 3_600n;
const ZERO_ADDRESS: Address = "00".repeat(20);

type QueueKey = TableKey<typeof evmContractQueue>;

/** What the index knows about a contract. */
interface Known extends Pick<MetContract, "met" | "isClassed"> {
  /** height of its first log, if it is a token */
  readonly metAt: bigint | undefined;
  /** position of its creation, if it is indexed */
  readonly madeAt: string | undefined;
}

interface DueContract extends MetContract, Known {
  readonly entry: QueueKey;
}

export class MetadataWork implements TokenWork {
  readonly #parts: WorkParts;
  readonly #turns: MetadataTurns;

  constructor(parts: WorkParts) {
    this.#parts = parts;
    this.#turns = new MetadataTurns(parts);
  }

  async step(signal: AbortSignal): Promise<boolean> {
    const entries = await this.#turns.next();
    if (entries.length === 0) return false;
    const due = await this.#stillDue(entries);
    await workOrPostpone(
      due,
      this.#parts.rpc,
      (contracts) => this.#ask(contracts, signal),
      (contract, error) => this.#postpone(contract, error),
      signal,
    );
    return true;
  }

  /** Drops entries of contracts that were asked for another reason meanwhile. */
  async #stillDue(entries: readonly QueueKey[]): Promise<DueContract[]> {
    const { store, chain, commits } = this.#parts;
    const known = await store.getMany(
      evmContractMetadata,
      entries.map(({ contract }) => ({ chain, contract })),
    );
    const isOld = ({ dueAt }: QueueKey, i: number) => dueAt !== 0n && (known[i]?.checkedAt ?? 0n) + REFRESH_SECONDS > dueAt;
    await commits.commit(entries.filter(isOld).map((entry) => rowChange(evmContractQueue, entry, undefined)));
    const wanted = entries.filter((entry, i) => !isOld(entry, i));
    const indexed = await this.#indexed(wanted.map(({ contract }) => contract));
    const holders = await Promise.all(
      wanted.map(({ contract }, i) => (indexed[i]!.met === undefined ? undefined : this.#someHolder(contract))),
    );
    return wanted.map((entry, i) => ({ ...indexed[i]!, entry, contract: entry.contract, holder: holders[i] }));
  }

  async #indexed(contracts: readonly Address[]): Promise<Known[]> {
    const { store, chain } = this.#parts;
    const [tokens, creations] = await Promise.all([
      store.getMany(
        evmTokens,
        contracts.map((token) => ({ chain, token })),
      ),
      store.getMany(
        evmContracts,
        contracts.map((contract) => ({ chain, contract })),
      ),
    ]);
    return tokens.map((row, i) => ({
      met: row === undefined || row.kind === 0 ? undefined : (row.kind as TransferKind),
      metAt: row === undefined || row.kind === 0 ? undefined : row.height,
      isClassed: row?.isClassed ?? false,
      madeAt: creations[i] && `${creations[i].height} ${creations[i].index}`,
    }));
  }

  async #someHolder(token: Address): Promise<Address | undefined> {
    const { store, chain } = this.#parts;
    const [transfer] = await store.snapshot((reader) => newestTokenTransfers(reader, { chain, token }, 1));
    return [transfer?.to, transfer?.from].find((party) => party !== undefined && party !== ZERO_ADDRESS);
  }

  async #ask(contracts: readonly DueContract[], signal: AbortSignal): Promise<void> {
    const { store, reader, commits, chain, clock } = this.#parts;
    const answers = await reader.ask(contracts.map(metadataQuestions), "latest", signal);
    const checkedAt = clock();
    const named = await store.getMany(
      evmNamedTokens,
      contracts.map(({ contract }) => ({ chain, token: contract })),
    );
    const changes = contracts.flatMap((due, i) => {
      const { entry, contract, met, metAt } = due;
      const metadata = readMetadata(answers[i]!, due);
      const isToken = metadata.kind !== 0 || met !== undefined;
      const again = { chain, dueAt: checkedAt + REFRESH_SECONDS, contract };
      return [
        rowChange(evmContractMetadata, { chain, contract }, { ...metadata, checkedAt }),
        rowChange(evmContractQueue, entry, undefined),
        ...(isToken ? [rowChange(evmContractQueue, again, {})] : []),
        ...nameChanges(chain, contract, named[i], metAt === undefined ? undefined : { height: metAt, metadata }),
      ];
    });
    await commits.commit(changes);
    await this.#askAgainIfMetMeanwhile(contracts);
  }

  /**
   * If a first transfer or a reorganisation is committed while the contract is asked, it queues the same entry, which is then removed with
   * the old one. So such contracts are queued again.
   */
  async #askAgainIfMetMeanwhile(contracts: readonly DueContract[]): Promise<void> {
    const { commits, chain } = this.#parts;
    const indexed = await this.#indexed(contracts.map(({ contract }) => contract));
    const changed = contracts.filter(({ met, metAt, madeAt }, i) => {
      const now = indexed[i]!;
      return now.met !== met || now.metAt !== metAt || now.madeAt !== madeAt;
    });
    await commits.commit(changed.map(({ contract }) => rowChange(evmContractQueue, { chain, dueAt: 0n, contract }, {})));
  }

  async #postpone({ entry, contract }: DueContract, error: unknown): Promise<void> {
    const { commits, chain, clock, log } = this.#parts;
    log.warn({ err: error, contract: `0x${contract}` }, "Could not ask a contract for its metadata; asking again in an hour");
    const later = { chain, dueAt: clock() + POSTPONE_SECONDS, contract };
    await commits.commit([rowChange(evmContractQueue, entry, undefined), rowChange(evmContractQueue, later, {})]);
  }
}
