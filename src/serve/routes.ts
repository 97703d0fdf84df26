/**
 * Maps paths to endpoints (rpc-avm-info-health 1.3). The paths of the primary network's chains are fixed; every other asset chain that the
 * store executes has paths under its blockchain ID.
 */

import { services } from "../api/rpc/registry.ts";
import type { Service } from "../api/rpc/service.ts";
import type { CommittedStates, EndpointChain } from "../api/state/committed-states.ts";
import { formatId } from "../base/bytes/cb58.ts";
import { PLATFORM_CHAIN_ID } from "../base/bytes/id.ts";
import type { NetworkInstance } from "../network/network.ts";
import type { Endpoint } from "./endpoint.ts";
import { withNewestHeights } from "./newest-heights.ts";

export interface RouteParts {
  readonly network: NetworkInstance;
  readonly states: CommittedStates;
  /** `--public`: endpoints about this one node are closed */
  readonly isPublic: boolean;
  rpc(name: string, service: Service, chain: EndpointChain, options: { needsChain: boolean; privilege?: string }): Endpoint;
  readonly evm: Endpoint;
  /** the RPC or WebSocket of an L1's chain; undefined for any other path */
  l1(path: string): Endpoint | undefined;
  /** answers plain requests on the WebSocket paths */
  readonly webSocket: Endpoint | undefined;
  /** whether there is `/ext/firn` */
  readonly isDevnet: boolean;
  readonly metrics: Endpoint;
  /** increases when the state is rolled back */
  generation(): number;
  /** the health endpoints, with their paths */
  health(rpc: Endpoint): readonly (readonly [string, Endpoint])[];
}

/** The path of the API that controls a devnet. */
export const DEVELOPMENT_PATH = "/ext/firn";

export type Router = (path: string) => Endpoint | undefined | Promise<Endpoint | undefined>;

export function router(parts: RouteParts): Router {
  const endpoints = new Map<string, Endpoint>();
  const add = (paths: readonly string[], endpoint: Endpoint) => {
    for (const path of paths) endpoints.set(path, endpoint);
  };
  const { network, rpc } = parts;
  const always = { needsChain: false };
  const once = { needsChain: true };
  const p: EndpointChain = { chainId: PLATFORM_CHAIN_ID, alias: "P" };
  const x: EndpointChain = { chainId: network.xChainId, chain: X_CHAIN, alias: "X" };
  const c: EndpointChain = { chainId: network.cChainId, alias: "C" };

  add(under(basesOf(p, "platform")), rpc("P", services.platform, p, once));
  add(under(basesOf(p, "platform"), "proposervm"), rpc("P/proposervm", services.proposervm, p, once));
  add(under(basesOf(x, "avm")), rpc("X", services.avm, x, once));
  add(under(basesOf(x, "avm"), "wallet"), rpc("X/wallet", services.wallet, x, once));
  // A source may lack the C-chain's blocks; shared memory can be served without them
  add(under(basesOf(c, "evm"), "avax"), rpc("C/avax", services.avax, c, always));
  add(under(basesOf(c, "evm"), "proposervm"), rpc("C/proposervm", services.proposervm, c, always));
  add(evmPaths(network, "rpc"), parts.evm);
  if (parts.webSocket !== undefined) add(evmPaths(network, "ws"), parts.webSocket);
  for (const chain of [p, x, c]) {
    add([`/ext/index/${chain.alias}/block`], rpc(`index/${chain.alias}/block`, services.blockIndex, chain, always));
  }
  add(["/ext/index/X/tx"], rpc("index/X/tx", services.txIndex, x, always));
  add(["/ext/index/X/vtx"], rpc("index/X/vtx", services.vertexIndex, x, always));
  add(["/ext/info"], rpc("info", parts.isPublic ? services.publicInfo : services.info, p, always));
  if (parts.isDevnet) add([DEVELOPMENT_PATH], rpc("firn", services.firn, p, { ...always, privilege: "write" }));
  add(["/ext/metrics"], withNewestHeights(parts.metrics, parts.states));
  if (!parts.isPublic) {
    const health = parts.health(rpc("health", services.health, p, always));
    for (const [path, endpoint] of health) add([path], withNewestHeights(endpoint, parts.states));
  }

  /** By path. After a rollback chains may be missing or have other numbers, so endpoints of an earlier generation are not used. */
  let others = { generation: parts.generation(), endpoints: new Map<string, Endpoint>() };
  const addOtherChains = () => {
    for (const chain of parts.states.newestChains()) {
      const base = `/ext/bc/${formatId(chain.chainId)}`;
      if (chain.chain === undefined || endpoints.has(base) || others.endpoints.has(base)) continue;
      others.endpoints.set(base, rpc("asset", services.avm, chain, once));
      others.endpoints.set(`${base}/wallet`, rpc("asset/wallet", services.wallet, chain, once));
    }
  };
  const findOther = (path: string) => {
    const generation = parts.generation();
    if (others.generation !== generation) others = { generation, endpoints: new Map() };
    return others.endpoints.get(path);
  };
  return (path) => {
    const endpoint = endpoints.get(path) ?? findOther(path) ?? parts.l1(path);
    if (endpoint !== undefined || !path.startsWith("/ext/bc/")) return endpoint;
    // The chain may have been created since the last lookup
    return parts.states
      .use(async () => addOtherChains())
      .then(
        () => findOther(path),
        () => undefined,
      );
  };
}

/** The paths of the C-chain's own RPC. */
export function evmPaths({ cChainId }: NetworkInstance, extension: "rpc" | "ws"): string[] {
  return under(basesOf({ chainId: cChainId, alias: "C" }, "evm"), extension);
}

/** The X-chain's number among asset chains. */
const X_CHAIN = 0;

/** The base paths of a primary-network chain: by ID, by alias and by VM name; the latter two with and without `bc/`. */
function basesOf({ chainId, alias }: EndpointChain, vmName: string): string[] {
  return [`/ext/bc/${formatId(chainId)}`, ...[alias, vmName].flatMap((name) => [`/ext/bc/${name}`, `/ext/${name}`])];
}

function under(bases: readonly string[], extension?: string): string[] {
  return extension === undefined ? [...bases] : bases.map((base) => `${base}/${extension}`);
}
