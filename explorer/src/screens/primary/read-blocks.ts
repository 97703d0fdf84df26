/** Asks for blocks. */
import { answerOf, data } from "../../api/client.ts";
import type { components } from "../../api/data-api.d.ts";
import { networkInPaths } from "../../api/overview.ts";
import { useAnswer } from "../../api/queries.ts";
import type { PrimaryAlias } from "../../router.ts";
import { NAMES } from "./chains.ts";

export type Block = components["schemas"]["PrimaryNetworkBlock"];

/** @param id height or hash */
async function readBlock(chain: PrimaryAlias, id: string): Promise<Block> {
  const path = { network: await networkInPaths(), blockchainId: NAMES[chain], blockId: id };
  return answerOf(data.GET("/v1/networks/{network}/blockchains/{blockchainId}/blocks/{blockId}", { params: { path } }));
}

/** An accepted block never changes; one that is still to come is asked for again when the chain has grown. */
export function useBlock(chain: PrimaryAlias, id: string, { isWanted = true } = {}) {
  return useAnswer([chain, "block", id], () => readBlock(chain, id), { isWanted, follows: chain });
}
