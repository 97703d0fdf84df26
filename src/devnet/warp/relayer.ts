/**
 * Delivers messages between the messengers of a devnet's EVM chains, as a relayer of the reference implementation does: it reads the messages
 * that were sent, has validators sign them, and calls the messenger at the same address of the destination. A row says up to which message
 * each chain was read; the messenger itself refuses a second delivery, so after a kill nothing is delivered twice or lost.
 */
import type { Logger } from "pino";
import { formatId } from "../../base/bytes/cb58.ts";
import { keccak256 } from "../../base/bytes/hash.ts";
import { type Id, PRIMARY_NETWORK_ID, type ShortId } from "../../base/bytes/id.ts";
import { FirnError } from "../../base/errors/errors.ts";
import { parseAddressedCall, parseUnsignedWarpMessage, parseWarpMessage, type WarpMessage } from "../../chains/platform/warp/message.ts";
import type { EvmChainSpec } from "../anvil/chains/evm-chain-spec.ts";
import type { DevelopmentEvm } from "../anvil/development-evm.ts";
import { EvmRequestError } from "../anvil/evm-error.ts";
import { SEND_WARP_MESSAGE, WARP_ADDRESS } from "../anvil/precompiles/warp-contract.ts";
import { holds } from "../anvil/precompiles/warp-precompile.ts";
import { type ChainWarp, messageInLog } from "./chain-warp.ts";
import { accessListOf, askChain, FUNDS, LEAST_FUNDS, relayerAddress, signDelivery } from "./relayer-account.ts";

// What a relayer reads of a TeleporterMessage (the interface of Avalanche's interchain messenger), in Solidity's ABI.

interface TeleporterMessage {
  readonly destinationChainId: Id;
  /** gas for what the message does at its destination */
  readonly requiredGas: bigint;
}

const WORD = 32;
/** nonce, origin, destination chain, destination, gas; then the offsets of relayers, receipts and message */
const HEAD_WORDS = 8;
const DESTINATION = 2;
const REQUIRED_GAS = 4;
/** `receiveCrossChainMessage(uint32,address)` */
const RECEIVE = "ccb5f809";

/** Returns undefined for bytes that are no such message. */
function readTeleporterMessage(bytes: Uint8Array): TeleporterMessage | undefined {
  const words = Buffer.from(bytes);
  const isStruct = words.length >= (1 + HEAD_WORDS) * WORD && BigInt(`0x${words.toString("hex", 0, WORD)}`) === BigInt(WORD);
  if (!isStruct) return undefined;
  const word = (index: number) => words.toString("hex", (1 + index) * WORD, (2 + index) * WORD);
  return { destinationChainId: word(DESTINATION), requiredGas: BigInt(`0x${word(REQUIRED_GAS)}`) };
}

/** The call that delivers the first message of a transaction. @param relayer who gets the reward */
function receivingCall(relayer: ShortId): string {
  return `0x${RECEIVE}${"0".repeat(64)}${relayer.padStart(64, "0")}`;
}

/** An EVM chain with the warp precompile. */
interface RelayedChain {
  readonly spec: EvmChainSpec;
  readonly evm: DevelopmentEvm;
  readonly warp: ChainWarp;
}

/** How far the messages of a chain were read: the next log to read. */
export interface Position {
  readonly height: bigint;
  /** of a log in its block */
  readonly index: number;
}

type Verdict = "now" | "later" | "never";

interface RelayerParts {
  readonly log: Logger;
  chains(): readonly RelayedChain[];
  readPosition(chainId: Id): Promise<Position | undefined>;
  /** @param isCurrent false: the state was replaced meanwhile, and the position is not of this one */
  keepPosition(chainId: Id, position: Position, isCurrent: () => boolean): Promise<void>;
  /** Whether a block of the destination takes the message now, or later, when its validators are those of the P-chain's tip. */
  verdict(message: WarpMessage, destination: EvmChainSpec): Promise<Verdict>;
  /** Pays aAVAX to the relayer's account on a chain. */
  fund(chainId: Id, address: ShortId, balance: bigint): Promise<void>;
}

interface Log {
  readonly blockNumber: string;
  readonly logIndex: string;
  readonly data: string;
}

