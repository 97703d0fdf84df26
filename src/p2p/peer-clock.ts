/** Time for peers, so that tests can drive it. */
export interface PeerClock {
  /** Unix seconds: the wall clock, by which peers judge each other's */
  unixSeconds(): bigint;
  /** milliseconds that never go back */
  nowMs(): number;
  /** Runs something once, later; returns how to call it off. It keeps no process alive. */
  after(ms: number, run: () => void): () => void;
}

export const systemPeerClock: PeerClock = {
  unixSeconds: () => BigInt(Math.floor(Date.now() / 1000)),
  nowMs: () => performance.now(),
  after(ms, run) {
    const timer = setTimeout(run, ms).unref();
    return () => clearTimeout(timer);
  },
};
