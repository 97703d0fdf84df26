/** The operator's tokens by name and symbol. */
import { foldedName } from "../../base/bytes/folded-name.ts";
import type { Address } from "../../sources/evm/parser/block.ts";
import type { TokenLabel } from "./labels.ts";

export class LabelNames {
  /** in order of the folded names */
  readonly #names: readonly (readonly [folded: string, token: Address])[];

  constructor(tokens: ReadonlyMap<Address, TokenLabel>) {
    const names = [...tokens].flatMap(([token, { name = "", symbol = "" }]) =>
      [...new Set([name, symbol].map(foldedName))].map((folded) => [folded, token] as const),
    );
    this.#names = names
      .filter(([folded]) => folded !== "")
      .sort(([a, tokenA], [b, tokenB]) => (a < b || (a === b && tokenA < tokenB) ? -1 : 1));
  }

  beginningWith(folded: string, limit: number): Address[] {
    const found = new Set<Address>();
    for (let at = this.#firstFrom(folded); at < this.#names.length && found.size < limit; at++) {
      const [name, token] = this.#names[at]!;
      if (!name.startsWith(folded)) break;
      found.add(token);
    }
    return [...found];
  }

  #firstFrom(folded: string): number {
    let [low, high] = [0, this.#names.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.#names[middle]![0] < folded) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}
