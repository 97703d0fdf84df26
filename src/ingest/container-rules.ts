/**
 * The rules of proposervm containers (chain-formats 8; reference node: vms/proposervm/block.go, pre_fork_block.go, post_fork_option.go):
 * signature, parent, time, P-chain height, epoch and proposer. Each container is held against its parent, so the last ones of each chain are
 * kept. Where the parent's header is not known, only the signature is verified.
 */

import { formatId, formatNodeId } from "../base/bytes/cb58.ts";
import { EMPTY_ID, type Id, PLATFORM_CHAIN_ID, PRIMARY_NETWORK_ID } from "../base/bytes/id.ts";
import { Recent } from "../base/collections/bounded-cache.ts";
import type { PlatformChain } from "../chains/platform/chain.ts";
import { blocks } from "../index/tables.ts";
import { type ProposerHeader, RuleError, type UnwrappedBlock } from "../network/execution.ts";
import { isActive, type NetworkInstance } from "../network/network.ts";
import { publicGenesis } from "../network/presets.ts";
import { ProposerSchedule, slotOf } from "../network/proposer-schedule.ts";
import { type Epoch, epochOfChild, proposerOf, signatureFault, unwrapBlock } from "../network/proposervm.ts";
import type { BlockItem } from "../sources/source.ts";
import type { StoreReader } from "../store/store.ts";
import type { BlockStep, Step } from "./steps.ts";
import { HeightNotReachedError } from "./waiting-items.ts";

/** A container as its children need it. */
interface Parent {
  /** undefined: not known */
  readonly containerId: Id | undefined;
  readonly isOption: boolean;
  /** an option has its proposal's; undefined: the block has none, or it is not known */
  readonly header: WholeHeader | undefined;
}

interface WholeHeader {
  readonly timestamp: bigint;
  readonly pChainHeight: bigint;
  readonly epoch?: Epoch;
}

/** A container's time may be ahead of the clock of who accepts it. */
const MOST_AHEAD_SECONDS = 10n;
/** a proposal and its option, which are executed together */
const REMEMBERED = 4;
const SCHEDULES = 16;

export class ContainerRules {
  readonly #network: NetworkInstance;
  readonly #platform: PlatformChain;
  /** the last containers by chain and ID of the block inside */
  readonly #parents = new Map<Id, Recent<Id, Parent>>();
  /** by the height of the set */
  readonly #schedules = new Recent<bigint, ProposerSchedule>(SCHEDULES);

  constructor(network: NetworkInstance, platform: PlatformChain) {
    this.#network = network;
    this.#platform = platform;
  }

  /** Loads the last container of a chain. */
  async load(reader: StoreReader, chainId: Id, height: bigint): Promise<void> {
    const found = await readParent(reader, chainId, height);
    if (found !== undefined) this.#keep(chainId, found.blockId, found.parent);
  }

  /** A step that is also held against these rules. The signature is verified ahead. */
  checked(item: BlockItem, step: BlockStep): Step {
    const { block, unwrapped } = step;
    let fault: string | undefined;
    const needsSignature = unwrapped.header?.timestamp !== undefined && item.isSignatureVerified !== true;
    const signature = needsSignature
      ? signatureFault(item.chainId, unwrapped).then((found) => {
          fault = found;
        })
      : undefined;
    const ahead = signature && step.ahead ? Promise.all([signature, step.ahead]) : (signature ?? step.ahead);
    return {
      ...step,
      ...(ahead && { ahead }),
      run: () => {
        if (fault !== undefined) throw refused("container-signature", fault);
        const parent = this.#parents.get(item.chainId)?.get(block.parentId);
        if (item.isHeaderUnknown !== true) this.#verify(item, step, parent);
        const transactions = step.run();
        this.#keep(item.chainId, block.id, asParent(unwrapped, parent));
        return transactions;
      },
    };
  }

