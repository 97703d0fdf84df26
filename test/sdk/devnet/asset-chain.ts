/**
 * A subnet's blockchain with the asset VM. avalanchejs can only give blockchains a JSON genesis, and only talks to X among asset chains;
 * this works around both.
 */
import * as avalanchejs from "@avalabs/avalanchejs";
import { formatId } from "../../../src/base/bytes/cb58.ts";
import { nameId } from "../../../src/base/bytes/id.ts";
import { assetCodec } from "../../../src/chains/asset/codec.ts";
import { genesisBytes, SECP256K1_FX, transferOutput } from "../../chains/asset/wallet.ts";
import type { Account, Anything } from "../wallet.ts";

const { avm, Bytes, pvm, pvmSerial, UnsignedTx }: Anything = avalanchejs;

/** The package knows the numbers of types where this is the first. */
const FXS = [SECP256K1_FX];
const codec = assetCodec(FXS);
export const ASSET_VM = formatId(nameId("avm"));

interface Genesis {
  readonly bytes: Buffer;
  /** of what fees are paid in */
  readonly feeAssetId: string;
}

/** One asset, all of which belongs to the owner. */
export function genesisOf(owner: Account, amount: bigint): Genesis {
  const addresses = [Buffer.from(owner.bytes).toString("hex")];
  const bytes = genesisBytes(codec, [transferOutput(amount, { locktime: 0n, threshold: 1, addresses })]);
  const { id } = codec.makeTx({ kind: "CreateAssetTx", ...codec.parseGenesis(bytes)[0]! }, []);
  return { bytes, feeAssetId: formatId(id) };
}

/** @param common what builders for subnets share */
export function createAssetChain(common: Anything, context: Anything, { bytes }: Genesis): Anything {
  // as long as the real one, so that it pays for as many bytes
  const genesisData = { filler: "0".repeat(bytes.length) };
  const chain = { chainName: "second", fxIds: FXS.map(formatId), genesisData, vmId: ASSET_VM };
  const built = pvm.newCreateChainTx({ ...common, ...chain }, context);
  const { baseTx, subnetID, chainName, vmID, fxIds, subnetAuth } = built.getTx();
  const tx = new pvmSerial.CreateChainTx(baseTx, subnetID, chainName, vmID, fxIds, new Bytes(bytes), subnetAuth);
  return new UnsignedTx(tx, built.utxos, built.addressMaps);
}

export function assetChainApi(url: string, chainId: string): Anything {
  const api: Anything = new avm.AVMApi(url);
  const Provider = api.rpcProvider.constructor;
  api.rpcProvider = new Provider(`${url}/ext/bc/${chainId}`);
  return api;
}
