/**
 * Makes page tokens for the end of a list that is too long to be walked: walks a little of the list in the opposite order, and seals the
 * positions it passes for the list's own order, with the secret of the data directory.
 */
import type { Position } from "../src/api/data/context.ts";
import { PageTokens } from "../src/api/data/page-tokens.ts";
import { RegisteredRoute } from "../src/api/data/registered-route.ts";
import { fullPath } from "../src/api/data/route.ts";
import { dataRoutes } from "../src/api/data/routes.ts";
import { openTokenSecret } from "../src/api/data/token-secret.ts";
import { P_CHAIN, X_CHAIN } from "../src/index/primary/primary-chain.ts";
import type { LoadRequest } from "./load.ts";

export class BenchTokens {
  readonly #routes: readonly { readonly registered: RegisteredRoute; readonly pattern: RegExp }[];

  constructor(dataDir: string) {
    const tokens = new PageTokens(openTokenSecret(dataDir));
    this.#routes = dataRoutes.map((route) => ({
      registered: new RegisteredRoute(route, tokens),
      pattern: new RegExp(`^${fullPath(route).replace(/\{(\w+)\}/g, "(?<$1>[^/:]+)")}$`),
    }));
  }

  /** The position after which the page of `token` begins; `list` is the token's list. */
  positionOf(list: LoadRequest, token: string): Position {
    return this.#read(list, { pageToken: token }).after!;
  }

  seal(list: LoadRequest, position: Position): string {
    return this.#read(list, {}).seal(position);
  }

  #read({ path, body }: LoadRequest, page: { pageToken?: string }) {
    const { pathname, searchParams } = new URL(path, "http://bench");
    const method = body === undefined ? "GET" : "POST";
    for (const { registered, pattern } of this.#routes) {
      const found = pattern.exec(pathname);
      if (found === null || registered.route.method !== method) continue;
      const params = found.groups ?? {};
      const chain = params.blockchainId === "p-chain" ? P_CHAIN : X_CHAIN;
      const sent = {
        params,
        query: { ...Object.fromEntries(searchParams), ...page },
        body: body === undefined ? undefined : JSON.parse(body),
      };
      if (registered.route.evm === "chain") return registered.read(sent, { evm: { evmChainId: BigInt(params.chainId!) } });
      return registered.read(sent, registered.route.chains === undefined ? {} : { primary: chain });
    }
    throw new Error(`${method} ${path} is no route of the Data API`);
  }
}
