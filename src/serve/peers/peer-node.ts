/** What this process knows of the network as one of its peers, and a way to issue transactions: in the place of a node of one's own. */

import type { IssuedCounts, IssuedTx, IssueRefusal, LiveNode, LiveStatus } from "../../api/live-node/live-node.ts";
import { countVotes } from "../../api/rpc/info/acps.ts";
import { peerJson } from "../../api/rpc/info/peers.ts";
import type { LiveFact, PassedFact, PassedUptimes, Peer } from "../../api/state/node-facts.ts";
import { type Id, type NodeId, PLATFORM_CHAIN_ID } from "../../base/bytes/id.ts";
import { RequestWork } from "../../base/work/work.ts";
import { assetTxs } from "../../chains/asset/tables.ts";
import { atomicTxs } from "../../chains/atomic/tables.ts";
import { platformTxs } from "../../chains/platform/tables.ts";
import type { NetworkInstance } from "../../network/network.ts";
import { type PeerClock, systemPeerClock } from "../../p2p/peer-clock.ts";
import { addressText } from "../../p2p/signed-address.ts";
import { formatVersion } from "../../p2p/version.ts";
import type { PeerMessage, SentMessage } from "../../p2p/wire/message-codec.ts";
import type { PeersApart } from "../../sources/peers/peers-apart.ts";
import type { Store } from "../../store/store.ts";
import { AnswerPace } from "./answer-pace.ts";
import { PeerAnswers } from "./peer-answers.ts";
import { PeerUptimes } from "./peer-uptimes.ts";
import type { StoredState } from "./stored-state.ts";
import { type GossipedTx, TxGossip } from "./tx-gossip.ts";

interface PeerNodeOptions {
  readonly peers: Pick<PeersApart, "peers" | "isConnected" | "send">;
  readonly network: NetworkInstance;
  readonly store: Store;
  readonly clock?: PeerClock;
  readonly state: StoredState;
}

/** number of the X-chain among asset chains */
const X_CHAIN = 0;

export class PeerNode implements LiveNode {
  readonly #options: PeerNodeOptions;
  readonly #gossip: TxGossip;
  readonly #uptimes: PeerUptimes;
  readonly #answers: PeerAnswers;
  readonly #pace: AnswerPace;
  readonly #issued = { taken: 0, refused: 0, unanswered: 0 };

  constructor(options: PeerNodeOptions) {
    this.#options = options;
    const { peers, network, store, state, clock = systemPeerClock } = options;
    this.#answers = new PeerAnswers(store, network);
    this.#pace = new AnswerPace(clock);
    this.#uptimes = new PeerUptimes({ peers, state, store, clock });
    this.#gossip = new TxGossip({
      peers,
      cChainId: network.cChainId,
      validators: () => this.#validators(),
      isAccepted: (tx) => this.#isAccepted(tx),
      clock,
    });
  }

  get issued(): IssuedCounts {
    return { ...this.#issued, followed: this.#gossip.size };
  }

  /** Answers a request of a peer, not faster than others and the chains may bear; undefined: it gets no answer. */
  answer(request: PeerMessage, from: NodeId): Promise<SentMessage | undefined> {
    return this.#pace.answer(from, () => this.#answer(request));
  }

  async #answer(request: PeerMessage): Promise<SentMessage | undefined> {
    if (request.case !== "appRequest") return this.#answers.answer(request);
    const { chainId, requestId, appBytes } = request.value;
    return this.#gossip.answer(chainId, requestId, appBytes);
  }

  /** No validator says whether it took it: it is taken once some have it. */
  async issue({ chainId, txId, bytes }: IssuedTx): Promise<IssueRefusal | undefined> {
    const told = await this.#gossip.push({ chainId, txId, bytes: Buffer.from(bytes, "hex") });
    this.#issued[told === 0 ? "unanswered" : "taken"]++;
    if (told > 0) return undefined;
    return { sentence: "couldn't issue tx: it is valid, but no validator is connected that could take it; issue it again later" };
  }

  async status(_: Id, txId: Id): Promise<LiveStatus | undefined> {
    return this.#gossip.has(txId) ? { kind: "processing" } : undefined;
  }

  async fact(name: LiveFact): Promise<PassedFact | undefined> {
    const { network, state } = this.#options;
    switch (name) {
      case "info.peers": {
        const peers = this.#connected().map((peer) => peerJson(peer, { network }));
        return { result: { numPeers: `${peers.length}`, peers } };
      }
      case "info.acps": {
        const { voters } = await state.validators();
        const total = [...voters.values()].reduce((sum, stake) => sum + stake, 0n);
        const weightOf = (nodeId: NodeId) => voters.get(nodeId) ?? 0n;
        return { result: { acps: await countVotes(this.#connected(), { weightOf, total }, new RequestWork()) } };
      }
      default:
        return undefined;
    }
  }

  uptimes(): Promise<PassedUptimes | undefined> {
    return this.#uptimes.measured();
  }

  async close(): Promise<void> {
    this.#gossip.close();
    // a store that was lost has what was counted until a minute ago
    await this.#uptimes.close().catch(() => {});
  }

  #connected(): readonly Peer[] {
    return this.#options.peers.peers.map(peerOf);
  }

  /** Those with most stake first. */
  async #validators(): Promise<readonly NodeId[]> {
    const { voters } = await this.#options.state.validators();
    return [...voters].sort(([, a], [, b]) => (a > b ? -1 : a < b ? 1 : 0)).map(([nodeId]) => nodeId);
  }

  async #isAccepted({ chainId, txId }: GossipedTx): Promise<boolean> {
    const { store: reader, network } = this.#options;
    if (chainId === PLATFORM_CHAIN_ID) return (await reader.get(platformTxs, { txId })) !== undefined;
    if (chainId === network.cChainId) return (await reader.get(atomicTxs, { txId })) !== undefined;
    return (await reader.get(assetTxs, { chain: X_CHAIN, txId })) !== undefined;
  }
}

type Told = PeersApart["peers"][number];

function peerOf({ nodeId, remote, observedUptime, introduction, sentMsAgo, receivedMsAgo, toldAt }: Told): Peer {
  const { version, address, upgradeTime, trackedSubnets, supportedAcps, objectedAcps } = introduction;
  const told = Date.now() - (performance.now() - toldAt);
  return {
    ip: remote,
    publicIp: addressText(address.ip, address.port),
    nodeId,
    version: formatVersion(version),
    upgradeTime,
    lastSent: new Date(told - sentMsAgo),
    lastReceived: new Date(told - receivedMsAgo),
    observedUptime,
    trackedSubnets,
    supportedAcps,
    objectedAcps,
    benched: [],
  };
}
