/**
 * Asks contracts, bounded in gas and thereby in the size of answers. The questions to one contract travel as one call of a multicall contract
 * where there is one, so that a hostile contract can spoil only what it says of itself; several contracts share a JSON-RPC message.
 * A contract that reverts, runs out of gas or answers too much has answered: nothing. That an upstream fails is an error.
 */
import { FirnError } from "../../primitives/errors.ts";
import type { Address } from "../block.ts";
import type { EvmRpc, RpcCall, RpcOutcome } from "../rpc/evm-rpc.ts";
import { EvmRpcError } from "../rpc/evm-rpc-error.ts";
import { type Answer, type ContractCall, decodeAggregate, encodeAggregate, gasCanary } from "./multicall.ts";

export type AskedAt = bigint | "latest";

/** an answer of 200 kB fits in; about 700 kB is what so much gas pays for */
const CALL_GAS = 1_000_000n;
/** a question that takes all it gets leaves a 64th to those behind it: still enough for them */
const MULTICALL_GAS = 12_000_000n;
/** contracts in one message: bounds what hostile ones can make an upstream send at once */
const GROUPS_PER_MESSAGE = 8;

/** The upstream holds no state of that height. */
export class NoStateError extends FirnError {
  constructor(at: bigint, cause: Error) {
    super("no-state", `the node has no state of block ${at} (${cause.message}); use one that keeps it`, { height: at }, { cause });
  }
}

export class ContractReader {
  readonly #rpc: EvmRpc;
  readonly #multicall: Address | undefined;
  readonly #boundsGas: boolean;

  /** @param options `boundsGas` false: the node takes no amount of gas, it has its own */
  constructor(rpc: EvmRpc, multicall: Address | undefined, { boundsGas = true } = {}) {
    this.#rpc = rpc;
    this.#multicall = multicall;
    this.#boundsGas = boundsGas;
  }

  /**
   * Answers in the order of the questions. Throws NoStateError if the upstream holds no state of that height for some of them.
   * @param groups each of the questions to one contract
   */
  async ask(groups: readonly (readonly ContractCall[])[], at: AskedAt, signal?: AbortSignal): Promise<Answer[][]> {
    const answers: Answer[][] = [];
    for (let first = 0; first < groups.length; first += GROUPS_PER_MESSAGE) {
      answers.push(...(await this.#askSome(groups.slice(first, first + GROUPS_PER_MESSAGE), at, signal)));
    }
    return answers;
  }

  /** Questions of which one may take much more gas than usual, and to one contract or many: each in a call of its own. */
  async askEach(calls: readonly ContractCall[], at: AskedAt, { gas = CALL_GAS, signal }: AskOptions = {}): Promise<Answer[]> {
    const outcomes = await this.#request(
      calls.map((call) => this.#ethCall(call, gas, at)),
      signal,
    );
    return outcomes.map((outcome) => answerOf(outcome, at));
  }

  /** Newest block that the upstream knows. */
  async head(): Promise<bigint> {
    const [outcome] = await this.#request([{ method: "eth_blockNumber", params: [] }], undefined);
    return numberOf(outcome!, "latest") ?? 0n;
  }

  /** wei of an account */
  async nativeBalances(accounts: readonly Address[], at: AskedAt, signal?: AbortSignal): Promise<(bigint | undefined)[]> {
    const outcomes = await this.#request(
      accounts.map((account) => ({ method: "eth_getBalance", params: [`0x${account}`, blockTag(at)] })),
      signal,
    );
    return outcomes.map((outcome) => numberOf(outcome, at));
  }

  async #askSome(groups: readonly (readonly ContractCall[])[], at: AskedAt, signal: AbortSignal | undefined): Promise<Answer[][]> {
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

  /** undefined for groups that are to be asked call by call */
  async #aggregated(
    groups: readonly (readonly ContractCall[])[],
    at: AskedAt,
    signal: AbortSignal | undefined,
  ): Promise<({ answers: Answer[]; isStarved: boolean } | undefined)[]> {
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

/** Some nodes refuse calls with more gas than they allow; others take what they allow. */
export async function takesGas(rpc: EvmRpc, gas: bigint): Promise<boolean> {
  const nobody = { to: "00".repeat(20), data: "0x" };
  const [outcome] = await rpc.requestAll([ethCall(nobody, gas, "latest")]);
  return !("error" in outcome! && outcome.error instanceof EvmRpcError && outcome.error.failure === "refused");
}

function blockTag(at: AskedAt): string {
  return at === "latest" ? at : `0x${at.toString(16)}`;
}

function answerOf(outcome: RpcOutcome, at: AskedAt): Answer {
  const result = resultOf(outcome, at);
  if (result === undefined) return undefined;
  if (typeof result !== "string" || !/^0x(?:[0-9a-f]{2})*$/i.test(result)) {
    throw new EvmRpcError(
      "malformed",
      "the node answered eth_call with something else than bytes; use a node that answers 0x and hex digits",
    );
  }
  return Buffer.from(result.slice(2), "hex");
}

function numberOf(outcome: RpcOutcome, at: AskedAt): bigint | undefined {
  const result = resultOf(outcome, at);
  if (result === undefined) return undefined;
  if (typeof result !== "string" || !/^0x[0-9a-f]{1,64}$/i.test(result)) {
    throw new EvmRpcError("malformed", "the node answered with something else than a number; use a node that answers 0x and hex digits");
  }
  return BigInt(result);
}

/** undefined: the contract failed. Of the newest state a node that has none lies: a contract can word its revert like that. */
function resultOf(outcome: RpcOutcome, at: AskedAt): unknown {
  if ("result" in outcome) return outcome.result;
  const { error } = outcome;
  if (!(error instanceof EvmRpcError)) throw error;
  if (error.failure === "refused" || error.failure === "too-large") return undefined;
  if (error.failure === "no-state") {
    if (at === "latest") return undefined;
    throw new NoStateError(at, error);
  }
  throw error;
}
