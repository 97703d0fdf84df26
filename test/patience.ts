/** The one place where tests wait. `test/no-clock.grit` forbids timers and clocks elsewhere in `test/`. */

// the real one, also in a test that drives timers of its own
const { setTimeout } = globalThis;

const LOOK_AGAIN_MS = 5;

/**
 * Looks until it is so, and gives what it saw. Without a deadline of its own: the runner's alone ends what never comes, on a machine however slow.
 * What must not come has no moment to look at it: let something come that is sure to come after it, and look then.
 * @param isSo anything but undefined, null and false is so; what it throws ends the waiting
 */
export async function eventually<T>(isSo: () => T | Promise<T>): Promise<Exclude<T, undefined | null | false>> {
  for (;;) {
    const seen = await isSo();
    if (seen !== undefined && seen !== null && seen !== false) return seen as Exclude<T, undefined | null | false>;
    await delay(LOOK_AGAIN_MS);
  }
}

/**
 * Makes something slow, lets it go on until a random moment, or lets time pass that must change nothing: a slow upstream, a process that is killed
 * somewhere in its work. Never waits for something to be done by then: what a test says must hold after any delay.
 */
export function delay(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

/**
 * Milliseconds since it was called: a figure that a command prints, or how long something takes of which a random moment is drawn. No test holds
 * it against a bound.
 */
export function stopwatch(): () => number {
  const startedAt = performance.now();
  return () => performance.now() - startedAt;
}

const LOOKS_UNTIL_TOLD = 5_000;

/** Tries an assertion until it holds. After many looks it prints why it does not, since the runner's timeout says nothing of that. */
export async function eventuallyHolds(assertion: () => unknown): Promise<void> {
  let looks = 0;
  await eventually(async () => {
    try {
      await assertion();
      return true;
    } catch (error) {
      if (++looks === LOOKS_UNTIL_TOLD) console.error("an assertion that is waited for does not hold yet:", error);
      return false;
    }
  });
}
