/**
 * Decides which recorded requests a network must answer equally if it was issued the same transactions at the same times, and why the
 * others are left out. The rules depend on the subject of a request, never on a single case.
 */

/** Why a request is not compared; undefined if it is. */
export function reasonToLeaveOut(path: string, { isSigned }: { readonly isSigned: boolean }): string | undefined {
  if (path === "/ext/index/C/block") return "containers of C hold the blocks of another EVM";
  if (/^\/ext\/index\/[PX]\/block$/.test(path) && isSigned) return "containers hold the recorded node's signature";
  return undefined;
}
