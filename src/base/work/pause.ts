/** Resolves after `ms`, or as soon as one of the signals is aborted. It leaves nothing behind in signals that live long, as `AbortSignal.any` does. */
export function pause(ms: number, ...signals: readonly AbortSignal[]): Promise<void> {
  return new Promise((resolve) => {
    const end = () => {
      clearTimeout(timer);
      for (const signal of signals) signal.removeEventListener("abort", end);
      resolve();
    };
    const timer = setTimeout(end, ms);
    if (signals.some(({ aborted }) => aborted)) end();
    else for (const signal of signals) signal.addEventListener("abort", end);
  });
}
