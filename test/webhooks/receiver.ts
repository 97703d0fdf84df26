/** A receiver of webhooks' messages: keeps what it gets, and answers as a test says. */
import { createServer, type IncomingHttpHeaders, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { eventually } from "../patience.ts";

export interface ReceivedMessage {
  readonly webhookId: string;
  readonly eventType: string;
  readonly messageId: string;
  // biome-ignore lint/suspicious/noExplicitAny: tests read events of all kinds
  readonly event: any;
}

export interface Received {
  readonly message: ReceivedMessage;
  readonly body: string;
  readonly headers: IncomingHttpHeaders;
  /** path and query */
  readonly url: string;
}

/** Answers a request; a status alone is answered at once. */
export type Answer = number | ((response: ServerResponse, received: Received) => void);

export interface Receiver {
  readonly url: string;
  /** in the order in which they came */
  readonly received: Received[];
  /** for each request from now on */
  answer: Answer;
  /** Waits until so many came, and gives them. */
  first(count: number): Promise<Received[]>;
  stop(): Promise<void>;
}

export async function startReceiver(port = 0): Promise<Receiver> {
  const received: Received[] = [];
  const server = createServer((request, response) => {
    let body = "";
    request.setEncoding("utf8");
    request.on("data", (chunk: string) => {
      body += chunk;
    });
    request.on("end", () => {
      const one = { message: JSON.parse(body) as ReceivedMessage, body, headers: request.headers, url: request.url! };
      received.push(one);
      const { answer } = receiver;
      if (typeof answer === "number") response.writeHead(answer).end();
      else answer(response, one);
    });
  });
  await new Promise<void>((resolve) => server.listen(port, "127.0.0.1", resolve));
  const receiver: Receiver = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`,
    received,
    answer: 200,
    first: (count) => eventually(() => (received.length >= count ? received.slice(0, count) : undefined)),
    stop: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
  return receiver;
}
