/** Code to paste into a program that uses a devnet, for each client library. */
import type { NetworkDescription } from "../local-network/describe.ts";

/** Each is a whole program, which a test runs. */
export function devnetSnippets({ url, urls }: Pick<NetworkDescription, "url" | "urls">, { hasEvm = true } = {}): string[][] {
  const evm = [
    ['import { JsonRpcProvider } from "ethers";', `const provider = new JsonRpcProvider("${urls.C}");`],
    ['import { createPublicClient, http } from "viem";', `const client = createPublicClient({ transport: http("${urls.C}") });`],
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
