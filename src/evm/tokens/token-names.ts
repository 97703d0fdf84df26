/** Rows by which tokens are found by name and symbol. */
import { foldedName, nameKey } from "../../base/bytes/folded-name.ts";
import type { Change, TableValue } from "../../base/table/table.ts";
import type { Address } from "../../sources/evm/parser/block.ts";
import { type evmContractMetadata, evmNamedTokens, evmTokenNames } from "../index/token-tables.ts";
import { rowChange } from "./token-commits.ts";

type Named = TableValue<typeof evmNamedTokens>;

/** What is known of a token. `height`: of its first log */
export interface MetName {
  readonly height: bigint;
  readonly metadata: Pick<TableValue<typeof evmContractMetadata>, "name" | "symbol">;
}

/** @param before its row. @param met undefined: it is no token (any more) */
export function nameChanges(chain: number, token: Address, before: Named | undefined, met: MetName | undefined): Change[] {
  const after = met && { height: met.height, names: keysOf(met.metadata) };
  const [old, wanted] = [namesOf(before), namesOf(after)];
  if (old.join() === wanted.join()) return [];
  const rowOf = (text: string, value: object | undefined): Change => {
    const [height, name] = text.split(" ") as [string, string];
    return rowChange(evmTokenNames, { chain, name, height: BigInt(height), token }, value && {});
  };
  return [
    ...old.filter((name) => !wanted.includes(name)).map((name) => rowOf(name, undefined)),
    ...wanted.filter((name) => !old.includes(name)).map((name) => rowOf(name, {})),
    rowChange(evmNamedTokens, { chain, token }, wanted.length === 0 ? undefined : after),
  ];
}

function namesOf(named: Named | undefined): string[] {
  return named === undefined ? [] : named.names.map((name) => `${named.height} ${name}`);
}

/** Text columns hold UTF-8 as latin1. */
function keysOf({ name, symbol }: MetName["metadata"]): string[] {
  const texts = [name, symbol].map((text) => (text === undefined ? "" : foldedName(Buffer.from(text, "latin1").toString())));
  return [...new Set(texts.filter((text) => text !== "").map(nameKey))].sort();
}