interface Parcel extends TeleporterMessage {
  readonly messenger: ShortId;
  readonly unsigned: Buffer;
  readonly source: RelayedChain;
  readonly destination: RelayedChain;
}

type Outcome = "done" | "wait";

const BLOCKS_PER_SCAN = 1024n;
const RETRY_MS = 1000;
/** for what the messenger does itself */
const MESSENGER_GAS = 200_000n;

export class Relayer {
  readonly #parts: RelayerParts;
  #positions = new Map<Id, Position>();
  /** signed deliveries that were sent and are in no block yet, by source */
  readonly #sent = new Map<Id, string>();
  /** how much had happened on a chain when it was read to its end */
  readonly #read = new Map<Id, number>();
  #running: Promise<void> | undefined;
  #isWanted = false;
  #hasStopped = false;
  #timer: NodeJS.Timeout | undefined;

  constructor(parts: RelayerParts) {
    this.#parts = parts;
  }

  /** Call this after every commit: there may be messages, or validators whose signatures are accepted now. */
  wake(): void {
    this.#isWanted = true;
    if (this.#hasStopped) return;
    this.#running ??= this.#run().finally(() => {
      this.#running = undefined;
    });
  }

  /** Call this when the state was replaced. */
  forget(): void {
    this.#positions = new Map();
    this.#sent.clear();
    this.#read.clear();
  }

  stop(): void {
    this.#hasStopped = true;
    clearTimeout(this.#timer);
  }

  async #run(): Promise<void> {
    while (this.#isWanted && !this.#hasStopped) {
      this.#isWanted = false;
      for (const chain of this.#parts.chains()) {
        try {
          await this.#relayFrom(chain);
        } catch (err) {
          if (this.#hasStopped) return;
          this.#parts.log.debug({ err, chain: formatId(chain.spec.chainId) }, "Could not deliver warp messages; trying again");
          clearTimeout(this.#timer);
          this.#timer = setTimeout(() => this.wake(), RETRY_MS).unref();
        }
      }
    }
  }

  async #relayFrom(source: RelayedChain): Promise<void> {
    const { chainId } = source.spec;
    const { warpActivity } = source.evm;
    if (this.#read.get(chainId) === warpActivity) return;
    const tip = BigInt((await source.evm.request("eth_blockNumber", [])) as string);
    const positions = this.#positions;
    const isCurrent = () => this.#positions === positions && !this.#hasStopped;
    let from = positions.get(chainId) ?? (await this.#parts.readPosition(chainId)) ?? { height: 0n, index: 0 };
    while (from.height <= tip) {
      const last = from.height + BLOCKS_PER_SCAN - 1n;
      const to = last < tip ? last : tip;
      for (const log of await sentMessages(source, from, to)) {
        if ((await this.#deliver(source, log)) === "wait" || !isCurrent()) return;
        from = { height: BigInt(log.blockNumber), index: Number(log.logIndex) + 1 };
        await this.#parts.keepPosition(chainId, from, isCurrent);
        positions.set(chainId, from);
      }
      from = { height: to + 1n, index: 0 };
      positions.set(chainId, from);
    }
    if (isCurrent()) this.#read.set(chainId, warpActivity);
  }

  async #deliver(source: RelayedChain, log: Log): Promise<Outcome> {
    const { chainId } = source.spec;
    const parcel = this.#parcelIn(messageInLog(log), source);
    if (parcel === undefined) return "done";
    const facts = { from: formatId(chainId), to: formatId(parcel.destinationChainId) };
    try {
      return await this.#send(parcel, facts);
    } catch (error) {
      // the messenger or the chain refuses it, or nobody signs it
      if (!(error instanceof EvmRequestError) && !(error instanceof FirnError && error.code === "warp")) throw error;
      this.#parts.log.info({ ...facts, reason: error.message }, "Left a warp message undelivered");
      return "done";
    }
  }

  #parcelIn(unsigned: Buffer, source: RelayedChain): Parcel | undefined {
    const { sourceAddress, payload } = parseAddressedCall(parseUnsignedWarpMessage(unsigned).payload);
    const message = readTeleporterMessage(payload);
    const destination = this.#parts.chains().find(({ spec }) => spec.chainId === message?.destinationChainId);
    if (message === undefined || destination === undefined || sourceAddress.length !== 20) return undefined;
    return { ...message, messenger: Buffer.from(sourceAddress).toString("hex"), unsigned, source, destination };
  }

  async #send(parcel: Parcel, facts: object): Promise<Outcome> {
    const { source, destination, messenger, requiredGas } = parcel;
    const { spec, evm } = destination;
    const ask = (method: string, ...params: unknown[]) => askChain(evm, method, ...params);
    const sent = this.#sent.get(source.spec.chainId);
    if (sent !== undefined) return this.#settle(source.spec.chainId, sent, ask);
    const to = `0x${messenger}`;
    if ((await ask("eth_getCode", to, "latest")) === "0x") return "done";
    const message = await this.#signed(parcel);
    const verdict = await this.#parts.verdict(parseWarpMessage(message), spec);
    if (verdict === "later") return "wait";
    if (verdict === "never") throw new FirnError("warp", "the devnet has too few keys of its validators");
    const from = `0x${relayerAddress}`;
    const data = receivingCall(relayerAddress);
    const estimate = (await ask("eth_estimateGas", { from, to, data, accessList: accessListOf(message) }, "latest")) as string;
    const wanted = BigInt(estimate) + requiredGas + MESSENGER_GAS;
    const gas = wanted < spec.gasLimit ? wanted : spec.gasLimit;
    if (BigInt((await ask("eth_getBalance", from, "latest")) as string) < LEAST_FUNDS) {
      await this.#parts.fund(spec.chainId, relayerAddress, FUNDS);
    }
    const nonce = BigInt((await ask("eth_getTransactionCount", from, "latest")) as string);
    const maxFee = 2n * BigInt((await ask("eth_gasPrice")) as string) + 1n;
    const raw = signDelivery({ evmChainId: spec.evmChainId, nonce, maxFee, gas, to: messenger, data, message });
    this.#sent.set(source.spec.chainId, raw);
    this.#parts.log.info(facts, "Delivering a warp message");
    return this.#settle(source.spec.chainId, raw, ask);
  }

  /** Sends the delivery, again if it is in no block yet, and asks whether it is. */
  async #settle(chainId: Id, raw: string, ask: (method: string, ...params: unknown[]) => Promise<unknown>): Promise<Outcome> {
    const hash = `0x${keccak256(Buffer.from(raw.slice(2), "hex")).toString("hex")}`;
    const isIn = async () => (await ask("eth_getTransactionReceipt", hash)) !== null;
    if (!(await isIn())) {
      try {
        await ask("eth_sendRawTransaction", raw);
      } catch (error) {
        if (error instanceof EvmRequestError) this.#sent.delete(chainId);
        throw error;
      }
      if (!(await isIn())) return "wait";
    }
    this.#sent.delete(chainId);
    return "done";
  }

  /** By the validators from whom the destination accepts it. */
  #signed({ source, destination, unsigned }: Parcel): Promise<Buffer> {
    const { subnetId, quorumNumerator, requiresPrimarySigners } = destination.spec.warp!;
    const ofPrimary = source.spec.warp!.subnetId === PRIMARY_NETWORK_ID;
    return source.warp.signed(unsigned, quorumNumerator, ofPrimary && !requiresPrimarySigners ? subnetId : source.spec.warp!.subnetId);
  }
}

async function sentMessages({ evm }: RelayedChain, from: Position, to: bigint): Promise<Log[]> {
  const hex = (height: bigint) => `0x${height.toString(16)}`;
  const filter = { address: `0x${WARP_ADDRESS}`, topics: [`0x${SEND_WARP_MESSAGE}`], fromBlock: hex(from.height), toBlock: hex(to) };
  const logs = (await evm.request("eth_getLogs", [filter])) as Log[];
  return logs.filter(({ blockNumber, logIndex }) => BigInt(blockNumber) > from.height || Number(logIndex) >= from.index);
}

/** @param heights of the P-chain; `now`: of the next block, `later`: of its tip, which blocks reach with the next epoch */
export function timeOfMessage(verify: (height: bigint) => void, { now, later }: { readonly now: bigint; readonly later: bigint }): Verdict {
  if (holds(() => verify(now))) return "now";
  return holds(() => verify(later)) ? "later" : "never";
}