  #keep(chainId: Id, blockId: Id, parent: Parent): void {
    let kept = this.#parents.get(chainId);
    if (kept === undefined) {
      kept = new Recent(REMEMBERED);
      this.#parents.set(chainId, kept);
    }
    kept.set(blockId, parent);
  }

  #verify(item: BlockItem, { unwrapped, height, isOption }: BlockStep, parent: Parent | undefined): void {
    const { header } = unwrapped;
    if (header !== undefined && isWhole(header) === isOption)
      throw refused(
        "container-option",
        isOption ? "it is no option's, and the block inside is one" : "it is an option's, and the block inside is none",
      );
    if (parent?.containerId === undefined) return;
    if (header === undefined) {
      if (parent.header !== undefined) throw refused("container-missing", "it has no proposervm header, and its parent has one");
      return;
    }
    if (header.parentId !== parent.containerId) {
      const named = `its parent is ${formatId(header.parentId)}, and the container before it is ${formatId(parent.containerId)}`;
      throw refused("container-parent", named);
    }
    if (!isWhole(header)) {
      if (parent.header === undefined || parent.isOption)
        throw refused("container-option", "it is an option's, and its parent is no proposal's");
    } else if (parent.header === undefined) this.#verifyFirst(header, unwrapped);
    else this.#verifyChild(item, header, parent.header, { unwrapped, height });
  }

  /** The first container of a chain. */
  #verifyFirst({ pChainHeight, epoch }: WholeHeader, { head }: UnwrappedBlock): void {
    const least = this.#network.upgrades.apricotPhase4MinPChainHeight;
    if (pChainHeight < least)
      throw refused("container-height", `its P-chain height is ${pChainHeight}; the first container's is at least ${least}`);
    if (epoch !== undefined) throw refused("container-epoch", "it is its chain's first container and has an epoch");
    if (proposerOf(head) !== undefined) throw refused("container-proposer", "it is its chain's first container and is signed");
  }

  #verifyChild(
    { chainId, acceptedAt }: BlockItem,
    header: WholeHeader,
    parent: WholeHeader,
    { unwrapped, height }: { unwrapped: UnwrappedBlock; height: bigint },
  ): void {
    const { timestamp, pChainHeight } = header;
    if (timestamp < parent.timestamp) throw refused("container-time", `its time ${timestamp} is before its parent's, ${parent.timestamp}`);
    const latest = acceptedAt / 1_000_000_000n + MOST_AHEAD_SECONDS;
    if (timestamp > latest) throw refused("container-time", `its time ${timestamp} is more than 10 s after it was accepted`);
    if (pChainHeight < parent.pChainHeight)
      throw refused("container-height", `its P-chain height ${pChainHeight} is below its parent's, ${parent.pChainHeight}`);
    this.#requireHeight(chainId, pChainHeight);
    if (this.#isPrimary(chainId)) this.#verifyEpoch(header, parent);
    this.#verifyProposer(chainId, height, timestamp, parent, proposerOf(unwrapped.head));
  }

  /** The P-chain was at this height when the container was verified. */
  #requireHeight(chainId: Id, pChainHeight: bigint): void {
    const { height } = this.#platform.state.scalars;
    if (pChainHeight <= height) return;
    const sentence = `its P-chain height is ${pChainHeight}, and the P-chain is at ${height}`;
    throw chainId === PLATFORM_CHAIN_ID ? refused("container-height", sentence) : new HeightNotReachedError(sentence, pChainHeight);
  }

  /** Chains of other subnets have blocks that nodes made before they knew of Granite. */
  #isPrimary(chainId: Id): boolean {
    return chainId === PLATFORM_CHAIN_ID || chainId === this.#network.xChainId || chainId === this.#network.cChainId;
  }

  #verifyEpoch({ timestamp, epoch }: WholeHeader, parent: WholeHeader): void {
    const expected = epochOfChild(parent, timestamp, this.#network.upgrades);
    if (epochText(epoch) === epochText(expected)) return;
    throw refused("container-epoch", `its epoch is ${epochText(epoch)}; after its parent it is ${epochText(expected)}`);
  }

  /**
   * From Durango on, at the P-chain height of the parent. Nodes that were started without sybil protection sign nothing, and no API tells how
   * they were started: that a signature is missing is refused on public networks only.
   */
  #verifyProposer(chainId: Id, height: bigint, timestamp: bigint, parent: WholeHeader, proposer: string | undefined): void {
    if (!isActive(this.#network, "durango", parent.timestamp) || !this.#isPrimary(chainId)) return;
    if (proposer === undefined && publicGenesis(this.#network.networkId) === undefined) return;
    const schedule = this.#scheduleAt(parent.pChainHeight);
    if (schedule === undefined) return;
    const slot = slotOf(parent.timestamp, timestamp);
    const expected = schedule.proposer(chainId, height, slot);
    if (proposer === expected) return;
    const name = (nodeId: string | undefined) => (nodeId === undefined ? "nobody" : formatNodeId(nodeId));
    throw refused(
      "container-proposer",
      `${name(proposer)} signed it; in slot ${slot} after its parent it is for ${name(expected)} to propose`,
    );
  }

  /** undefined: the set was forgotten */
  #scheduleAt(pChainHeight: bigint): ProposerSchedule | undefined {
    const { validatorSets } = this.#platform;
    const changedAt = validatorSets.lastChange(PRIMARY_NETWORK_ID, pChainHeight);
    if (changedAt === undefined) return undefined;
    let schedule = this.#schedules.get(changedAt);
    if (schedule === undefined) {
      const members = validatorSets.at(PRIMARY_NETWORK_ID, pChainHeight);
      schedule = new ProposerSchedule([...members].map(([nodeId, { weight }]) => [nodeId, weight]));
      this.#schedules.set(changedAt, schedule);
    }
    return schedule;
  }
}

function refused(rule: string, reason: string): RuleError {
  return new RuleError(rule, `its proposervm container cannot be: ${reason}`);
}

function isWhole(header: ProposerHeader): header is ProposerHeader & WholeHeader {
  return header.timestamp !== undefined && header.pChainHeight !== undefined;
}

function asParent({ containerId, header }: Pick<UnwrappedBlock, "containerId" | "header">, proposal: Parent | undefined): Parent {
  const isKnown = containerId !== EMPTY_ID;
  if (header === undefined) return { containerId: isKnown ? containerId : undefined, isOption: false, header: undefined };
  if (isWhole(header)) return { containerId, isOption: false, header };
  // whose proposal's header is not known, has none that its children could be held against
  return { containerId: proposal?.header && containerId, isOption: true, header: proposal?.header };
}

function epochText(epoch: Epoch | undefined): string {
  return epoch === undefined ? "none" : `${epoch.number} from ${epoch.startTime} at P-chain height ${epoch.pChainHeight}`;
}

async function readParent(reader: StoreReader, chainId: Id, height: bigint): Promise<{ blockId: Id; parent: Parent } | undefined> {
  const row = await reader.get(blocks, { chainId, height });
  if (row === undefined) return undefined;
  const { blockId, containerId, head, bytes, tail } = row;
  const header = head.length === 0 ? undefined : unwrapBlock(Buffer.concat([head, bytes, tail]), () => true).header;
  const isOption = header !== undefined && !isWhole(header);
  const proposal = isOption ? (await readParent(reader, chainId, height - 1n))?.parent : undefined;
  return { blockId, parent: asParent({ containerId, ...(header && { header }) }, proposal) };
}
