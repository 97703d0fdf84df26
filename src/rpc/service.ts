/** The methods of one endpoint, found by the name a client sends (rpc-avm-info-health 1.9, rows 3–6). */
import { quoteText } from "../primitives/go-text.ts";
import { RpcError } from "./errors.ts";
import type { JsonToken } from "./go-json.ts";
import type { Method } from "./method.ts";
import { object, type ParamKind } from "./params.ts";

export interface ServedMethod {
  readonly method: Method;
  readonly params: ParamKind<object>;
}

export class Service {
  readonly #methods = new Map<string, ServedMethod>();
  readonly #services = new Set<string>();

  constructor(methods: readonly Method[]) {
    for (const method of methods) {
      this.#methods.set(method.name, { method, params: object(method.params) });
      this.#services.add(method.name.slice(0, method.name.indexOf(".")));
    }
  }

  names(): string[] {
    return [...this.#methods.keys()];
  }

  /** The method of that name, or an RpcError with the node's text. */
  find(name: string): ServedMethod {
    const served = this.#methods.get(name);
    if (served !== undefined) return served;
    const dot = name.indexOf(".");
    const first = dot === -1 ? undefined : name.slice(dot + 1).match(/^./su)?.[0];
    if (first !== undefined && /^\p{Lu}/u.test(first)) throw new RpcError("method must start with a non-uppercase letter");
    const goName =
      first === undefined || first === "\ufffd" ? name : name.slice(0, dot + 1) + upper(first) + name.slice(dot + 1 + first.length);
    const parts = goName.split(".");
    if (parts.length !== 2) throw new RpcError(`rpc: service/method request ill-formed: ${quoteText(goName)}`);
    if (!this.#services.has(parts[0]!)) throw new RpcError(`rpc: can't find service ${quoteText(goName)}`);
    // Letters such as the long s have an ASCII capital: the node finds the method then
    const folded = this.#methods.get(`${parts[0]}.${lowerFirst(parts[1]!)}`);
    if (folded === undefined) throw new RpcError(`rpc: can't find method ${quoteText(goName)}`);
    return folded;
  }
}

/** Decodes `params`: an object, or an array whose first element is the object (rpc-avm-info-health 1.10). */
export function readParams(kind: ParamKind<object>, params: JsonToken | undefined): object {
  if (params === undefined) return kind.zero;
  if (params.kind !== "array") return kind.decode(params, kind.zero);
  const [first] = params.elements();
  return first === undefined ? kind.zero : kind.decode(first, kind.zero);
}

/** Go's ToUpper of one character; JavaScript's may give several. */
function upper(character: string): string {
  const capital = character.toUpperCase();
  return [...capital].length === 1 ? capital : character;
}

function lowerFirst(name: string): string {
  return name.slice(0, 1).toLowerCase() + name.slice(1);
}
