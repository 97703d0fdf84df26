/** Tracks whether work that must not be left half-done was interrupted. */
export class WholeSections {
  /** entered and not yet completed */
  #open = 0;

  get areWhole(): boolean {
    return this.#open === 0;
  }

  /**
   * Runs a section that must not be left half-done.
   * @param leavesNothing tells errors after which nothing is half-done, unless a nested section was
   */
  async run<T>(work: () => T | Promise<T>, leavesNothing: (error: unknown) => boolean = () => false): Promise<T> {
    this.#open++;
    try {
      const result = await work();
      this.#open--;
      return result;
    } catch (error) {
      if (leavesNothing(error)) this.#open--;
      throw error;
    }
  }
}
