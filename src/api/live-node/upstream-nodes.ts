/** The nodes that a server follows, asked for what only they can do or know. They are connected when the first question comes. */
import type { Logger } from "pino";
import { formatId } from "../../base/bytes/cb58.ts";
import type { Id } from "../../base/bytes/id.ts";
import type { Limits } from "../../base/limits.ts";
import type { NetworkInstance } from "../../network/network.ts";
import { nodeIdentity, nodeUrl } from "../../sources/nodes/node-network.ts";
import { openUpstreamRpc, type UpstreamLimits } from "../../sources/upstream/open-upstream-rpc.ts";
import { UpstreamError } from "../../sources/upstream/upstream-error.ts";
import type { RpcCall, RpcOutcome, Upstreams } from "../../sources/upstream/upstream-rpc.ts";
import type { LiveFact, PassedFact, PassedUptimes } from "../state/node-facts.ts";
import type { IssuedCounts, IssuedTx, IssueRefusal, LiveNode, LiveStatus } from "./live-node.ts";
import { issueCall, statusCall, statusIn, UPTIMES_CALL, uptimesOf } from "./node-calls.ts";
import { type SentTx, SentTxs } from "./sent-txs.ts";

interface UpstreamNodesOptions {
  readonly network: NetworkInstance;
  /** base URLs, best first: `http://127.0.0.1:9650` */
  readonly upstreams: readonly string[];
  readonly limits: UpstreamLimits & Pick<Limits, "passedAnswerBytes">;
  readonly log: Logger;
}

/** for this long, all who ask for a status share one answer */
const STATUS_KEPT_MS = 250;
/** Several nodes may be behind one URL. Within this time after it was sent, one that does not know a transaction may hear of it yet. */
const GOSSIP_MS = 10_000;

export class UpstreamNodes implements LiveNode {
  readonly #network: NetworkInstance;
  readonly #rpc: Upstreams;
  readonly #sent = new SentTxs();
  #uptimesVersion = 0;
  readonly #issued = { taken: 0, refused: 0, unanswered: 0 };

  constructor({ network, upstreams, limits, log }: UpstreamNodesOptions) {
    this.#network = network;
    const urls = upstreams.map(nodeUrl);
    this.#rpc = openUpstreamRpc({
      urls,
      identity: nodeIdentity(network),
      log,
      limits,
      maxBatch: 1,
      maxAnswerBytes: limits.passedAnswerBytes,
    });
  }

  get issued(): IssuedCounts {
    return { ...this.#issued, followed: this.#sent.size };
  }

  async issue(tx: IssuedTx): Promise<IssueRefusal | undefined> {
    const refusal = await this.#issue(tx);
    this.#issued[refusal === undefined ? "taken" : refusal.isOfNode ? "refused" : "unanswered"]++;
    return refusal && { sentence: refusal.sentence };
  }

  async #issue(tx: IssuedTx): Promise<(IssueRefusal & { isOfNode: boolean }) | undefined> {
    const outcome = await this.#ask(issueCall(tx, this.#network), { accept: ([answer]) => requireId(answer!, tx.txId) });
    const sent = { chainId: tx.chainId, txId: tx.txId, upstream: outcome.upstream };
    if ("result" in outcome) {
      this.#sent.add({ ...sent, known: { kind: "processing" } });
      return undefined;
    }
    const { failure, nodeText } = outcome.error as UpstreamError;
    if (failure === "timeout" || failure === "refused") this.#sent.add({ ...sent, known: undefined });
    if (failure !== "refused") return { isOfNode: false, sentence: unanswered(failure) };
    // A node that answered too late may have taken it, so that now it is waiting or in a block
    const status = await this.status(tx.chainId, tx.txId);
    return status?.kind === "processing" ? undefined : { isOfNode: true, sentence: nodeText ?? outcome.error.message };
  }

  async status(chainId: Id, txId: Id): Promise<LiveStatus | undefined> {
    const tx = this.#sent.get(chainId, txId);
    if (tx === undefined) return undefined;
    const now = performance.now();
    if (tx.asked === undefined || now - tx.asked.at >= STATUS_KEPT_MS) tx.asked = { at: now, answer: this.#askStatus(tx) };
    return tx.asked.answer;
  }

  async fact(name: LiveFact): Promise<PassedFact> {
    const outcome = await this.#ask({ method: name, params: {}, path: "/ext/info" });
    const from = this.#nameOf(outcome);
    if ("result" in outcome) return { from, result: outcome.result };
    const { failure, nodeText } = outcome.error as UpstreamError;
    if (failure === "refused" && nodeText !== undefined) return { from, refusal: nodeText };
    return { from: undefined, refusal: `${name}: none of the nodes that this server follows tells it at present` };
  }

  async uptimes(): Promise<PassedUptimes | undefined> {
    const outcome = await this.#ask(UPTIMES_CALL, { accept: ([answer]) => requireUptimes(answer!) });
    const validators = "result" in outcome ? uptimesOf(outcome.result) : undefined;
    if (validators === undefined) return undefined;
    return { from: this.#nameOf(outcome), version: ++this.#uptimesVersion, validators };
  }

  close(): Promise<void> {
    return this.#rpc.close();
  }

  #nameOf({ upstream }: RpcOutcome): string | undefined {
    return upstream === undefined ? undefined : this.#rpc.states()[upstream]!.name;
  }

  async #askStatus(tx: SentTx): Promise<LiveStatus | undefined> {
    // who took it knows best
    const rank = (place: number) => (place === tx.upstream ? -1 : place);
    const outcome = await this.#ask(statusCall(tx, this.#network), { rank });
    const said = statusIn(outcome);
    if (said === undefined) return tx.known;
    if (said.kind !== "unknown") tx.known = said;
    else if (performance.now() - tx.sentAt >= GOSSIP_MS) tx.known = undefined;
    return tx.known;
  }

  async #ask(
    call: RpcCall,
    options: Pick<NonNullable<Parameters<Upstreams["requestAll"]>[1]>, "accept" | "rank"> = {},
  ): Promise<RpcOutcome> {
    const [outcome] = await this.#rpc.requestAll([call], { ...options, isInteractive: true, attempts: 1 });
    return outcome!;
  }
}

/** A node that took another transaction than the one sent cannot be believed. */
function requireId(outcome: RpcOutcome, txId: Id): void {
  if (!("result" in outcome)) return;
  const { txID } = (outcome.result ?? {}) as { txID?: unknown };
  if (txID !== formatId(txId)) throw new UpstreamError("malformed", `the node answered issueTx of ${formatId(txId)} without its ID`);
}

function requireUptimes(outcome: RpcOutcome): void {
  if (!("result" in outcome) || uptimesOf(outcome.result) !== undefined) return;
  throw new UpstreamError("malformed", "the node's answer to platform.getCurrentValidators does not tell validators' uptimes");
}

function unanswered(failure: UpstreamError["failure"]): string {
  return failure === "timeout"
    ? "couldn't issue tx: it is valid, but no node that this server follows answered in time, so one may have taken it; ask for its status, or issue it again"
    : "couldn't issue tx: it is valid, but no node that this server follows took it; issue it again later";
}
