/** Imports funds that another chain exported. Rules: chain-rules 10.4. */

import { formatId } from "../../../base/bytes/cb58.ts";
import { PLATFORM_CHAIN_ID } from "../../../base/bytes/id.ts";
import { utxoIdOf } from "../../../base/bytes/utxo-id.ts";
import { decodeVersioned, list, type Value, variant } from "../../../base/codec/codec.ts";
import { NotExportedError, RuleError, within } from "../../../network/execution.ts";
import { sharedElementKeys } from "../../shared-memory/shared-memory.ts";
import { baseComplexity, inputsComplexity, sum } from "../complexity.ts";
import { producedAvax, verifySpend } from "../flow.ts";
import { id, transferableInput, type Utxo, utxo as utxoCodec } from "../output.ts";
import { verifyInput, verifyInputOrder } from "../output-rules.ts";
import { readable } from "../readable.ts";
import { applyBase, baseFields, defineTx, inputKeys, type TxContext, verifyBase } from "./base.ts";
import { verifySameSubnet } from "./same-subnet.ts";
import type { Signed } from "./signed.ts";

const codec = variant("ImportTx", { ...baseFields, sourceChain: id, importedInputs: list(transferableInput) });
export type ImportTx = Value<typeof codec>;

export const importTx = defineTx<ImportTx>({
  name: "ImportTx",
  typeId: 17,
  codec,
  // source, number of inputs
  complexity: (tx) => sum({ bandwidth: 32 + 4 }, baseComplexity(tx), inputsComplexity(tx.importedInputs)),
  names: () => [],
  isAtomic: true,
  imported: ({ importedInputs }) => importedInputs,
  keysRead: (tx) => [...inputKeys(tx), ...sharedElementKeys(PLATFORM_CHAIN_ID, tx.sourceChain, tx.importedInputs.map(utxoIdOf))],
  verifyForm(tx, network) {
    if (tx.importedInputs.length === 0) throw new RuleError("no-imports", "tx has no imported inputs");
    verifyBase(tx, network);
    for (const input of tx.importedInputs) within("input failed verification", () => verifyInput(input));
    verifyInputOrder(tx.importedInputs);
  },
  execute(tx, context) {
    if (context.level === "full") verifyImport(tx, context);
    applyBase(tx, context.state);
    context.state.importUtxos(tx.unsigned.sourceChain, tx.unsigned.importedInputs.map(utxoIdOf));
  },
});

function verifyImport(tx: Signed<ImportTx>, context: TxContext): void {
  const { sourceChain, importedInputs, inputs, outputs } = tx.unsigned;
  const { state, network } = context;
  verifySameSubnet(sourceChain, state);
  const elements = importedInputs.map((input) => {
    const utxoId = utxoIdOf(input);
    const element = state.sharedMemory.get(PLATFORM_CHAIN_ID, sourceChain, utxoId);
    if (element === undefined) {
      throw new NotExportedError("import-not-found", "failed to get shared memory: not found", { sourceChain, utxoId });
    }
    return element;
  });
  const utxos = inputs.map((input) => {
    const utxo = state.utxo(utxoIdOf(input));
    if (utxo !== undefined) return utxo;
    throw new RuleError("utxo-not-found", `failed to get UTXO ${formatId(input.txId)}:${input.outputIndex}: not found`);
  });
  utxos.push(...elements.map(({ bytes }) => parseImported(bytes)));
  const produced = new Map([[network.avaxAssetId, producedAvax(context)]]);
  verifySpend(tx, { inputs: [...inputs, ...importedInputs], utxos, credentials: tx.credentials, outputs, produced }, context);
}

function parseImported(bytes: Uint8Array): Utxo {
  return within("failed to unmarshal UTXO", () => readable(() => decodeVersioned(utxoCodec, bytes)));
}
