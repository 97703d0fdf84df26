/**
 * Which recorded requests a network must answer alike that was issued the same transactions at the same times, and why the others are left
 * out. The rules name what a request is about, never a case.
 */

export interface AskedRequest {
  readonly path: string;
  readonly method: string;
}

/** Why a request is not compared; undefined if it is. */
export function reasonToLeaveOut({ path, method }: AskedRequest, { isSigned }: { isSigned: boolean }): string | undefined {
  if (path.startsWith("/ext/index/C/")) return "containers of C hold the blocks of another EVM";
  if (/^\/ext\/index\/[PX]\//.test(path) && isSigned && method.startsWith("index."))
    return "containers hold the recorded node's signatures";
  return undefined;
}
