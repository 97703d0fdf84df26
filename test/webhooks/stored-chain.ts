/** A generated EVM chain whose index is in a store, with the webhooks of that store. */
import pino from "pino";
import { defaultDataSettings } from "../../src/api/data/context.ts";
import type { EvmWebhook } from "../../src/api/data/webhooks/webhook-desk.ts";
import type { EvmBlock } from "../../src/sources/evm/parser/block.ts";
import { LmdbStore } from "../../src/store/lmdb/lmdb-store.ts";
import { openWebhooks, startWebhooks, type WebhookServiceOptions } from "../../src/webhooks/webhook-service.ts";
import { evmChain } from "../api/data/evm/evm-chain.ts";
import { type IntendedBlock, makeBlock } from "../evm/decode/intents.ts";
import { CHAIN, IndexedRows } from "../evm/index/indexed-rows.ts";
import { network } from "../index/primary/utxos/utxo-world.ts";
import { scratchDirectory } from "../store/scratch.ts";

export const SCOPE = { kind: "evm", chain: "43112" } as const;
export const OWNER = "00000000";

export const PLAIN: EvmWebhook = {
  ...{ eventType: "address_activity", url: "http://127.0.0.1:1/", name: "", description: "", scope: SCOPE, chainId: SCOPE.chain },
  ...{ eventSignatures: [], includeLogs: false, includeInternalTxs: false },
};

/** A chain whose index is in a store, and which may be replaced. */
export class StoredChain {
  readonly store: LmdbStore;
  readonly #indexed = new IndexedRows();
  blocks: EvmBlock[] = [];
  #branches = 0;

  constructor() {
    this.store = new LmdbStore({ directory: scratchDirectory(), isReadOnly: false, isTemporary: true });
  }

  async grow(depth: number, intended: readonly IntendedBlock[]): Promise<void> {
    const kept = this.blocks.slice(0, Math.max(1, this.blocks.length - depth));
    if (kept.length < this.blocks.length) this.#indexed.undoTo(kept.at(-1)!.height);
    const branch = `branch ${this.#branches++}`;
    for (const block of intended) {
      const last = kept.at(-1);
      kept.push(makeBlock((last?.height ?? -1n) + 1n, block, { branch, ...(last && { parentHash: last.hash }) }));
      this.#indexed.project(kept.at(-1)!);
    }
    this.blocks = kept;
    const changes = this.#indexed.view.drain();
    this.#indexed.rows.apply(changes);
    this.#indexed.view.evict();
    await this.store.commit(changes);
  }
}

type Options = Partial<WebhookServiceOptions>;

function optionsFor(store: LmdbStore, options: Options): WebhookServiceOptions {
  return {
    store,
    network,
    evmChains: { of: async () => [evmChain({ chain: CHAIN })] },
    settings: { ...defaultDataSettings, webhookTargets: "all" },
    log: pino({ level: "silent" }),
    now: () => 1_000,
    ...options,
  };
}

/** Neither looks at the chain nor delivers. */
export function serviceOf(store: LmdbStore, options: Options = {}) {
  return openWebhooks(optionsFor(store, options));
}

/** Does both. */
export function runningService(store: LmdbStore, options: Options = {}) {
  return startWebhooks(optionsFor(store, options));
}
