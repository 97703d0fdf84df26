/** Token transfers of a transaction, added up: each token once for each way that it went. */
import type { components } from "../../api/data-api.d.ts";

type Schemas = components["schemas"];
type RichAddress = Schemas["RichAddress"];
export type Transfer = Schemas["Erc20TransferDetails"] | Schemas["Erc721TransferDetails"] | Schemas["Erc1155TransferDetails"];

export interface TokenMovement {
  readonly key: string;
  readonly verb: "sent" | "minted" | "burned";
  readonly token: {
    readonly address: string;
    readonly name?: string;
    readonly symbol?: string;
    /** undefined: it counts things, not amounts */
    readonly decimals?: number;
  };
  /** base units; of NFTs how many */
  readonly amount: bigint;
  /** of one NFT alone */
  readonly tokenId: string | undefined;
  /** each once */
  readonly recipients: readonly RichAddress[];
}

/** Tokens come from it when they are minted, and go to it when they are burned. */
export function isNobody(address: string): boolean {
  return /^0x0{40}$/.test(address);
}

/** In the order in which they began. What comes back to the same holder counts as sent. */
export function movementsOf(transfers: readonly Transfer[]): TokenMovement[] {
  const movements = new Map<string, TokenMovement>();
  for (const transfer of transfers) {
    const { from, to } = transfer;
    const verb = isNobody(from.address) ? "minted" : isNobody(to.address) ? "burned" : "sent";
    const { token, amount, tokenId } = partsOf(transfer);
    const key = `${verb} ${token.address.toLowerCase()}`;
    const before = movements.get(key);
    const isNew = !before?.recipients.some(({ address }) => address === to.address);
    movements.set(key, {
      ...{ key, verb, token },
      amount: (before?.amount ?? 0n) + amount,
      tokenId: before === undefined || before.tokenId === tokenId ? tokenId : undefined,
      recipients: [...(before?.recipients ?? []), ...(isNew ? [to] : [])],
    });
  }
  return [...movements.values()];
}

function partsOf(transfer: Transfer): Pick<TokenMovement, "token" | "amount" | "tokenId"> {
  if ("erc20Token" in transfer) return { token: transfer.erc20Token, amount: BigInt(transfer.value), tokenId: undefined };
  if ("erc721Token" in transfer) {
    const { tokenId, ...token } = transfer.erc721Token;
    return { token: named(token), amount: 1n, tokenId };
  }
  const { address, metadata, tokenId } = transfer.erc1155Token;
  return { token: named({ address, ...metadata }), amount: BigInt(transfer.value), tokenId };
}

function named({ address, name, symbol }: { address: string; name?: string; symbol?: string }): TokenMovement["token"] {
  return { address, ...(name !== undefined && { name }), ...(symbol !== undefined && { symbol }) };
}
