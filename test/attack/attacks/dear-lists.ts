import type { Attack } from "../attack.ts";

const P = "/v1/networks/fuji/blockchains/p-chain";
const X = "/v1/networks/fuji/blockchains/x-chain";
const HOLDER = "custom1jyhtswjg9f2wuf0f8cdml9k6mdxstv8g6n7m22";
const HOLDER_0X = "0x8db97c7cece249c2b98bdc0226cc4c2a57bf52fc";

export const dearLists: Attack = {
  name: "dear-lists",
  does: "asks the Data API for its dearest pages: every filter at once, sorted by amount, spent ones too, with bounds that nothing meets",
  targets: ["serve", "devnet", "follow"],
  async run(attacker) {
    const everywhere = [
      "/v1/openapi.json",
      "/docs",
      "/v1/chains",
      "/v1/health-check",
      "/v1/avax/supply",
      "/v1/overview",
      "/v1/search?query=a",
      "/v1/search?query=0",
    ];
    const evm = [
      ...[
        "transactions",
        "transactions:listNative",
        "transactions:listErc20",
        "transactions:listInternals",
        "balances:listErc20",
        "balances:listCollectibles",
      ].map((list) => `/v1/chains/43112/addresses/${HOLDER_0X}/${list}?pageSize=100&startBlock=0&endBlock=99999999`),
      `/v1/transactions?addresses=${Array.from({ length: 64 }, () => HOLDER_0X).join()}&pageSize=100`,
      `/v1/chains/43112/addresses/${HOLDER_0X}/balances:listErc20?blockNumber=40&pageSize=500&filterSpamTokens=false`,
    ];
    const primary = [
      `${X}/utxos?addresses=X-${HOLDER}&sortBy=amount&minUtxoAmount=1&includeSpent=true&pageSize=100`,
      `${X}/utxos?sortBy=amount&includeSpent=true&pageSize=1024`,
      `${P}/utxos?minUtxoAmount=999999999999&includeSpent=true&pageSize=100`,
      `${X}/transactions?addresses=${Array.from({ length: 64 }, () => `X-${HOLDER}`).join()}&pageSize=100`,
      `${P}/transactions?txTypes=AddValidatorTx,AddDelegatorTx,BaseTx,ExportTx,ImportTx&pageSize=100&sortOrder=asc`,
      "/v1/networks/fuji/validators?nodeIds=a,b,c,d,e,f,g,h&pageSize=100&sortBy=delegationCapacity&validationStatus=active",
      `/v1/networks/fuji/validators?nodeIds=${"abcdefghijkmnopqrstuvwxyzABCDEFGHJKLMNPQRSTUVWXYZ123456789".split("").join()}&pageSize=100`,
      "/v1/networks/fuji/validators?minTimeRemaining=1&maxTimeRemaining=2&minDelegationCapacity=1&maxDelegationCapacity=2&minFeePercentage=2&maxFeePercentage=3&pageSize=100",
      "/v1/networks/fuji/delegators?pageSize=100&sortOrder=asc",
      `${P}/balances?addresses=${Array.from({ length: 64 }, () => `P-${HOLDER}`).join()}&blockTimestamp=1791000001`,
      `${X}/blocks?pageSize=100`,
      `/v1/networks/fuji/addresses:listChainIds?addresses=${HOLDER}`,
    ];
    const paths = [...everywhere, ...(attacker.target === "serve" ? [] : evm), ...(attacker.target === "follow" ? [] : primary)];
    await attacker.again(16, (turn) => attacker.ask({ path: paths[turn % paths.length]! }));
  },
};
