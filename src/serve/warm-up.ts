/** Delay in milliseconds, so that the first answers do not wait for what others need. */
const DELAY_MS = 200;

/**
 * Loads what the first request of the Data API needs, soon after the start, while nobody waits. A request that comes earlier loads it, too, and
 * reports what is wrong with it. Returns what ends it: a load that is under way is waited for, so that nothing goes on after the server.
 */
export function warmUpSoon(load: () => Promise<void>): () => Promise<void> {
  let loading: Promise<void> | undefined;
  const timer = setTimeout(() => {
    loading = load().catch(() => {});
  }, DELAY_MS).unref();
  return async () => {
    clearTimeout(timer);
    await loading;
  };
}
