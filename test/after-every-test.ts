/**
 * Clean-up functions of test helpers. Test files that run in one process share the modules they import, so a hook that such a module
 * registered with vitest would apply to the first file only. `setup.ts` runs before each file and registers one hook for all of them.
 */
type CleanUp = () => void | Promise<void>;

const cleanUps: CleanUp[] = [];

/** Called after each test, those of helpers before those of the helpers that they use. */
export function afterEveryTest(cleanUp: CleanUp): void {
  cleanUps.unshift(cleanUp);
}

export async function cleanUp(): Promise<void> {
  for (const each of cleanUps) await each();
}
