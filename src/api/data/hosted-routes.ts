/** Routes of the hosted service that the official SDKs ask for and Firn does not have. A test holds the list against the SDKs. */
const HOSTED_ALONE: readonly string[] = [
  "/v1/apiLogs",
  "/v1/apiUsageMetrics",
  "/v1/operations/transactions:export",
  "/v1/operations/{operationId}",
  "/v1/rpcUsageMetrics",
  "/v1/subnetRpcUsageMetrics",
  "/v2/chains/43114/btcb/bridged:getAddresses",
  "/v2/lookingGlass/compositeQuery",
];

const PATTERNS = HOSTED_ALONE.map((path) => new RegExp(`^${path.replace(/\{\w+\}/g, "[^/]+")}/?$`));

/** Whether a path is one of the hosted service's that Firn lacks; it is not mistyped then. */
export function isHostedAlone(path: string): boolean {
  return PATTERNS.some((pattern) => pattern.test(path));
}
