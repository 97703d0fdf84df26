/** Lines to paste into a program that shall use a devnet, by client library. */
import type { NetworkDescription } from "../devnet/describe.ts";

/** Whole programs: a test runs them. */
export function devnetSnippets({ url, urls }: Pick<NetworkDescription, "url" | "urls">): string[][] {
  return [
    [
      'import { Context, pvm } from "@avalabs/avalanchejs";',
      `const context = await Context.getContextFromURI("${url}"), pvmApi = new pvm.PVMApi("${url}");`,
    ],
    [
      'import { Avalanche } from "@avalanche-sdk/chainkit";',
      `const avalanche = new Avalanche({ network: "fuji", enableTelemetry: false }), firn = { serverURL: "${url}" }; // pass firn with every call`,
    ],
    ['import { JsonRpcProvider } from "ethers";', `const provider = new JsonRpcProvider("${urls.C}");`],
    ['import { createPublicClient, http } from "viem";', `const client = createPublicClient({ transport: http("${urls.C}") });`],
  ];
}
