/**
 * The X-chain's genesis bytes and the AVAX asset: one CreateAssetTx with all initial funds on X (chain-formats 5.9, 11.3). Written field by
 * field, because src/chains/platform must not import src/chains/asset.
 */

import { sha256Hex } from "../../../base/bytes/hash.ts";
import { EMPTY_ID, type Id } from "../../../base/bytes/id.ts";
import { Writer } from "../../../base/codec/reader.ts";
import type { Allocation, GenesisConfig } from "../../../network/genesis-file.ts";

const CREATE_ASSET_TX = 1;
const TRANSFER_OUTPUT = 7;
const SECP256K1_FX_INDEX = 0;
const DENOMINATION = 9;
const ALIAS = "AVAX";

export function xChainGenesis(config: GenesisConfig): { readonly genesisBytes: Buffer; readonly avaxAssetId: Id } {
  const writer = new Writer();
  writer.u16(0); // codec version
  writer.u32(1); // assets
  writeText(writer, ALIAS);
  writeAsset(writer, config);
  const genesisBytes = writer.finish();
  const fields = genesisBytes.subarray(2 + 4 + 2 + ALIAS.length);
  return { genesisBytes, avaxAssetId: createAssetTxId(fields) };
}

/** The asset's ID is that of the full CreateAssetTx, of which the genesis contains a part. */
function createAssetTxId(fields: Buffer): Id {
  const writer = new Writer(fields.length + 16);
  writer.u16(0); // codec version
  writer.u32(CREATE_ASSET_TX);
  writer.raw(fields);
  writer.u32(0); // credentials
  return sha256Hex(writer.finish());
}

function writeAsset(writer: Writer, config: GenesisConfig): void {
  const holders = config.allocations.filter(({ initialAmount }) => initialAmount > 0n).sort(byAmountAndAddress);
  writer.u32(config.networkId);
  writer.hex(EMPTY_ID); // blockchain ID: not known yet
  writer.u32(0); // outputs
  writer.u32(0); // inputs
  const memo = Buffer.from(holders.map(({ ethereumAddress }) => ethereumAddress).join(""), "hex");
  writer.u32(memo.length);
  writer.raw(memo);
  writeText(writer, "Avalanche");
  writeText(writer, "AVAX");
  writer.u8(DENOMINATION);
  writer.u32(holders.length > 0 ? 1 : 0); // initial states
  if (holders.length === 0) return;
  writer.u32(SECP256K1_FX_INDEX);
  writer.u32(holders.length);
  for (const holder of holders) writeOutput(writer, holder);
}

/** Sorted by amount and address, the outputs are also sorted by their bytes. */
function writeOutput(writer: Writer, { initialAmount, address }: Allocation): void {
  writer.u32(TRANSFER_OUTPUT);
  writer.u64(initialAmount);
  writer.u64(0n); // locktime
  writer.u32(1); // threshold
  writer.u32(1); // addresses
  writer.hex(address);
}

function writeText(writer: Writer, text: string): void {
  writer.u16(text.length);
  writer.raw(Buffer.from(text, "latin1"));
}

function byAmountAndAddress(a: Allocation, b: Allocation): number {
  if (a.initialAmount !== b.initialAmount) return a.initialAmount < b.initialAmount ? -1 : 1;
  return a.address < b.address ? -1 : a.address > b.address ? 1 : 0;
}
