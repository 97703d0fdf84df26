/**
 * Which recorded requests a network must answer alike that was issued the same transactions at the same times, and why the others are left
 * out. The rules name what a request is about, never a case.
 */

/** Why a request is not compared; undefined if it is. */
export function reasonToLeaveOut(path: string, { isSigned }: { readonly isSigned: boolean }): string | undefined {
  if (path === "/ext/index/C/block") return "containers of C hold the blocks of another EVM";
  if (/^\/ext\/index\/[PX]\/block$/.test(path) && isSigned) return "containers hold the recorded node's signature";
  return undefined;
}
