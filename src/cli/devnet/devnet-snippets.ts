/** Code to paste into a program that uses a devnet, for each client library. */
import type { NetworkDescription } from "../../serve/local-network/describe.ts";

/** Each is a whole program, which a test runs: the last one in a web page. */
export function devnetSnippets(
  { url, urls, chain }: Pick<NetworkDescription, "url" | "urls" | "chain">,
  { hasEvm = true } = {},
): string[][] {
  const { webSocket: _, ...rpcUrls } = chain.rpcUrls.default;
  const evm = [
    ['import { JsonRpcProvider } from "ethers";', `const provider = new JsonRpcProvider("${urls.C}");`],
    [
      'import { createPublicClient, http } from "viem";',
      `const chain = ${code({ ...chain, rpcUrls: { default: rpcUrls } })};`,
      "const client = createPublicClient({ chain, transport: http() });",
    ],
    [`await ethereum.request({ method: "wallet_addEthereumChain", params: [${code(walletParameters(chain))}] });`],
  ];
  return [
    [
      'import { Context, pvm } from "@avalabs/avalanchejs";',
      `const context = await Context.getContextFromURI("${url}"), pvmApi = new pvm.PVMApi("${url}");`,
    ],
    [
      'import { Avalanche } from "@avalanche-sdk/chainkit";',
      `const avalanche = new Avalanche({ network: "fuji", enableTelemetry: false }), firn = { serverURL: "${url}" }; // pass firn with every call`,
    ],
    ...(hasEvm ? evm : []),
  ];
}

/** What a wallet needs to know to add a network (EIP-3085). */
function walletParameters({ id, name, nativeCurrency, rpcUrls }: NetworkDescription["chain"]) {
  return { chainId: `0x${id.toString(16)}`, chainName: name, nativeCurrency, rpcUrls: rpcUrls.default.http };
}

/** As a person writes it in a program. */
function code(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(code).join(", ")}]`;
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  const members = Object.entries(value).map(([name, member]) => `${name}: ${code(member)}`);
  return `{ ${members.join(", ")} }`;
}
