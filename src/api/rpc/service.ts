/** Finds the methods of one endpoint by the name that a client sends (rpc-avm-info-health 1.9, rows 3–6). */

import { type AddressRules, parseServiceAddress } from "../../base/bytes/address.ts";
import { formatId } from "../../base/bytes/cb58.ts";
import { type Id, PLATFORM_CHAIN_ID, type ShortId } from "../../base/bytes/id.ts";
import { TextError } from "../../base/errors/text-error.ts";
import type { JsonToken } from "../../base/json/go-decode.ts";
import { quoteText } from "../../base/text/go-text.ts";
import { type Awaitable, andThen } from "../../base/work/awaitable.ts";
import { mapInTurns } from "../../base/work/work.ts";
import { assetChains } from "../../chains/asset/tables.ts";
import { subnetEvmChains } from "../../chains/subnet-evm/tables.ts";
import { scanAll } from "../../store/store.ts";
import { RpcError } from "./errors.ts";
import type { Method, RpcContext } from "./method.ts";
import { object, type ParamKind } from "./params.ts";

interface ServedMethod {
  readonly method: Method;
  readonly params: ParamKind<object>;
}

export class Service {
  readonly #methods = new Map<string, ServedMethod>();
  readonly #services = new Set<string>();
  /** price of a request whose method does not exist */
  readonly leastUnits: number;

  constructor(methods: readonly Method[]) {
    for (const method of methods) {
      this.#methods.set(method.name, { method, params: object(method.params) });
      this.#services.add(method.name.slice(0, method.name.indexOf(".")));
    }
    this.leastUnits = Math.min(...methods.map(({ computeUnits }) => computeUnits));
  }

  names(): string[] {
    return [...this.#methods.keys()];
  }

  /** Price in compute units, also for an unknown method. */
  priceOf(name: string): number {
    try {
      return this.find(name).method.computeUnits;
    } catch {
      return this.leastUnits;
    }
  }

  /** Whether the method changes the served state; false for an unknown method. */
  changesState(name: string): boolean {
    try {
      return this.find(name).method.changesState ?? false;
    } catch {
      return false;
    }
  }

  /** Returns the method, or throws an RpcError with the node's text. */
  find(name: string): ServedMethod {
    const served = this.#methods.get(name);
    if (served !== undefined) return served;
    const dot = name.indexOf(".");
    const first = dot === -1 ? undefined : name.slice(dot + 1).match(/^./su)?.[0];
    if (first !== undefined && /^\p{Lu}/u.test(first)) throw new RpcError("method must start with a non-uppercase letter");
    const goName =
      first === undefined || first === "\ufffd" ? name : name.slice(0, dot + 1) + upper(first) + name.slice(dot + 1 + first.length);
    const parts = goName.split(".", 3);
    if (parts.length !== 2) throw new RpcError(`rpc: service/method request ill-formed: ${quoteText(goName)}`);
    if (!this.#services.has(parts[0]!)) throw new RpcError(`rpc: can't find service ${quoteText(goName)}`);
    // Some letters, such as the long s, have an ASCII capital. The node finds the method then.
    const folded = this.#methods.get(`${parts[0]}.${lowerFirst(parts[1]!)}`);
    if (folded === undefined) throw new RpcError(`rpc: can't find method ${quoteText(goName)}`);
    return folded;
  }
}

/** Decodes `params` in pieces. It is an object, or an array whose first element is the object (rpc-avm-info-health 1.10). */
export function* paramSteps(kind: ParamKind<object>, params: JsonToken | undefined): Generator<void, object> {
  const token = params?.kind === "array" ? params.firstElement() : params;
  if (token === undefined) return kind.zero;
  return kind.decodeSteps === undefined ? kind.decode(token, kind.zero) : yield* kind.decodeSteps(token, kind.zero);
}

/** Go's ToUpper of one character. JavaScript's may return several characters. */
function upper(character: string): string {
  const capital = character.toUpperCase();
  return [...capital].length === 1 ? capital : character;
}

function lowerFirst(name: string): string {
  return name.slice(0, 1).toLowerCase() + name.slice(1);
}

// Resolves the names of chains in requests: the primary network's aliases, and the ID of every chain that this store executes.

/** Chain IDs by alias. */
export function chainAliases(context: RpcContext): Awaitable<ReadonlyMap<string, Id>> {
  return context.cached("chain aliases", async () => {
    const { xChainId, cChainId } = context.network;
    const aliases = new Map<string, Id>([
      ["P", PLATFORM_CHAIN_ID],
      ["platform", PLATFORM_CHAIN_ID],
      ["X", xChainId],
      ["avm", xChainId],
      ["C", cChainId],
      ["evm", cChainId],
    ]);
    for (const chainId of [PLATFORM_CHAIN_ID, xChainId, cChainId]) aliases.set(formatId(chainId), chainId);
    for await (const { value } of scanAll(context.reader, assetChains)) aliases.set(formatId(value.chainId), value.chainId);
    for await (const { value } of scanAll(context.reader, subnetEvmChains)) {
      if (value.runs) aliases.set(formatId(value.chainId), value.chainId);
    }
    return aliases;
  });
}

/** Fewer addresses are parsed in one piece. */
const FEW = 8;

/** Parses address parameters of the endpoint's chain, in order. The first invalid one fails the request with the node's text. */
export function parseAddresses(context: RpcContext, texts: readonly string[]): Awaitable<ShortId[]> {
  return andThen(chainAliases(context), (aliases) => parsedAddresses(context, texts, aliases));
}

function parsedAddresses(context: RpcContext, texts: readonly string[], aliases: ReadonlyMap<string, Id>): Awaitable<ShortId[]> {
  const rules: AddressRules & { chainId: Id } = {
    hrp: context.network.hrp,
    chainId: context.chain.chainId,
    resolveAlias: (alias) => aliases.get(alias),
  };
  const parse = (text: string) => {
    try {
      return parseServiceAddress(text, rules);
    } catch (error) {
      throw error instanceof TextError ? new RpcError(error.message) : error;
    }
  };
  return texts.length <= FEW ? texts.map(parse) : mapInTurns(context.work, texts, parse);
}
