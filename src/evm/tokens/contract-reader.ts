/**
 * Asks contracts. Gas limits bound the work and the size of answers. The questions to one contract are one call of a multicall contract, if
 * the chain has one, so that a hostile contract can only spoil its own answers. Several contracts share a JSON-RPC message. A contract that
 * reverts, runs out of gas or returns too much has no answer; a failing upstream is an error.
 */
import { FirnError } from "../../base/errors/errors.ts";
import type { Address } from "../../sources/evm/parser/block.ts";
import { UpstreamError } from "../../sources/upstream/upstream-error.ts";
import type { RpcCall, RpcOutcome, UpstreamRpc } from "../../sources/upstream/upstream-rpc.ts";
import { type CallAnswer, type ContractCall, decodeAggregate, encodeAggregate, gasCanary } from "./multicall.ts";

export type AskedAt = bigint | "latest";

/** allows an answer of 200 kB; this gas pays for about 700 kB at most */
const CALL_GAS = 1_000_000n;
/** A question that takes all gas leaves a 64th to those after it, which is enough for them. */
const MULTICALL_GAS = 12_000_000n;
/** contracts per message; bounds what hostile ones can make an upstream send at once */
const GROUPS_PER_MESSAGE = 8;

/** The upstream does not have the state of that height. */
export class NoStateError extends FirnError {
  constructor(at: bigint, cause: Error) {
    super("no-state", `the node has no state of block ${at} (${cause.message}); use one that keeps it`, { height: at }, { cause });
  }
}

export class ContractReader {
  readonly #rpc: UpstreamRpc;
  readonly #multicall: Address | undefined;
  readonly #boundsGas: boolean;

  /** @param options `boundsGas` false: send no gas limit, since the node has its own */
  constructor(rpc: UpstreamRpc, multicall: Address | undefined, { boundsGas = true } = {}) {
    this.#rpc = rpc;
    this.#multicall = multicall;
    this.#boundsGas = boundsGas;
  }

  /**
   * Returns answers in the order of the questions. Throws NoStateError if the upstream lacks the state of that height for some of them.
   * @param groups the questions to one contract each
   */
  async ask(groups: readonly (readonly ContractCall[])[], at: AskedAt, signal?: AbortSignal): Promise<CallAnswer[][]> {
    const answers: CallAnswer[][] = [];
    for (let first = 0; first < groups.length; first += GROUPS_PER_MESSAGE) {
      answers.push(...(await this.#askSome(groups.slice(first, first + GROUPS_PER_MESSAGE), at, signal)));
    }
    return answers;
  }

  /** Asks each question in its own call: one may take much more gas than usual, and they may be to any contracts. */
  async askEach(calls: readonly ContractCall[], at: AskedAt, { gas = CALL_GAS, signal }: AskOptions = {}): Promise<CallAnswer[]> {
    const outcomes = await this.#request(
      calls.map((call) => this.#ethCall(call, gas, at)),
      signal,
    );
    return outcomes.map((outcome) => answerOf(outcome, at));
  }

  /** Newest height that the upstream knows. */
  async head(): Promise<bigint> {
    const [outcome] = await this.#request([{ method: "eth_blockNumber", params: [] }], undefined);
    return numberOf(outcome!, "latest") ?? 0n;
  }

  /** Balances of accounts in wei. */
  async nativeBalances(accounts: readonly Address[], at: AskedAt, signal?: AbortSignal): Promise<(bigint | undefined)[]> {
    const outcomes = await this.#request(
      accounts.map((account) => ({ method: "eth_getBalance", params: [`0x${account}`, blockTag(at)] })),
      signal,
    );
    return outcomes.map((outcome) => numberOf(outcome, at));
  }

  async #askSome(groups: readonly (readonly ContractCall[])[], at: AskedAt, signal: AbortSignal | undefined): Promise<CallAnswer[][]> {
    const answers = await this.#aggregated(groups, at, signal);
    const missing: { group: number; place: number; call: ContractCall }[] = [];
    groups.forEach((calls, group) => {
      const known = answers[group];
      calls.forEach((call, place) => {
        if (known === undefined || (known.isStarved && known.answers[place] === undefined)) missing.push({ group, place, call });
      });
    });
    const results = groups.map((calls, group) => calls.map((_, place) => answers[group]?.answers[place]));
    const single = await this.askEach(
      missing.map(({ call }) => call),
      at,
      { signal },
    );
    missing.forEach(({ group, place }, i) => {
      results[group]![place] = single[i];
    });
    return results;
  }

