import { platformTxs } from "../../platform/tables.ts";
import { formatId } from "../../primitives/cb58.ts";
import type { Id } from "../../primitives/id.ts";
import type { RpcContext } from "../method.ts";

/** Why an ID is no subnet (or blockchain): there is another transaction of that ID, or – undefined – none at all. */
export async function wrongKind({ reader }: RpcContext, id: Id, wanted: "subnet" | "blockchain"): Promise<string | undefined> {
  const tx = await reader.get(platformTxs, { txId: id });
  return tx === undefined ? undefined : `"${formatId(id)}" is not a ${wanted}`;
}
