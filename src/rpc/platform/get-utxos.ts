import { formatAddress } from "../../primitives/address.ts";
import { formatId, parseId } from "../../primitives/cb58.ts";
import { quoteText } from "../../primitives/go-text.ts";
import type { Id } from "../../primitives/id.ts";
import { TextError } from "../../primitives/text-error.ts";
import { encodeBytes } from "../byte-encoding.ts";
import { chainAliases, parseAddresses } from "../chain-aliases.ts";
import { RpcError } from "../errors.ts";
import { renderJson } from "../go-json-encode.ts";
import { method, type RpcContext } from "../method.ts";
import { type Encoding, encoding, integer, listOf, object, string } from "../params.ts";
import { atomicUtxoPage, FIRST_PAGE, MAX_PAGE_UTXOS, nativeUtxoPage, type PageIndex, type PageUtxo, type UtxoPage } from "../utxo-pages.ts";
import { answerOnce } from "./answers.ts";
import { chainState } from "./chain-state.ts";

const MAX_ADDRESSES = 1024;

/** UTXOs of addresses in pages, on this chain or exported to it from another (rpc-platform 4.1). */
export const getUtxos = method({
  name: "platform.getUTXOs",
  params: {
    addresses: listOf(string),
    limit: integer(32),
    startIndex: object({ address: string, utxo: string }),
    sourceChain: string,
    encoding,
  },
  async handler({ addresses: texts, limit: asked, startIndex, sourceChain, encoding: as }, context) {
    if (texts.length === 0) throw new RpcError("no addresses provided");
    if (texts.length > MAX_ADDRESSES) {
      throw new RpcError(`number of addresses given, ${texts.length}, exceeds maximum, ${MAX_ADDRESSES}`);
    }
    const { chainId } = context.chain;
    const source = await sourceOf(context, sourceChain);
    const addresses = await parseAddresses(context, texts);
    const start = await startOf(context, startIndex);
    const limit = asked === 0 || asked > MAX_PAGE_UTXOS ? MAX_PAGE_UTXOS : asked;
    const request = { addresses, start, limit };
    if (source !== chainId) return pageJson(context, await atomicUtxoPage(context.reader, { destination: chainId, source }, request), as);
    const key = `UTXOs ${as} ${limit} ${start.address} ${start.utxoId} ${addresses}`;
    return answerOnce(await chainState(context), context.clock, key, async () => ({
      json: renderJson(pageJson(context, await nativeUtxoPage(context.reader, chainId, request), as)),
    }));
  },
});

function pageJson({ chain, network }: RpcContext, { utxos, end }: UtxoPage, as: Encoding) {
  return {
    numFetched: `${utxos.length}`,
    utxos: utxos.map((utxo) => encodeUtxo(utxo, as)),
    endIndex: { address: formatAddress(chain.alias, network.hrp, end.address), utxo: formatId(end.utxoId) },
    encoding: as,
  };
}

async function sourceOf(context: RpcContext, text: string): Promise<Id> {
  if (text === "") return context.chain.chainId;
  const source = (await chainAliases(context)).get(text);
  if (source !== undefined) return source;
  throw new RpcError(`problem parsing source chainID ${quoteText(text)}: there is no ID with alias: ${text}`);
}

async function startOf(context: RpcContext, { address: text, utxo }: { address: string; utxo: string }): Promise<PageIndex> {
  if (text === "" && utxo === "") return FIRST_PAGE;
  const [address] = await within(`couldn't parse start index address ${quoteText(text)}`, () => parseAddresses(context, [text]));
  const utxoId = await within("couldn't parse start index utxo", async () => parseId(utxo));
  return { address: address!, utxoId };
}

async function within<T>(where: string, parse: () => Promise<T>): Promise<T> {
  try {
    return await parse();
  } catch (error) {
    throw error instanceof TextError || error instanceof RpcError ? new RpcError(`${where}: ${error.message}`) : error;
  }
}

function encodeUtxo({ utxoId, bytes }: PageUtxo, as: Encoding): string {
  try {
    return encodeBytes(bytes, as);
  } catch (error) {
    throw error instanceof TextError ? new RpcError(`couldn't encode UTXO ${formatId(utxoId)} as ${as}: ${error.message}`) : error;
  }
}
