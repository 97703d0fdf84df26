import { formatId } from "../../../base/bytes/cb58.ts";
import type { Id } from "../../../base/bytes/id.ts";
import { platformTxs } from "../../../chains/platform/tables.ts";
import type { RpcContext } from "../method.ts";

/** Returns why an ID is not a subnet or blockchain, if it is that of another transaction. Undefined if there is no such transaction. */
export async function wrongKind({ reader }: RpcContext, id: Id, wanted: "subnet" | "blockchain"): Promise<string | undefined> {
  const tx = await reader.get(platformTxs, { txId: id });
  return tx === undefined ? undefined : `"${formatId(id)}" is not a ${wanted}`;
}
