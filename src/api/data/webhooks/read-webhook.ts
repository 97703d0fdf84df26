/** Reads what a client wants to be told of, and refuses what cannot be, with a 400 that says what would be right. */
import { formatId, formatNodeId } from "../../../base/bytes/cb58.ts";
import { hostOf } from "../../../base/pinned-address.ts";
import { P_CHAIN, X_CHAIN } from "../../../index/primary/primary-chain.ts";
import { parseAddresses } from "../addresses.ts";
import type { EvmChainsContext } from "../context.ts";
import { badRequest, DataError } from "../errors.ts";
import { parseEvmAddress, parseOptionalTopic } from "../evm/parameters.ts";
import { parseIdParam, parseNodeIdParam, shown } from "../ids.ts";
import { chainNameOf, NetworkPaths } from "../network-labels.ts";
import { type CreateWebhookBody, MOST_KEYS } from "./schemas.ts";
import type { EvmWebhook, PrimaryWebhook, ValidatorWebhook, WebhookSettings } from "./webhook-desk.ts";

export interface WantedWebhook {
  readonly settings: WebhookSettings;
  /** hex without 0x, each once */
  readonly addresses: readonly string[];
}

type Shared = Pick<WebhookSettings, "url" | "name" | "description" | "eventSignatures">;

export function readWebhook(body: CreateWebhookBody, context: EvmChainsContext): WantedWebhook {
  const { url, name = "", description = "", metadata } = body;
  const eventSignatures = (metadata.eventSignatures ?? []).map((topic) => `0x${parseOptionalTopic(topic, "metadata.eventSignatures")!}`);
  const shared = { url: readWebhookUrl(url), name, description, eventSignatures };
  switch (body.eventType) {
    case "address_activity":
      return readEvmWebhook(body, shared, context);
    case "primary_network_address_activity":
      return readPrimaryWebhook(body, shared, context);
    default:
      return { settings: readValidatorWebhook(body, shared, context), addresses: [] };
  }
}

/** Whether it may be asked is decided when it is: its name may lead elsewhere by then. */
export function readWebhookUrl(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  const isWeb = url?.protocol === "http:" || url?.protocol === "https:";
  if (url === undefined || !isWeb || hostOf(url) === "" || url.username !== "" || url.password !== "") {
    throw badRequest(`url must be http or https, with a host and without a password, got ${shown(text)}`);
  }
  url.hash = "";
  return url.href;
}

function readEvmWebhook(
  { chainId, metadata, ...options }: CreateWebhookBody,
  shared: Shared,
  { evmChains }: EvmChainsContext,
): WantedWebhook {
  const chain = evmChains.find(
    ({ evmChainId, settings: { blockchainId } }) =>
      chainId === `${evmChainId}` || (blockchainId !== undefined && chainId === formatId(blockchainId)),
  );
  if (chain === undefined) {
    const served = evmChains.map(({ evmChainId }) => evmChainId).join(", ");
    throw badRequest(
      `chainId must be an EVM chain that is indexed here: ${served === "" ? "there is none" : served}, got ${sent(chainId)}`,
    );
  }
  const addresses = readEvmAddresses(metadata.addresses ?? [], "metadata.addresses");
  if (addresses.length === 0) throw badRequest("metadata.addresses must name at least one address");
  const { includeInternalTxs = false, includeLogs = false } = options;
  const name = `${chain.evmChainId}`;
  const settings: EvmWebhook = {
    eventType: "address_activity",
    ...shared,
    scope: { kind: "evm", chain: name },
    chainId: name,
    includeInternalTxs,
    includeLogs,
  };
  return { settings, addresses };
}

/** Hex without 0x, each once. */
export function readEvmAddresses(texts: readonly string[], name: string): string[] {
  return [...new Set(texts.map((text) => parseEvmAddress(text, name)))];
}

function sent(text: string | undefined): string {
  return text === undefined ? "none" : shown(text);
}

