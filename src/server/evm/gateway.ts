/**
 * What stands between clients and the C-chain's EVM: it answers what coreth would and the EVM cannot, refuses what would part the EVM from
 * the network, and passes everything else on as it came. Bodies are latin1, one character per byte, as requests have them.
 */
import { FirnError } from "../../primitives/errors.ts";
import { JsonError, JsonToken } from "../../rpc/go-json.ts";
import { renderedText, stringJson } from "../../rpc/go-json-encode.ts";
import { type CorethParts, corethMethods } from "./coreth-methods.ts";
import { refusalOf } from "./refused-methods.ts";

const SERVER_ERROR = -32000;

/** One call of a body. */
export interface EvmCall {
  readonly raw: string;
  /** undefined: it has none that is a text */
  readonly method: string | undefined;
  /** as it was sent; undefined for a notification */
  readonly id: string | undefined;
}

export interface GatewayParts extends CorethParts {
  /** told of errors that are Firn's own fault */
  onDefect(error: unknown, method: string): void;
}

export class EvmGateway {
  readonly #parts: GatewayParts;

  constructor(parts: GatewayParts) {
    this.#parts = parts;
  }

  /** Empty if nothing is to be answered. */
  async answer(body: string): Promise<string> {
    const calls = callsOf(body);
    if (calls === undefined || !calls.list.some(isOwn)) return this.#forward(body, calls);
    if (!calls.isBatch) return this.answerCall(calls.list[0]!);
    const [theirs, ours] = await Promise.all([
      this.#forwardSome(calls.list.filter((call) => !isOwn(call))),
      Promise.all(calls.list.map((call) => (isOwn(call) ? this.answerCall(call) : undefined))),
    ]);
    // In the order of the calls, as far as the EVM answered in order too
    const rest = theirs[Symbol.iterator]();
    const answers = calls.list.map((call, index) => ours[index] ?? (call.id === undefined ? "" : (rest.next().value ?? "")));
    return batchAnswer([...answers, ...rest]);
  }

  /** The whole answer to one call. */
  async answerCall(call: EvmCall): Promise<string> {
    const own = corethMethods.get(call.method ?? "");
    const refusal = refusalOf(call.method ?? "");
    if (refusal !== undefined) return errorAnswer(call, refusal);
    if (own === undefined) return this.#forward(call.raw, { list: [call], isBatch: false });
    try {
      const result = await own(this.#parts);
      return call.id === undefined ? "" : `{"jsonrpc":"2.0","id":${call.id},"result":${renderedText(result)}}`;
    } catch (error) {
      return errorAnswer(call, this.#message(error, call.method));
    }
  }

  /** Answers to some calls of a batch, each as text. */
  async #forwardSome(calls: readonly EvmCall[]): Promise<string[]> {
    if (calls.length === 0) return [];
    const body = await this.#forward(`[${calls.map(({ raw }) => raw).join(",")}]`, { list: calls, isBatch: true });
    if (body === "") return [];
    const answers = JsonToken.first(body);
    return answers.kind === "array" ? answers.elements().map(({ raw }) => raw) : [answers.raw];
  }

  async #forward(body: string, calls: Calls | undefined): Promise<string> {
    try {
      return latin1(await this.#parts.evm.forward(Buffer.from(body, "latin1").toString()));
    } catch (error) {
      const message = this.#message(error, calls?.list[0]?.method);
      if (calls === undefined) return errorAnswer({ id: "null" }, message);
      const answers = calls.list.map((call) => errorAnswer(call, message));
      return calls.isBatch ? batchAnswer(answers) : answers.join("");
    }
  }

  #message(error: unknown, method: string | undefined): string {
    if (error instanceof FirnError) return error.message;
    this.#parts.onDefect(error, method ?? "none");
    return "internal error: the answer could not be made; the network's log says why";
  }
}

interface Calls {
  readonly list: readonly EvmCall[];
  readonly isBatch: boolean;
}

/** undefined if the body is none: the EVM says what is wrong with it. */
export function callsOf(body: string): Calls | undefined {
  try {
    const token = JsonToken.first(body);
    return token.kind === "array" ? { list: token.elements().map(callOf), isBatch: true } : { list: [callOf(token)], isBatch: false };
  } catch (error) {
    if (error instanceof JsonError) return undefined;
    throw error;
  }
}

function callOf(token: JsonToken): EvmCall {
  let method: string | undefined;
  let id: string | undefined;
  if (token.kind === "object") {
    token.members((name, value) => {
      if (name === "method") method = value.kind === "string" ? value.text : undefined;
      else if (name === "id") id = value.raw;
    });
  }
  return { raw: token.raw, method, id };
}

function isOwn({ method }: EvmCall): boolean {
  return method !== undefined && (corethMethods.has(method) || refusalOf(method) !== undefined);
}

/** Empty if all calls are notifications. */
function batchAnswer(answers: readonly string[]): string {
  const wanted = answers.filter((answer) => answer !== "");
  return wanted.length === 0 ? "" : `[${wanted.join(",")}]`;
}

/** Empty for a notification. */
export function errorAnswer({ id }: Pick<EvmCall, "id">, message: string): string {
  if (id === undefined) return "";
  return `{"jsonrpc":"2.0","id":${id},"error":{"code":${SERVER_ERROR},"message":${latin1(stringJson(message))}}}`;
}

function latin1(text: string): string {
  return Buffer.from(text).toString("latin1");
}
