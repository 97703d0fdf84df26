import type { CurrencyCode } from "../../../../evm/labels/currencies.ts";
import type { Address } from "../../../../sources/evm/parser/block.ts";
import type { EvmChainContext } from "../../context.ts";
import { money, worth } from "../money.ts";
import type { NativeTokenBalance } from "../token-schemas.ts";
import { nativeBalance } from "./chain-balances.ts";

/**
 * Asks the chain's node at an indexed height, since transactions alone do not determine the balance. Asks once per state, since clients
 * read several pages.
 */
export async function nativeTokenBalance(
  context: Pick<EvmChainContext, "evmChain" | "cached">,
  address: Address,
  height: bigint,
  currency: CurrencyCode = "usd",
): Promise<NativeTokenBalance> {
  const { evmChain } = context;
  const asked = `native balance ${evmChain.evmChainId} ${address} ${height}`;
  const balance = await context.cached(asked, () => nativeBalance(evmChain, address, height));
  const { name, symbol, decimals, logoUri } = evmChain.settings.nativeToken;
  const price = money(evmChain.labels.price("native", currency), currency);
  const balanceValue = worth(balance, decimals, price);
  return {
    name,
    symbol,
    decimals,
    ...(logoUri !== undefined && { logoUri }),
    chainId: `${evmChain.evmChainId}`,
    ...(price && { price }),
    balance: `${balance}`,
    ...(balanceValue && { balanceValue }),
  };
}
