/** What the staking screens ask the API for. */
import { answerOf, data, rpc } from "../../api/client.ts";
import type { components, operations } from "../../api/data-api.d.ts";
import { networkInPaths } from "../../api/overview.ts";
import { useAnswer, usePages } from "../../api/queries.ts";

type Schemas = components["schemas"];
/** Firn does not know where nodes are. */
type ActiveValidator = Omit<Schemas["ActiveValidatorDetails"], "geolocation">;
export type Validator =
  | ActiveValidator
  | Schemas["PendingValidatorDetails"]
  | Schemas["CompletedValidatorDetails"]
  | Schemas["RemovedValidatorDetails"];
export type Delegator = Schemas["Delegator"];
export type L1Validator = Schemas["L1ValidatorDetailsFull"];
export type Subnet = Schemas["Subnet"];
export type Blockchain = Schemas["Blockchain"];
export type ValidatorQuery = NonNullable<operations["listValidators"]["parameters"]["query"]>;

export const PRIMARY_NETWORK_ID = "11111111111111111111111111111111LpoYY";
const PAGE = 25;
export const LARGE_PAGE = 100;
/** These answers change with blocks of the P-chain. */
const OF_P = { follows: "P" };

/** Spread into a query, so that its first page has none. */
function after(pageToken: string | undefined) {
  return pageToken === undefined ? {} : { pageToken };
}

export function useValidators(query: ValidatorQuery, pageSize = PAGE) {
  return usePages(
    ["listValidators", pageSize, query],
    async (pageToken) => {
      const params = { path: { network: await networkInPaths() }, query: { ...query, pageSize, ...after(pageToken) } };
      return answerOf(data.GET("/v1/networks/{network}/validators", { params }));
    },
    ({ validators }) => validators,
    OF_P,
  );
}

export function useValidations(nodeId: string) {
  return usePages(
    ["getSingleValidatorDetails", nodeId],
    async (pageToken) => {
      const params = { path: { network: await networkInPaths(), nodeId }, query: { pageSize: PAGE, ...after(pageToken) } };
      return answerOf(data.GET("/v1/networks/{network}/validators/{nodeId}", { params }));
    },
    ({ validators }) => validators,
    OF_P,
  );
}

export function useDelegators(nodeIds: string) {
  return usePages(
    ["listDelegators", nodeIds],
    async (pageToken) => {
      const params = { path: { network: await networkInPaths() }, query: { nodeIds, pageSize: PAGE, ...after(pageToken) } };
      return answerOf(data.GET("/v1/networks/{network}/delegators", { params }));
    },
    ({ delegators }) => delegators,
    OF_P,
  );
}

export function usePendingRewards(nodeIds: string) {
  return usePages(
    ["listPendingRewards", nodeIds],
    async (pageToken) => {
      const params = { path: { network: await networkInPaths() }, query: { nodeIds, pageSize: PAGE, ...after(pageToken) } };
      return answerOf(data.GET("/v1/networks/{network}/rewards:listPending", { params }));
    },
    ({ pendingRewards }) => pendingRewards,
    OF_P,
  );
}

export function useHistoricalRewards(nodeIds: string) {
  return usePages(
    ["listHistoricalRewards", nodeIds],
    async (pageToken) => {
      const params = { path: { network: await networkInPaths() }, query: { nodeIds, pageSize: PAGE, ...after(pageToken) } };
      return answerOf(data.GET("/v1/networks/{network}/rewards", { params }));
    },
    ({ historicalRewards }) => historicalRewards,
    OF_P,
  );
}

export type ProposedChain = "p-chain" | "x-chain" | "c-chain";

export function useProposedBlocks(nodeId: string, blockchainId: ProposedChain) {
  return usePages(
    ["listBlocksByNodeId", nodeId, blockchainId],
    async (pageToken) => {
      const path = { network: await networkInPaths(), blockchainId, nodeId };
      const params = { path, query: { pageSize: PAGE, ...after(pageToken) } };
      return answerOf(data.GET("/v1/networks/{network}/blockchains/{blockchainId}/nodes/{nodeId}/blocks", { params }));
    },
    ({ blocks }) => blocks,
    { follows: blockchainId.slice(0, 1).toUpperCase() },
  );
}

type L1ValidatorQuery = NonNullable<operations["listL1Validators"]["parameters"]["query"]>;

export function useL1Validators(query: L1ValidatorQuery) {
  return usePages(
    ["listL1Validators", query],
    async (pageToken) => {
      const params = { path: { network: await networkInPaths() }, query: { ...query, pageSize: PAGE, ...after(pageToken) } };
      return answerOf(data.GET("/v1/networks/{network}/l1Validators", { params }));
    },
    ({ validators }) => validators,
    OF_P,
  );
}

export function useSubnets(pageSize = PAGE) {
  return usePages(
    ["listSubnets", pageSize],
    async (pageToken) => {
      const params = { path: { network: await networkInPaths() }, query: { pageSize, ...after(pageToken) } };
      return answerOf(data.GET("/v1/networks/{network}/subnets", { params }));
    },
    ({ subnets }) => subnets,
    OF_P,
  );
}

export interface FeeState {
  readonly excess: string | number;
  /** nAVAX a second */
  readonly price: string | number;
  /** of the newest block, RFC 3339 */
  readonly timestamp: string;
}

/** What an active L1 validator pays, as of the newest block. */
export function useFeeState() {
  return useAnswer(["getValidatorFeeState"], () => rpc<FeeState>("bc/P", "platform.getValidatorFeeState"), OF_P);
}

export interface FeeConfig {
  readonly capacity: string | number;
  readonly target: string | number;
  readonly minPrice: string | number;
}

export function useFeeConfig() {
  return useAnswer(["getValidatorFeeConfig"], () => rpc<FeeConfig>("bc/P", "platform.getValidatorFeeConfig"));
}
