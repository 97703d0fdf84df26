/** Paths of the explorer, which stand behind the `#` of its address. A path that was valid stays valid. */

const part = encodeURIComponent;

/** The chains whose transactions and blocks Firn executes itself. */
export type PrimaryAlias = "P" | "X" | "C";

/** Paths to each thing, for `<a href>`. */
export const to = {
  home: () => "#/",
  search: (query: string) => `#/search/${part(query)}`,
  blocks: (chain: PrimaryAlias) => `#/${chain}/blocks`,
  transactions: (chain: PrimaryAlias) => `#/${chain}/txs`,
  block: (chain: PrimaryAlias, id: string | number) => `#/${chain}/block/${part(id)}`,
  transaction: (chain: PrimaryAlias, id: string) => `#/${chain}/tx/${part(id)}`,
  vertex: (id: string) => `#/X/vertex/${part(id)}`,
  vertices: () => "#/X/vertices",
  asset: (id: string) => `#/asset/${part(id)}`,
  address: (address: string) => `#/address/${part(address)}`,
  validators: () => "#/validators",
  validator: (nodeId: string) => `#/validator/${part(nodeId)}`,
  l1s: () => "#/l1s",
  l1Validator: (validationId: string) => `#/l1-validator/${part(validationId)}`,
  subnets: () => "#/subnets",
  subnet: (id: string) => `#/subnet/${part(id)}`,
  blockchain: (id: string) => `#/blockchain/${part(id)}`,
  evm: (chainId: string) => `#/evm/${part(chainId)}`,
  evmBlocks: (chainId: string) => `#/evm/${part(chainId)}/blocks`,
  evmTransactions: (chainId: string) => `#/evm/${part(chainId)}/txs`,
  evmBlock: (chainId: string, id: string | number) => `#/evm/${part(chainId)}/block/${part(id)}`,
  evmTransaction: (chainId: string, hash: string) => `#/evm/${part(chainId)}/tx/${part(hash)}`,
  evmAddress: (chainId: string, address: string) => `#/evm/${part(chainId)}/address/${part(address)}`,
  messages: (chainId: string) => `#/evm/${part(chainId)}/messages`,
  message: (chainId: string, id: string) => `#/evm/${part(chainId)}/message/${part(id)}`,
  tokens: (chainId: string) => `#/evm/${part(chainId)}/tokens`,
  token: (chainId: string, address: string) => `#/evm/${part(chainId)}/token/${part(address)}`,
  contract: (chainId: string, address: string) => `#/evm/${part(chainId)}/contract/${part(address)}`,
  nft: (chainId: string, address: string, tokenId: string) => `#/evm/${part(chainId)}/nft/${part(address)}/${part(tokenId)}`,
  operator: () => "#/operator",
  devnet: () => "#/devnet",
} as const;
