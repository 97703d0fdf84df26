/** How long an answer stays the same: until the state changes and, if it was made with the clock, the clock shows another second. */
export interface Lasting {
  /** Unix seconds; undefined: it does not depend on the time */
  readonly clock: bigint | undefined;
}

/** @param clock of now */
export function lasts({ clock: madeAt }: Lasting, clock: () => bigint): boolean {
  return madeAt === undefined || madeAt === clock();
}
