/**
 * A wallet whose only source of UTXOs is the Data API, like Core. It lists them with glacier-sdk, rebuilds outputs from the answers'
 * members, and builds and signs with avalanchejs. For a second signature it knows only a transaction's bytes, so it requests the
 * transactions that created the inputs. Fees come from node RPC, which also judges what it signed.
 */
import * as avalanchejs from "@avalabs/avalanchejs";
import { type BlockchainId, Glacier, Network, type PChainUtxo, type Utxo as XChainUtxo } from "@avalabs/glacier-sdk";
import { expect } from "vitest";

// biome-ignore lint/suspicious/noExplicitAny: the package's declarations do not resolve under node16 rules, so it is used without types
export type Anything = any;
const { addTxSignatures, avaxSerial, avm, BigIntPr, evm, evmSerial, EVMUnsignedTx, Id, info, OutputOwners }: Anything = avalanchejs;
const { pvm, pvmSerial, secp256k1, TransferOutput, UnsignedTx, Utxo, utils }: Anything = avalanchejs;

export type ChainName = "P" | "X" | "C";
export type ListedUtxo = (PChainUtxo | XChainUtxo) & { readonly utxoBytes?: string };

export interface Account {
  readonly name: string;
  /** bech32 without a chain's letter */
  readonly text: string;
  readonly bytes: Uint8Array;
  readonly evmBytes: Uint8Array;
  readonly privateKey: Uint8Array;
}

const ALIASES: Readonly<Record<ChainName, string>> = { P: "p-chain", X: "x-chain", C: "c-chain" };
const VIRTUAL_MACHINES: Readonly<Record<ChainName, string>> = { P: "PVM", X: "AVM", C: "EVM" };
/** What a node without peers says of a transaction that it would accept. */
const ACCEPTED: Readonly<Record<ChainName, string>> = {
  P: "couldn't issue tx: it is valid, but this node follows an archive and has no peers to send it to",
  X: "couldn't issue tx: it is valid, but this node follows an archive and has no peers to send it to",
  C: "couldn't issue tx: this node does not run the C-chain's EVM and has no peers to send it to",
};
const PLATFORM_CHAIN_ID = "11111111111111111111111111111111LpoYY";
/** The transaction that made the outputs of P's genesis, which is none. */
export const NO_TX = PLATFORM_CHAIN_ID;
const PAGE_SIZE = 7;

export class Wallet {
  readonly rpc: Readonly<Record<ChainName, Anything>>;
  readonly context: Anything;
  readonly chainIds: Readonly<Record<ChainName, string>>;
  readonly #url: string;
  readonly #glacier: Glacier;

  constructor(url: string, context: Anything) {
    this.#url = url;
    this.#glacier = new Glacier({ BASE: url });
    this.rpc = { P: new pvm.PVMApi(url), X: new avm.AVMApi(url), C: new evm.EVMApi(url) };
    this.context = context;
    this.chainIds = { P: context.pBlockchainID, X: context.xBlockchainID, C: context.cBlockchainID };
  }

