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
import { rowChange } from "./token-commits.ts";
import { nameChanges } from "./token-names.ts";
import { type TokenWork, type WorkParts, workOrPostpone } from "./token-work.ts";

/** contracts per step */
const PIECE = 32;
/** share of contracts that are due again */
const ASKED_AGAIN = 8;
/** new contracts that a step reads */
const STRETCH = 256;

/**
 * Chooses the contracts that are asked next. Each step reads a stretch of the queue of new contracts, after that of the step before, and
 * takes turns between their deployers, so that someone who deploys without end does not delay others. Contracts that are due again have a
 * share of each step.
 */
class MetadataTurns {
  readonly #parts: WorkParts;
  /** last contract of the previous stretch */
  #last: Address | undefined;

  constructor(parts: WorkParts) {
    this.#parts = parts;
  }

  /** Returns at most `PIECE` entries that are due. Also reads `STRETCH` rows of contracts. */
  async next(): Promise<QueueKey[]> {
    const { store, chain, clock } = this.#parts;
    const again = await store.scan(evmContractQueue, {
      prefix: { chain },
      from: { dueAt: 1n },
      until: { dueAt: clock() + 1n },
      limit: PIECE,
    });
    const fresh = await this.#inTurns(await this.#stretch(), PIECE - Math.min(again.length, ASKED_AGAIN));
    return [...fresh, ...again.slice(0, PIECE - fresh.length).map(({ key }) => key)];
  }

  async #stretch(): Promise<QueueKey[]> {
    const { store, chain } = this.#parts;
    const prefix = { chain, dueAt: 0n };
    const last = this.#last;
    const behind = last === undefined ? [] : await store.scan(evmContractQueue, { prefix, after: { contract: last }, limit: STRETCH });
    const missing = STRETCH - behind.length;
    const front = missing === 0 ? [] : await store.scan(evmContractQueue, { prefix, limit: missing });
    const keys = [...behind, ...front.filter(({ key }) => last === undefined || key.contract <= last)].map(({ key }) => key);
    this.#last = keys.at(-1)?.contract;
    return keys;
  }

  /** Takes the first entry of each deployer, then the second of each, and so on. */
  async #inTurns(entries: readonly QueueKey[], most: number): Promise<QueueKey[]> {
    const { store, chain } = this.#parts;
    const creations = await store.getMany(
      evmContracts,
      entries.map(({ contract }) => ({ chain, contract })),
    );
    const counts = new Map<Address | undefined, number>();
    const turns = entries.map((entry, i) => {
      const maker = creations[i]?.deployer;
      const turn = counts.get(maker) ?? 0;
      counts.set(maker, turn + 1);
      return { entry, turn };
    });
    return turns
      .sort((a, b) => a.turn - b.turn)
      .slice(0, most)
      .map(({ entry }) => entry);
  }
}

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
