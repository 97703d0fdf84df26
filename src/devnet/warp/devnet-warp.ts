/** Warp messages of a devnet's chains: who signs them, and who delivers them. */

import type { Logger } from "pino";
import { formatId } from "../../base/bytes/cb58.ts";
import { sha256Hex } from "../../base/bytes/hash.ts";
import { type Id, PLATFORM_CHAIN_ID, PRIMARY_NETWORK_ID } from "../../base/bytes/id.ts";
import { FirnError } from "../../base/errors/errors.ts";
import { parseUnsignedWarpMessage, parseWarpPayload } from "../../chains/platform/warp/message.ts";
import type { NetworkInstance } from "../../network/network.ts";
import type { StoreReader } from "../../store/store.ts";
import type { EvmNode } from "../anvil/evm-node.ts";
import { type PlatformView, verifyPredicate } from "../anvil/precompiles/verify-predicate.ts";
import type { EvmChains } from "../evm/evm-chains.ts";
import type { Producer } from "../producer.ts";
import { warpPositions } from "../tables.ts";
import { signedByValidators } from "./aggregate.ts";
import { ChainWarp } from "./chain-warp.ts";
import { requireTrue } from "./platform-messages.ts";
import { Relayer, timeOfMessage } from "./relayer.ts";

interface DevnetWarpParts {
  readonly store: StoreReader;
  readonly network: NetworkInstance;
  readonly evms: EvmChains;
  readonly log: Logger;
  /** whether messages between messengers are delivered */
  readonly relays: boolean;
  /** Runs work between two rounds. */
  task<T>(work: (producer: Producer) => Promise<T>): Promise<T>;
}

export class DevnetWarp {
  readonly #parts: DevnetWarpParts;
  readonly relayer: Relayer | undefined;

  constructor(parts: DevnetWarpParts) {
    this.#parts = parts;
    if (parts.relays) this.relayer = this.#openRelayer();
  }

  /** The warp messages of an EVM chain, by default of C; undefined if it does not run here, or has no warp precompile. */
  of(chainId: Id = this.#parts.network.cChainId): ChainWarp | undefined {
    const running = this.#parts.evms.running(chainId);
    return running && this.#warpOf(running.evm);
  }

  /** Signs a warp message of the P-chain or of an EVM chain for its validators, if it is true. @param unsigned the message */
  sign(unsigned: Uint8Array, options: SignOptions): Promise<Buffer> {
    const { networkId } = this.#parts.network;
    return signMessage(unsigned, options, { networkId, chain: (id) => this.of(id), platform: (read) => this.#readPlatform(read) });
  }

  #warpOf(evm: EvmNode): ChainWarp | undefined {
    const { chainId, warp } = evm.spec;
    if (warp === undefined) return undefined;
    return new ChainWarp({
      ...{ networkId: warp.networkId, chainId, subnetId: warp.subnetId },
      ask: (method, ...params) => evm.request(method, params),
      validators: (subnetId) =>
        this.#readPlatform(({ state, validatorSets }) => {
          const { height } = state.scalars;
          return { height, ...validatorSets.canonicalAt(subnetId, height) };
        }),
    });
  }

  #openRelayer(): Relayer {
    return new Relayer({
      log: this.#parts.log,
      chains: () =>
        this.#parts.evms.all.flatMap(({ spec, evm }) => {
          const warp = this.of(spec.chainId);
          return warp === undefined ? [] : [{ spec, evm, warp }];
        }),
      readPosition: async (chainId) => this.#parts.store.get(warpPositions, { chainId }),
      keepPosition: (chainId, position, isCurrent) =>
        this.#parts.task(async (producer) => {
          if (!isCurrent()) return;
          producer.chains.view.writeUnread(warpPositions, { chainId }, position);
          await producer.commit();
        }),
      verdict: (message, { chainId, warp }) =>
        this.#parts.task(async (producer) => {
          const { platform } = producer.chains;
          return timeOfMessage((height) => verifyPredicate(message, warp!, platform, height), {
            now: producer.warpHeight(chainId),
            later: platform.state.scalars.height,
          });
        }),
      fund: async (chainId, address, value) => this.#parts.evms.running(chainId)?.controls.edit([{ kind: "balance", address, value }]),
    });
  }

  #readPlatform<T>(read: (platform: PlatformView) => T): Promise<T> {
    return this.#parts.task(async ({ chains }) => read(chains.platform));
  }
}

// Signs warp messages on request, as nodes do for whoever collects signatures (ACP-118): those that are true, and no others.

interface SignOptions {
  /** for some messages of the P-chain */
  readonly justification?: Uint8Array | undefined;
  /** whose validators sign; by default those of the source chain */
  readonly subnetId?: Id | undefined;
  /** percent of the weight */
  readonly quorum: bigint;
}

interface SigningParts {
  readonly networkId: number;
  /** undefined if no such EVM chain runs here */
  chain(chainId: Id): ChainWarp | undefined;
  /** Reads the P-chain between two blocks. */
  platform<T>(read: (platform: PlatformView) => T): Promise<T>;
}

/** @param unsigned a message without signatures */
async function signMessage(unsigned: Uint8Array, options: SignOptions, parts: SigningParts): Promise<Buffer> {
  const message = parseUnsignedWarpMessage(unsigned);
  const { networkId, sourceChainId } = message;
  if (networkId !== parts.networkId)
    throw new FirnError("warp", `the message is of network ${networkId}; this is network ${parts.networkId}`);
  const { quorum, justification = new Uint8Array(), subnetId } = options;
  if (sourceChainId === PLATFORM_CHAIN_ID) {
    return parts.platform(({ state, validatorSets }) => {
      requireTrue(message, justification, state);
      return signedByValidators(unsigned, validatorSets.canonicalAt(subnetId ?? PRIMARY_NETWORK_ID, state.scalars.height), quorum);
    });
  }
  const chain = parts.chain(sourceChainId);
  if (chain === undefined) throw new FirnError("warp", `the chain ${formatId(sourceChainId)} sends no warp messages here`);
  const payload = parseWarpPayload(message.payload);
  if (payload.kind === "Hash") await chain.requireBlock(payload.hash);
  else await chain.message(sha256Hex(unsigned));
  return chain.signed(unsigned, quorum, subnetId);
}
