/**
 * What contracts said about themselves, when a change of the index is undone: another contract may have said it, or one that no longer
 * exists. Rows of contracts that are gone are removed; the others are asked again.
 */
import type { Change, TableKey } from "../../base/table/table.ts";
import { evmContracts, evmNfts, evmTokens } from "./tables.ts";
import { evmContractMetadata, evmContractQueue, evmLyingTokens, evmNftMetadata, evmTokenChecks } from "./token-tables.ts";

/** Changes of the token service's tables that belong to undoing a change of the index. */
export function unsaid({ table, key, value }: Change): Change[] {
  const isGone = value === undefined;
  switch (table.id) {
    case evmContracts.id: {
      const { chain, contract } = key as TableKey<typeof evmContracts>;
      return [...(isGone ? [removed(evmContractMetadata, { chain, contract })] : []), asked(chain, contract)];
    }
    case evmTokens.id: {
      const { chain, token } = key as TableKey<typeof evmTokens>;
      const checks = [removed(evmTokenChecks, { chain, token }), removed(evmLyingTokens, { chain, token })];
      return [...(isGone ? checks : []), asked(chain, token)];
    }
    case evmNfts.id:
      return isGone ? [removed(evmNftMetadata, key as TableKey<typeof evmNftMetadata>)] : [];
    default:
      return [];
  }
}

function removed<T extends Change["table"]>(table: T, key: TableKey<T>): Change {
  return { table, key, value: undefined };
}

function asked(chain: number, contract: string): Change {
  return { table: evmContractQueue, key: { chain, dueAt: 0n, contract }, value: {} };
}
