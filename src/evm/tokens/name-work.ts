/**
 * Looks once after the start for tokens that are not found by the names that are known of them: an older Firn asked for these. Names that
 * become known later are written with them (`metadata-work.ts`).
 */
import type { Address } from "../../sources/evm/parser/block.ts";
import { evmTokens } from "../index/tables.ts";
import { evmContractMetadata, evmNamedTokens } from "../index/token-tables.ts";
import { nameChanges } from "./token-names.ts";
import type { TokenWork, WorkParts } from "./token-work.ts";

const TOKENS_PER_STEP = 500;

export class NameWork implements TokenWork {
  readonly #parts: Pick<WorkParts, "store" | "commits" | "chain">;
  /** token up to which it has come; undefined: to the end */
  #reached: Address | undefined = "";

  constructor(parts: Pick<WorkParts, "store" | "commits" | "chain">) {
    this.#parts = parts;
  }

  async step(): Promise<boolean> {
    if (this.#reached === undefined) return false;
    const { store, commits, chain } = this.#parts;
    const after = this.#reached === "" ? {} : { after: { token: this.#reached } };
    const tokens = await store.scan(evmTokens, { prefix: { chain }, ...after, limit: TOKENS_PER_STEP });
    const [said, named] = await Promise.all([
      store.getMany(
        evmContractMetadata,
        tokens.map(({ key }) => ({ chain, contract: key.token })),
      ),
      store.getMany(
        evmNamedTokens,
        tokens.map(({ key: { token } }) => ({ chain, token })),
      ),
    ]);
    await commits.commit(
      tokens.flatMap(({ key: { token }, value: { kind, height } }, i) => {
        const metadata = said[i];
        return nameChanges(chain, token, named[i], kind === 0 || metadata === undefined ? undefined : { height, metadata });
      }),
    );
    this.#reached = tokens.length < TOKENS_PER_STEP ? undefined : tokens.at(-1)!.key.token;
    return this.#reached !== undefined;
  }
}
