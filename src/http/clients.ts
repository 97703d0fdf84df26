/** The clients that a process currently serves, with their connections and resource use. */

import type { IncomingMessage, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import type { KnownHeads } from "./known-heads.ts";
import type { ClientTurns, ConnectionTurns, RequestTurns } from "./request-turns.ts";
import { newClientTurns } from "./turns.ts";

export interface Client extends ClientTurns {
  /** an IPv4 address or an IPv6 /64 */
  readonly name: string;
  readonly connections: Set<Connection>;
  /** its connections on which no request is being answered, the longest idle first */
  readonly quiet: Set<Connection>;
  /** number of connections, and of requests that came through proxies */
  users: number;
}

/** Stands in front of the parser of a connection. */
export interface Feed {
  /** Call this when the request that was fed last is answered. */
  answered(): void;
  /** Hands the connection over, with the bytes that were not parsed. */
  end(): Buffer;
}

export interface Connection extends ConnectionTurns {
  readonly client: Client;
  readonly socket: Socket;
  readonly address: string;
  /** a connection of one of the operator's proxies: its requests belong to other clients */
  readonly isProxy: boolean;
  feed: Feed | undefined;
  /** whether it has had a feed */
  wasFed: boolean;
  /** requests being read or answered: one, unless several fit into the length of one request line */
  open: number;
  /** the request being read or answered; of several, the latest */
  current: IncomingMessage | undefined;
  /** the latest response, until it is sent and its request complete: an idle connection must not hold a long head */
  response: ServerResponse | undefined;
  readonly heads: KnownHeads;
  /** a request with one of these heads which is being answered, until its client has the answer */
  answering: RequestTurns | undefined;
  /** refuses the request whose body is being read; undefined if no body is being read */
  refuseBody: (() => void) | undefined;
}

export class Clients {
  readonly #known = new Map<string, Client>();
  /** index: number of connections */
  readonly #ofSize: Set<Client>[] = [];
  /** number of connections of the client with the most */
  #most = 0;

  /** Each call needs one call of `leave`. */
  enter(name: string): Client {
    let client = this.#known.get(name);
    if (client === undefined) {
      client = { ...newClientTurns(), name, connections: new Set(), quiet: new Set(), users: 0 };
      this.#known.set(name, client);
    }
    client.users++;
    return client;
  }

  leave(client: Client): void {
    if (--client.users === 0) this.#known.delete(client.name);
  }

  add(connection: Connection): void {
    const { client } = connection;
    const { size } = client.connections.add(connection);
    client.quiet.add(connection);
    this.#ofSize[size - 1]?.delete(client);
    this.#ofSize[size] ??= new Set();
    this.#ofSize[size].add(client);
    this.#most = Math.max(this.#most, size);
  }

  remove(connection: Connection): void {
    const { client } = connection;
    client.quiet.delete(connection);
    if (!client.connections.delete(connection)) return;
    const { size } = client.connections;
    const larger = this.#ofSize[size + 1]!;
    larger.delete(client);
    if (size > 0) this.#ofSize[size]!.add(client);
    if (larger.size === 0 && this.#most === size + 1) this.#most = size;
  }

  /** The client with the most connections; undefined if there is none. */
  largest(): Client | undefined {
    const [client] = this.#ofSize[this.#most] ?? [];
    return client;
  }

  [Symbol.iterator](): Iterator<Client> {
    return this.#known.values();
  }
}