  /** An answer of the Data API that no transaction is built from. */
  ask(path: string): Promise<Anything> {
    return get(this.#url, `/v1/networks/fuji${path}`);
  }

  /** Every page of a list of UTXOs. */
  async listAll(path: string): Promise<Anything[]> {
    const { utxos, nextPageToken } = await this.ask(path);
    if (nextPageToken === undefined) return utxos;
    return [...utxos, ...(await this.listAll(`${path.replace(/&pageToken=.*/, "")}&pageToken=${nextPageToken}`))];
  }

  /** Every page of unspent outputs that these accounts can spend together. */
  async list(chain: ChainName, accounts: readonly Account[]): Promise<ListedUtxo[]> {
    const listed: ListedUtxo[] = [];
    let pageToken: string | undefined;
    do {
      const page = await this.#glacier.primaryNetworkUtxOs.getUtxosByAddresses({
        blockchainId: ALIASES[chain] as BlockchainId,
        network: Network.FUJI,
        addresses: accounts.map(({ text }) => text).join(","),
        pageSize: PAGE_SIZE,
        ...(pageToken !== undefined && { pageToken }),
      });
      listed.push(...page.utxos);
      pageToken = page.nextPageToken;
    } while (pageToken !== undefined);
    return listed;
  }

  /** The same, as wallets with many addresses ask. */
  async listByPost(chain: ChainName, accounts: readonly Account[]): Promise<ListedUtxo[]> {
    const body = JSON.stringify({ addresses: accounts.map(({ text }) => `${chain}-${text}`).join(",") });
    const post = { method: "POST", headers: { "content-type": "application/json" }, body };
    const { utxos } = await get(this.#url, `/v1/networks/fuji/blockchains/${ALIASES[chain]}/utxos?pageSize=1024`, post);
    return utxos;
  }

  /** What a transaction of the chain can spend: neither at stake nor on its way to or from another chain. */
  async spendable(chain: ChainName, accounts: readonly Account[]): Promise<Anything[]> {
    const chainId = this.chainIds[chain];
    const listed = await this.list(chain, accounts);
    const own = ({ createdOnChainId, consumedOnChainId }: ListedUtxo) => createdOnChainId === chainId && consumedOnChainId === chainId;
    return listed.filter((utxo) => own(utxo) && !("staked" in utxo && utxo.staked)).map(rebuilt);
  }

  /** What an import to the chain can take. */
  async importable(chain: ChainName, source: ChainName, accounts: readonly Account[]): Promise<Anything[]> {
    const listed = await this.list(chain, accounts);
    const incoming = ({ createdOnChainId, consumedOnChainId }: ListedUtxo) =>
      createdOnChainId === this.chainIds[source] && consumedOnChainId === this.chainIds[chain];
    return listed.filter(incoming).map(rebuilt);
  }

  /** The chain's time. Builders that are not told it take the machine's, and unlock what is still locked. */
  async time(): Promise<bigint> {
    return secondsOf((await this.rpc.P.getFeeState()).timestamp);
  }

  /** What builders for the P-chain share. */
  async platform(accounts: readonly Account[], utxos?: readonly Anything[]): Promise<Anything> {
    const feeState = await this.rpc.P.getFeeState();
    return {
      feeState,
      minIssuanceTime: secondsOf(feeState.timestamp),
      fromAddressesBytes: accounts.map(({ bytes }) => bytes),
      utxos: utxos ?? (await this.spendable("P", accounts)),
    };
  }

  /** Signs it; the node accepts it. */
  async acceptsBuilt(
    chain: ChainName,
    unsigned: Anything,
    signers: readonly Account[],
    authorizers: readonly Account[] = [],
  ): Promise<void> {
    await sign(unsigned, signers, authorizers);
    await this.acceptsText(chain, utils.bufferToHex(utils.addChecksum(signedBytes(chain, unsigned))));
  }

  /** Also signs it from its bytes alone, which gives the same. */
  async accepts(
    chain: ChainName,
    unsigned: Anything,
    signers: readonly Account[],
    authorizers: readonly Account[] = [],
  ): Promise<Anything> {
    await this.acceptsBuilt(chain, unsigned, signers, authorizers);
    const recovered = await this.#recovered(chain, unsigned.toBytes());
    await sign(recovered, signers, authorizers);
    expect(signedBytes(chain, recovered)).toEqual(signedBytes(chain, unsigned));
    return unsigned.getTx();
  }

  /** A signed transaction as it is sent: with checksum. */
  async acceptsText(chain: ChainName, tx: string): Promise<void> {
    await expect(this.rpc[chain].issueTx({ tx })).rejects.toThrow(ACCEPTED[chain]);
  }

  /** A transaction of which only the bytes are known, with the outputs it spends, as the transactions that made them show them. */
  async #recovered(chain: ChainName, bytes: Uint8Array): Promise<Anything> {
    const tx = utils.unpackWithManager(VIRTUAL_MACHINES[chain], bytes);
    if (chain === "C" && evmSerial.isExportTx(tx)) {
      const [{ address }] = tx.ins;
      return new EVMUnsignedTx(tx, [], new utils.AddressMaps([new utils.AddressMap([[address, 0]])]));
    }
    const inputs: Anything[] = utils.getTransferableInputsByTx(tx);
    const source = "sourceChain" in tx ? tx.sourceChain.toString() : ALIASES[chain];
    const utxos = await Promise.all(inputs.map((input) => this.#outputSpentBy(input, source)));
    const maps = utils.AddressMaps.fromTransferableInputs(inputs, utxos, 0n);
    return chain === "C" ? new EVMUnsignedTx(tx, utxos, maps) : new UnsignedTx(tx, utxos, maps);
  }

  async #outputSpentBy({ utxoID }: Anything, blockchainId: string): Promise<Anything> {
    const txHash = utxoID.txID.toString();
    expect(txHash).not.toBe(NO_TX);
    const network = Network.FUJI;
    const tx: Anything = await this.#glacier.primaryNetworkTransactions.getTxByHash({
      blockchainId: blockchainId as BlockchainId,
      network,
      txHash,
    });
    const emitted = tx.emittedUtxos.find((utxo: Anything) => utxo.utxoId === utxoID.ID());
    expect(emitted, `output ${utxoID.ID()} among those of ${txHash}`).toBeDefined();
    return rebuilt(emitted);
  }
}

