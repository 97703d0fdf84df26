/** `avm.getUTXOs`: a page of what addresses may spend on this chain, or of what another chain exported to this one. */
import { formatAddress } from "../../primitives/address.ts";
import { formatId, parseId } from "../../primitives/cb58.ts";
import { quoteText } from "../../primitives/go-text.ts";
import type { Id } from "../../primitives/id.ts";
import { TextError } from "../../primitives/text-error.ts";
import { encodeBytes } from "../byte-encoding.ts";
import { chainAliases, parseAddresses } from "../chain-aliases.ts";
import { RpcError } from "../errors.ts";
import { method, type RpcContext } from "../method.ts";
import { encoding, integer, listOf, object, string } from "../params.ts";
import { atomicUtxoPage, FIRST_PAGE, MAX_PAGE_UTXOS, nativeUtxoPage, type PageIndex, type PageUtxo } from "../utxo-pages.ts";

const MAX_ADDRESSES = 1024;

export const getUtxos = method({
  name: "avm.getUTXOs",
  isRenderedOncePerHeight: true,
  params: {
    addresses: listOf(string),
    sourceChain: string,
    limit: integer(32),
    startIndex: object({ address: string, utxo: string }),
    encoding,
  },
  async handler(params, context) {
    const { chainId, alias } = context.chain;
    const count = params.addresses.length;
    if (count === 0) throw new RpcError("no addresses provided");
    if (count > MAX_ADDRESSES) throw new RpcError(`number of addresses given, ${count}, exceeds maximum, ${MAX_ADDRESSES}`);
    const source = await sourceChain(context, params.sourceChain);
    const addresses = await parseAddresses(context, params.addresses);
    const start = await startIndex(context, params.startIndex);
    const limit = params.limit === 0 ? MAX_PAGE_UTXOS : Math.min(params.limit, MAX_PAGE_UTXOS);
    const request = { addresses, start, limit };
    const { utxos, end } =
      source === chainId
        ? await nativeUtxoPage(context.reader, chainId, request)
        : await atomicUtxoPage(context.reader, { destination: chainId, source }, request);
    return {
      numFetched: `${utxos.length}`,
      utxos: utxos.map((utxo) => encodeUtxo(utxo, params.encoding)),
      endIndex: { address: formatAddress(alias, context.network.hrp, end.address), utxo: formatId(end.utxoId) },
      encoding: params.encoding,
    };
  },
});

async function sourceChain(context: RpcContext, name: string): Promise<Id> {
  if (name === "") return context.chain.chainId;
  const chainId = (await chainAliases(context)).get(name);
  if (chainId === undefined) throw new RpcError(`problem parsing source chainID ${quoteText(name)}: there is no ID with alias: ${name}`);
  return chainId;
}

async function startIndex(context: RpcContext, { address, utxo }: { address: string; utxo: string }): Promise<PageIndex> {
  if (address === "" && utxo === "") return FIRST_PAGE;
  return { address: await startAddress(context, address), utxoId: startUtxo(utxo) };
}

async function startAddress(context: RpcContext, text: string) {
  try {
    return (await parseAddresses(context, [text]))[0]!;
  } catch (error) {
    if (!(error instanceof RpcError)) throw error;
    throw new RpcError(`couldn't parse start index address ${quoteText(text)}: ${error.message}`);
  }
}

function startUtxo(text: string): Id {
  try {
    return parseId(text);
  } catch (error) {
    throw error instanceof TextError ? new RpcError(`couldn't parse start index utxo: ${error.message}`) : error;
  }
}

function encodeUtxo({ utxoId, bytes }: PageUtxo, as: typeof encoding.zero): string {
  try {
    return encodeBytes(bytes, as);
  } catch (error) {
    if (!(error instanceof TextError)) throw error;
    throw new RpcError(`couldn't encode UTXO ${formatId(utxoId)} as string: ${error.message}`);
  }
}
