/** The other chains' side of shared memory, read leniently from a recording, so that an asset chain can be executed alone. */
import type { AssetChain } from "../../../src/asset/chain.ts";
import { parseEvmBlock } from "../../../src/atomic/evm-block.ts";
import type { SharedElement } from "../../../src/atomic/shared-memory.ts";
import { exportedUtxo } from "../../../src/atomic/tx.ts";
import { unwrapBlock } from "../../../src/network/proposervm.ts";
import { platformChains } from "../../../src/platform/tables.ts";
import { parseId } from "../../../src/primitives/cb58.ts";
import { encodeVersioned } from "../../../src/primitives/codec/codec.ts";
import { sha256Hex } from "../../../src/primitives/hash.ts";
import { PLATFORM_CHAIN_ID } from "../../../src/primitives/id.ts";
import { utxoId } from "../../../src/primitives/utxo-id.ts";
import { fromChecksummedHex, fromHex, type Recording, readLines } from "./recording.ts";
import type { AssetReplay } from "./replay.ts";

/**
 * What P and C export to X, all beforehand, and the blockchains that exist. An import needs its elements to be there; the order across
 * chains is the ingester's matter.
 */
export function feedOtherChains({ folder, network }: Recording, replay: AssetReplay): void {
  for (const line of readLines(folder, "txs/P.jsonl")) {
    const { id, hex, json } = JSON.parse(line) as { id: string; hex: string; json: { unsignedTx: Record<string, unknown> } };
    const { chainName, subnetID, destinationChain } = json.unsignedTx;
    if (chainName !== undefined) {
      const row = { sequence: 0n, subnetId: parseId(subnetID as string), name: "", vmId: PLATFORM_CHAIN_ID, fxIds: [] };
      replay.view.put(platformChains, { chainId: parseId(id) }, row);
    }
    if (destinationChain !== undefined && parseId(destinationChain as string) === network.xChainId) {
      replay.receive(PLATFORM_CHAIN_ID, platformExports(fromChecksummedHex(hex), replay.chain));
    }
  }
  for (const line of readLines(folder, "blocks/C.jsonl")) {
    const { container } = JSON.parse(line) as { container: string | null };
    if (container !== null) replay.receive(network.cChainId, evmExports(fromHex(container), replay));
  }
  replay.commit();
}

/** An ExportTx of P has the layout of one of X, under another type ID. */
function platformExports(bytes: Buffer, chain: AssetChain): SharedElement[] {
  const txId = sha256Hex(bytes);
  const asExport = Buffer.from(bytes);
  asExport.writeUInt32BE(4, 2);
  const { unsigned } = chain.codec.parseTx(asExport);
  if (unsigned.kind !== "ExportTx") throw new TypeError("not an ExportTx");
  return unsigned.exportedOutputs.map(({ assetId, output }, i) => {
    const utxo = { txId, outputIndex: unsigned.outputs.length + i, assetId, output };
    return { key: utxoId(txId, utxo.outputIndex), bytes: encodeVersioned(chain.codec.utxo, utxo), traits: output.addresses };
  });
}

function evmExports(container: Buffer, { network }: AssetReplay): SharedElement[] {
  const { inner } = unwrapBlock(container, () => true);
  const { atomicTxs } = parseEvmBlock(inner, network.upgrades.times.apricotPhase5);
  return atomicTxs.flatMap(({ id: txId, unsigned }) => {
    if (unsigned.kind !== "ExportTx" || unsigned.destinationChain !== network.xChainId) return [];
    return unsigned.exportedOutputs.map(({ assetId, output }, outputIndex) => {
      const bytes = encodeVersioned(exportedUtxo, { txId, outputIndex, assetId, output });
      return { key: utxoId(txId, outputIndex), bytes, traits: output.addresses };
    });
  });
}
