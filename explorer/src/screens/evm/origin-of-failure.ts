/** What is known of a call that may have failed. */
export interface FailedCall {
  readonly depth: number;
  /** what it returned, 0x and hex */
  readonly output: string;
  readonly error?: string | undefined;
}

/** The innermost call that failed with what the transaction failed with: the calls around it passed its data on. */
export function originOfFailure<C extends FailedCall>(calls: readonly C[]): C | undefined {
  const [root, ...inner] = calls;
  if (root?.error === undefined) return undefined;
  let origin = root;
  for (const call of inner) {
    if (call.depth > origin.depth && call.error !== undefined && call.output === root.output && call.output !== "0x") origin = call;
  }
  return origin;
}
