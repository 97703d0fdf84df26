/**
 * A commit that failed is told twice: to who asked for it, and by a promise of lmdb's own that nobody holds. It names the first in
 * `commitError`. This file loads nothing, so that every command can ask.
 */
export function isEchoOfFailedCommit(reason: unknown): boolean {
  return reason instanceof Error && "commitError" in reason;
}