/** What builders need to know of a network: IDs from the Data API, fees and the network's number from node RPC. */
export async function contextOf(url: string, account: Account): Promise<Anything> {
  const { blockchains } = await get(url, "/v1/networks/fuji/blockchains?pageSize=100");
  const idOf = (name: string) => blockchains.find((chain: Anything) => chain.blockchainName === name).blockchainId;
  const { balances } = await get(url, `/v1/networks/fuji/blockchains/p-chain/balances?addresses=${account.text}`);
  const { txFee, createAssetTxFee } = await new avm.AVMApi(url).getTxFee();
  return {
    xBlockchainID: idOf("X-Chain"),
    pBlockchainID: idOf("P-Chain"),
    cBlockchainID: idOf("C-Chain"),
    avaxAssetID: balances.unlockedUnstaked.find(({ symbol }: Anything) => symbol === "AVAX").assetId,
    baseTxFee: txFee,
    createAssetTxFee,
    networkID: Number((await new info.InfoApi(url).getNetworkId()).networkID),
    hrp: account.text.slice(0, account.text.lastIndexOf("1")),
    platformFeeConfig: await new pvm.PVMApi(url).getFeeConfig(),
  };
}

async function get(url: string, path: string, init?: RequestInit): Promise<Anything> {
  const response = await fetch(url + path, init);
  const body = await response.json();
  expect(response.status, JSON.stringify(body)).toBe(200);
  return body;
}

export const signedBytes = (chain: ChainName, unsigned: Anything): Uint8Array => unsigned.getSignedTx().toBytes(codecOf(chain));
export const codecOf = (chain: ChainName): Anything => utils.getManagerForVM(VIRTUAL_MACHINES[chain]).getDefaultCodec();
const secondsOf = (time: string): bigint => BigInt(Math.floor(Date.parse(time) / 1000));

/** An output from the members that wallets read: they choose the form by the chain that made it, and know plain outputs only. */
export function rebuilt(utxo: ListedUtxo): Anything {
  const members =
    "txHash" in utxo
      ? { ...utxo, locktime: utxo.platformLocktime }
      : { ...utxo, txHash: utxo.creationTxHash, assetId: utxo.asset.assetId, amount: utxo.asset.amount, stakeableLocktime: undefined };
  const { txHash, outputIndex, assetId, amount, addresses, locktime = 0, stakeableLocktime, threshold } = members;
  const owners = addresses.map((text) => utils.parseBech32(text)[1]).sort(utils.bytesCompare);
  const plain = new TransferOutput(new BigIntPr(BigInt(amount)), OutputOwners.fromNative(owners, BigInt(locktime), threshold));
  const output = stakeableLocktime ? new pvmSerial.StakeableLockOut(new BigIntPr(BigInt(stakeableLocktime)), plain) : plain;
  return new Utxo(avaxSerial.UTXOID.fromNative(txHash, Number(outputIndex)), Id.fromString(assetId), output);
}

/** Inputs by whoever owns them; after their credentials comes that of the authorization, if there is one, in the order of its signers. */
export async function sign(unsigned: Anything, signers: readonly Account[], authorizers: readonly Account[]): Promise<void> {
  await addTxSignatures({ unsignedTx: unsigned, privateKeys: signers.map(({ privateKey }) => privateKey) });
  const last = unsigned.getCredentials().length - 1;
  for (const [i, { privateKey }] of authorizers.entries()) {
    unsigned.addSignatureAt(await secp256k1.sign(unsigned.toBytes(), privateKey), last, i);
  }
}
