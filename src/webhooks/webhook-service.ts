/** Webhooks of a process that writes the store: everything that they need, put together. */
import type { Logger } from "pino";
import type { ChainContext, DataSettings } from "../api/data/context.ts";
import type { EvmChainDirectory } from "../api/data/evm/evm-chain.ts";
import { labelOf } from "../api/data/network-labels.ts";
import { DataRequestContext, type ServingContext } from "../api/data/registered-route.ts";
import type { WebhookDesk, WebhookScope } from "../api/data/webhooks/webhook-desk.ts";
import { type CommittedState, CommittedStates } from "../api/state/committed-states.ts";
import { KeptAnswers } from "../api/state/kept-answers.ts";
import { DEFAULT_LIMITS } from "../base/limits.ts";
import type { Internet } from "../base/pinned-address.ts";
import { RequestWork, UNLIMITED_WORK } from "../base/work/work.ts";
import { Pictures } from "../evm/nft/pictures.ts";
import { P_CHAIN, type PrimaryChain, X_CHAIN } from "../index/primary/primary-chain.ts";
import type { NetworkInstance } from "../network/network.ts";
import type { Store } from "../store/store.ts";
import type { ChainActivity } from "./activity.ts";
import { Courier } from "./courier.ts";
import { Desk, type DeskBounds } from "./desk.ts";
import { evmActivity } from "./evm-activity.ts";
import { WebhookFeed } from "./feed.ts";
import { ANYWHERE, Poster, PUBLIC_ONLY } from "./post.ts";
import { primaryActivity } from "./primary-activity.ts";
import { QUEUE_BOUNDS, type QueueBounds, WebhookRegistry } from "./registry.ts";

/** The receiver must answer within this time. */
const ANSWER_MS = 10_000;
const MOST_ROWS = { ...DEFAULT_LIMITS, requestRows: Number.POSITIVE_INFINITY, requestBytes: Number.POSITIVE_INFINITY };

export interface WebhookServiceOptions {
  readonly store: Store;
  readonly network: NetworkInstance;
  readonly evmChains: EvmChainDirectory;
  readonly settings: DataSettings;
  /** see CommittedStates */
  readonly generation?: (() => number) | undefined;
  readonly log: Logger;
  /** Unix milliseconds; by default the machine's clock */
  readonly now?: () => number;
  /** replaced in tests */
  readonly on?: Internet;
  readonly answerMs?: number;
  readonly bounds?: { readonly desk?: DeskBounds; readonly queue?: QueueBounds };
}

export interface WebhookParts {
  readonly desk: WebhookDesk;
  readonly registry: WebhookRegistry;
  readonly feed: WebhookFeed;
  readonly courier: Courier;
}

export interface WebhookService extends Pick<WebhookParts, "desk" | "registry"> {
  /** Attempts that are under way are broken off, and made again by the next process. */
  stop(): Promise<void>;
}

export async function startWebhooks(options: WebhookServiceOptions): Promise<WebhookService> {
  const { desk, registry, feed, courier } = await openWebhooks(options);
  feed.start();
  courier.start();
  return {
    desk,
    registry,
    async stop() {
      await Promise.all([feed.stop(), courier.stop()]);
    },
  };
}

/** Neither looks at chains nor delivers before it is told to. */
export async function openWebhooks(options: WebhookServiceOptions): Promise<WebhookParts> {
  const { store, network, settings, generation, log, now = Date.now, answerMs = ANSWER_MS, bounds = {} } = options;
  const registry = await WebhookRegistry.open(store);
  const poster = new Poster({ on: options.on ?? (settings.webhookTargets === "all" ? ANYWHERE : PUBLIC_ONLY), timeoutMs: answerMs });
  const { queue = QUEUE_BOUNDS } = bounds;
  const courier = new Courier({ registry, poster, now, log, bounds: queue });
  const feed = new WebhookFeed({
    registry,
    states: new CommittedStates(store, network, { kept: new KeptAnswers(0), generation }),
    activityOf: activities(options),
    now,
    log,
    bounds: queue,
  });
  const desk = new Desk({ registry, courier, feed, now, ...(bounds.desk && { bounds: bounds.desk }) });
  return { desk, registry, feed, courier };
}

function activities({ network, evmChains, settings }: WebhookServiceOptions) {
  const serving: ServingContext = {
    settings: { ...settings, hasRealTypeNames: true },
    network,
    limits: MOST_ROWS,
    label: labelOf(network),
    clock: () => BigInt(Math.floor(Date.now() / 1000)),
    kept: new KeptAnswers(0),
    pictures: new Pictures(),
    reports: () => ({ health: [], readiness: [] }),
  };
  return async ({ kind, chain }: WebhookScope, state: CommittedState): Promise<ChainActivity | undefined> => {
    if (kind === "evm") {
      const evmChain = (await evmChains.of(state)).find(({ evmChainId }) => `${evmChainId}` === chain);
      return evmChain && evmActivity(evmChain, state);
    }
    const primary: PrimaryChain = Number(chain) === P_CHAIN ? P_CHAIN : X_CHAIN;
    const chains = { primary, allEvm: [], isAvailable: () => true, canExpire: false };
    const page = { after: undefined, seal: () => "" };
    const context = new DataRequestContext(serving, state, new RequestWork(UNLIMITED_WORK), chains, page);
    return primaryActivity(context as ChainContext);
  };
}