  /** undefined for groups whose questions must be asked one by one */
  async #aggregated(
    groups: readonly (readonly ContractCall[])[],
    at: AskedAt,
    signal: AbortSignal | undefined,
  ): Promise<({ answers: CallAnswer[]; isStarved: boolean } | undefined)[]> {
    const multicall = this.#multicall;
    if (multicall === undefined) return groups.map(() => undefined);
    const canary = gasCanary(multicall);
    const messages = groups.map((calls) => this.#ethCall({ to: multicall, data: encodeAggregate([...calls, canary]) }, MULTICALL_GAS, at));
    const outcomes = await this.#request(messages, signal);
    return outcomes.map((outcome, i) => {
      const answer = answerOf(outcome, at);
      const answers = answer === undefined ? undefined : decodeAggregate(answer, groups[i]!.length + 1);
      return answers && { answers: answers.slice(0, -1), isStarved: answers.at(-1) === undefined };
    });
  }

  #ethCall(call: ContractCall, gas: bigint, at: AskedAt): RpcCall {
    return ethCall(call, this.#boundsGas ? gas : undefined, at);
  }

  async #request(calls: readonly RpcCall[], signal: AbortSignal | undefined): Promise<readonly RpcOutcome[]> {
    return calls.length === 0 ? [] : this.#rpc.requestAll(calls, { signal });
  }
}

export interface AskOptions {
  readonly gas?: bigint;
  readonly signal?: AbortSignal | undefined;
}

function ethCall({ to, data }: ContractCall, gas: bigint | undefined, at: AskedAt): RpcCall {
  return {
    method: "eth_call",
    params: [{ to: `0x${to}`, data, ...(gas !== undefined && { gas: `0x${gas.toString(16)}` }) }, blockTag(at)],
  };
}

/** Whether the node accepts this gas limit. Some nodes refuse calls above their own limit, others reduce it. */
export async function takesGas(rpc: UpstreamRpc, gas: bigint): Promise<boolean> {
  const nobody = { to: "00".repeat(20), data: "0x" };
  const [outcome] = await rpc.requestAll([ethCall(nobody, gas, "latest")]);
  return !("error" in outcome! && outcome.error instanceof UpstreamError && outcome.error.failure === "refused");
}

function blockTag(at: AskedAt): string {
  return at === "latest" ? at : `0x${at.toString(16)}`;
}

function answerOf(outcome: RpcOutcome, at: AskedAt): CallAnswer {
  const result = resultOf(outcome, at);
  if (result === undefined) return undefined;
  if (typeof result !== "string" || !/^0x(?:[0-9a-f]{2})*$/i.test(result)) {
    throw new UpstreamError("malformed", "the node did not return bytes for eth_call; use a node that returns 0x and hex digits");
  }
  return Buffer.from(result.slice(2), "hex");
}

function numberOf(outcome: RpcOutcome, at: AskedAt): bigint | undefined {
  const result = resultOf(outcome, at);
  if (result === undefined) return undefined;
  if (typeof result !== "string" || !/^0x[0-9a-f]{1,64}$/i.test(result)) {
    throw new UpstreamError("malformed", "the node did not return a number; use a node that returns 0x and hex digits");
  }
  return BigInt(result);
}

/**
 * Undefined: the contract failed. For the newest block, an error about missing state counts as that too, since a contract can revert with
 * such a text.
 */
function resultOf(outcome: RpcOutcome, at: AskedAt): unknown {
  if ("result" in outcome) return outcome.result;
  const { error } = outcome;
  if (!(error instanceof UpstreamError)) throw error;
  if (error.failure === "refused" || error.failure === "too-large") return undefined;
  if (error.failure === "no-state") {
    if (at === "latest") return undefined;
    throw new NoStateError(at, error);
  }
  throw error;
}
