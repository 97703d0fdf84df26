/** The result of one comparison between a recording and Firn. */
export interface CheckResult {
  readonly name: string;
  /** absent: passed */
  readonly failure?: string;
}

export function check(name: string, failure: string | undefined): CheckResult {
  return failure === undefined ? { name } : { name, failure };
}

export function difference(actual: string, expected: string): string | undefined {
  return actual === expected ? undefined : `got ${actual}\n  expected ${expected}`;
}
