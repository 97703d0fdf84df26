/** Finds the client of a request: the peer of its connection, or the address that the operator's proxies report in X-Forwarded-For. */
import type { IncomingMessage } from "node:http";
import proxyAddr from "@fastify/proxy-addr";
import { clientOfAddress } from "./client-address.ts";

export interface ClientOfRequest {
  /** Whether the connection is one of the operator's proxies, so that its requests may belong to different clients. */
  isProxy(address: string): boolean;
  /** Reads the header from its end, skipping proxies, up to the first address that is not one. */
  addressOf(address: string, forwardedFor: string | undefined): string;
  /** the name by which the client is counted */
  nameOf(address: string, forwardedFor: string | undefined): string;
}

/**
 * Uses the library of the Data API's framework, because both must identify the same client. @param trustedProxies addresses and networks
 * such as 10.0.0.0/8
 */
export function clientOfRequest(trustedProxies: readonly string[]): ClientOfRequest {
  const trusts = proxyAddr.compile([...trustedProxies]);
  const isProxy = (address: string) => trustedProxies.length > 0 && address !== "" && trusts(address, 0);
  const addressOf = (address: string, forwardedFor: string | undefined) => {
    if (forwardedFor === undefined || !isProxy(address)) return address;
    const request = { headers: { "x-forwarded-for": forwardedFor }, socket: { remoteAddress: address } };
    // the library uses only these fields of a request
    return proxyAddr(request as unknown as IncomingMessage, trusts);
  };
  return { isProxy, addressOf, nameOf: (address, forwardedFor) => clientOfAddress(addressOf(address, forwardedFor)) };
}
