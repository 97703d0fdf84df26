import type { UpstreamIdentity } from "../sources/upstream/open-upstream-rpc.ts";

/** All nodes of one EVM chain return the same chain ID. */
export const evmChainIdentity: UpstreamIdentity = {
  calls: [{ method: "eth_chainId", params: [] }],
  read: ([chainId]) => (typeof chainId === "string" && /^0x[0-9a-f]{1,16}$/i.test(chainId) ? `${BigInt(chainId)}` : undefined),
};
