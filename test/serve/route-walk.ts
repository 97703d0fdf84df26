/**
 * Requests for every route of the Data API, made from what other answers name: a route that takes a `txHash` gets those that a list of
 * transactions had.
 */
import { type AnyDataRoute, fullPath } from "../../src/api/data/route.ts";
import type { Answer } from "./counted-servers.ts";

/** Parameters that take a list, separated by commas, and how many a request names. */
const LISTS: Readonly<Record<string, number>> = { addresses: 60, nodeIds: 60 };

type Input = Readonly<Record<string, string>>;

export interface RouteRequest {
  readonly path: string;
  readonly init: RequestInit | undefined;
}

export class RouteWalk {
  readonly #found = new Map<string, Set<string>>();
  readonly #synonyms: Readonly<Record<string, readonly string[]>>;

  /**
   * @param known values of parameters, by name
   * @param synonyms members of answers that are values of a parameter
   */
  constructor(known: Readonly<Record<string, readonly string[]>>, synonyms: Readonly<Record<string, readonly string[]>>) {
    for (const [name, values] of Object.entries(known)) this.#found.set(name, new Set(values));
    this.#synonyms = synonyms;
  }

  /** Collects the texts of an answer by the name of their member. */
  learn({ text }: Answer): void {
    JSON.parse(text, (name, value) => {
      for (const one of Array.isArray(value) ? value : [value])
        if (typeof one === "string" || typeof one === "number") this.#add(name, `${one}`);
      return value;
    });
  }

  /** Requests of the route for at most `most` things, each with and without what is optional and makes the answer long. */
  requests(route: AnyDataRoute, most: number): RouteRequest[] {
    let paths = [fullPath(route)];
    for (const [placeholder, name] of route.path.matchAll(/\{(\w+)\}/g)) {
      const values = this.valuesOf(name!);
      paths = spread(
        paths.flatMap((path) => values.map((value) => path.replace(placeholder, encodeURIComponent(value)))),
        most,
      );
    }
    const queries = this.#inputs(route.query).map((input) => new URLSearchParams(input).toString());
    const init = route.method === "GET" ? undefined : posted(route.body === undefined ? {} : this.#inputs(route.body)[0]!);
    return paths.flatMap((path) => queries.map((query) => ({ path: query === "" ? path : `${path}?${query}`, init })));
  }

  #inputs(schema: { readonly properties: Readonly<Record<string, object>>; readonly required?: readonly string[] }): Input[] {
    const { properties, required = [] } = schema;
    const names = Object.keys(properties);
    const hasNoDefault = (name: string) => !("default" in properties[name]!);
    const always = Object.fromEntries(required.filter(hasNoDefault).map((name) => [name, this.#given(name)]));
    const page = names.includes("pageSize") ? { pageSize: "100" } : {};
    const lists = names.filter((name) => name in LISTS && !(name in always));
    return [{ ...always, ...page }, ...lists.map((name) => ({ ...always, ...page, [name]: this.#given(name) }))];
  }

  #given(name: string): string {
    return this.valuesOf(name)
      .slice(0, LISTS[name] ?? 1)
      .join();
  }

  valuesOf(name: string): string[] {
    return [name, ...(this.#synonyms[name] ?? [])].flatMap((member) => [...(this.#found.get(member) ?? [])]);
  }

  #add(name: string, value: string): void {
    const values = this.#found.get(name);
    if (values === undefined) this.#found.set(name, new Set([value]));
    else values.add(value);
  }
}

function posted(input: Input): RequestInit {
  return { method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify(input) };
}

/** At most so many items, from all over the list. */
export function spread<T>(items: readonly T[], most: number): T[] {
  if (items.length <= most) return [...items];
  return Array.from({ length: most }, (_, i) => items[Math.floor((i * items.length) / most)]!);
}