function readPrimaryWebhook(body: CreateWebhookBody, shared: Shared, context: EvmChainsContext): WantedWebhook {
  const { chainId = "", metadata } = body;
  const paths = requireNetwork(body, context);
  const chain = paths.chainOf(chainId, [P_CHAIN, X_CHAIN], "chainId");
  requireKeyType(metadata.keyType, ["addresses"]);
  const keys = metadata.keys ?? [];
  const addresses = keys.length === 0 ? [] : parseAddresses(keys.join(","), context, { max: MOST_KEYS, name: "metadata.keys" });
  if (addresses.length === 0) throw badRequest("metadata.keys must name at least one address");
  const subEvents = [...new Set(metadata.subEvents?.addressActivitySubEvents ?? [])];
  if (subEvents.length === 0) throw badRequest("metadata.subEvents.addressActivitySubEvents must name at least one event");
  const filter = metadata.balanceThresholdFilter;
  if (subEvents.includes("balance_threshold") !== (filter !== undefined)) {
    throw badRequest("metadata.balanceThresholdFilter goes with the event balance_threshold: send both, or none");
  }
  const settings: PrimaryWebhook = {
    eventType: "primary_network_address_activity",
    ...shared,
    scope: { kind: "primary", chain: `${chain}` },
    chainId: chainNameOf(chain),
    subEvents,
    ...(filter && {
      balanceThreshold: {
        type: filter.balanceType,
        threshold: readAmount(filter.balanceThreshold, "metadata.balanceThresholdFilter.balanceThreshold"),
      },
    }),
  };
  return { settings, addresses };
}

function readValidatorWebhook(body: CreateWebhookBody, shared: Shared, context: EvmChainsContext): ValidatorWebhook {
  requireNetwork(body, context);
  const { metadata } = body;
  const keyType = requireKeyType(metadata.keyType, ["nodeId", "subnetId"]);
  const nodes = (texts: readonly string[], name: string) => [...new Set(texts.map((text) => formatNodeId(parseNodeIdParam(name, text))))];
  const subnets = (texts: readonly string[], name: string) => [...new Set(texts.map((text) => formatId(parseIdParam(name, text))))];
  const keys = (keyType === "nodeId" ? nodes : subnets)(metadata.keys ?? [], "metadata.keys");
  if (keys.length === 0) throw badRequest("metadata.keys must name at least one node or subnet, as metadata.keyType says");
  const subEvents = [...new Set(metadata.subEvents?.validatorActivitySubEvents ?? [])];
  if (subEvents.length === 0) throw badRequest("metadata.subEvents.validatorActivitySubEvents must name at least one event");
  const threshold = metadata.l1ValidatorFeeBalanceThreshold;
  if (subEvents.includes("l1_validator_balance_threshold") !== (threshold !== undefined)) {
    throw badRequest("metadata.l1ValidatorFeeBalanceThreshold goes with the event l1_validator_balance_threshold: send both, or none");
  }
  return {
    eventType: "validator_activity",
    ...shared,
    scope: { kind: "primary", chain: `${P_CHAIN}` },
    chainId: chainNameOf(P_CHAIN),
    keyType,
    keys,
    nodeIds: nodes(metadata.nodeIds ?? [], "metadata.nodeIds"),
    subnetIds: subnets(metadata.subnetIds ?? [], "metadata.subnetIds"),
    subEvents,
    ...(threshold !== undefined && { l1BalanceThreshold: readAmount(threshold, "metadata.l1ValidatorFeeBalanceThreshold") }),
  };
}

function requireNetwork({ network }: CreateWebhookBody, context: EvmChainsContext): NetworkPaths {
  const paths = new NetworkPaths(context.network);
  try {
    paths.checkNetwork(network ?? "");
  } catch (error) {
    // in a path it would be 404
    throw error instanceof DataError ? badRequest(error.message) : error;
  }
  return paths;
}

function requireKeyType<T extends string>(keyType: string | undefined, wanted: readonly T[]): T {
  const found = wanted.find((one) => one === keyType);
  if (found === undefined) throw badRequest(`metadata.keyType must be ${wanted.join(" or ")} for this event, got ${sent(keyType)}`);
  return found;
}

function readAmount(text: string, name: string): string {
  if (!/^[0-9]{1,20}$/.test(text)) throw badRequest(`${name} must be nAVAX in decimal digits, got ${shown(text)}`);
  return `${BigInt(text)}`;
}
