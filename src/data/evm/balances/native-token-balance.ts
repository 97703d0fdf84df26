import type { Address } from "../../../evm/block.ts";
import type { CurrencyCode } from "../../../evm/labels/currencies.ts";
import type { DataContext } from "../../context.ts";
import { money, worth } from "../money.ts";
import type { NativeTokenBalance } from "../token-schemas.ts";
import { nativeBalance } from "./chain-balances.ts";

/** Asked from the chain's node, at a height that is indexed: transactions alone do not tell it. Once for each state, since clients walk pages. */
export async function nativeTokenBalance(
  context: Pick<DataContext, "evmChain" | "cached">,
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
