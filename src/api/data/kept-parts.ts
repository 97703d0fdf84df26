/** Parts of answers that outlive a state: each is made again once what it was made from has changed. */
export class KeptParts {
  readonly #kept = new WeakMap<object, { readonly version: string; readonly part: unknown }>();

  /**
   * @param of what the part is about; the part is forgotten with it
   * @param version of the rows from which the part is made; undefined: unknown, so the part is made and not kept
   */
  async get<T>(of: object, version: string | undefined, make: () => Promise<T>): Promise<T> {
    const kept = this.#kept.get(of);
    if (kept !== undefined && kept.version === version) return kept.part as T;
    const part = await make();
    if (version !== undefined) this.#kept.set(of, { version, part });
    return part;
  }
}
