/** What a promise resolves to; undefined if it takes longer, or the signal is aborted first. The promise must not reject. */
export function within<T>(promise: Promise<T>, ms: number, signal: AbortSignal): Promise<T | undefined> {
  return new Promise((resolve) => {
    const end = (value?: T) => {
      clearTimeout(timer);
      signal.removeEventListener("abort", giveUp);
      resolve(value);
    };
    const giveUp = () => end();
    const timer = setTimeout(giveUp, ms);
    signal.addEventListener("abort", giveUp);
    if (signal.aborted) giveUp();
    void promise.then(end);
  });
}
