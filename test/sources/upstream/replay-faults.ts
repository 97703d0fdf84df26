/** What may go wrong with one message between a replayed node and who asks it. */
import type { ServerResponse } from "node:http";
import { delay } from "../../patience.ts";

export type Fault =
  | { readonly kind: "delay"; readonly ms: number }
  /** no answer, ever */
  | { readonly kind: "hang" }
  /** the connection ends without an answer */
  | { readonly kind: "drop" }
  /** the connection ends within the answer */
  | { readonly kind: "truncate" }
  /** one character in the answer is another one; `at` from 0 to 1 says which */
  | { readonly kind: "corrupt"; readonly at: number }
  /** 429, 500, 503, 200 …, with a page of HTML or what `body` says */
  | { readonly kind: "status"; readonly status: number; readonly body?: string; readonly retryAfterSeconds?: number }
  /** answered as the node was so many blocks before, on all chains */
  | { readonly kind: "behind"; readonly blocks: bigint }
  /** answered, and then changed by the test: `answer` gets the body and returns another */
  | { readonly kind: "change"; readonly answer: (body: string) => string };

const PAGE = "<html><body><h1>Service Unavailable</h1></body></html>";

/** Sends an answer, or what a fault makes of it. */
export async function sendWith(fault: Fault | undefined, body: string, contentType: string, response: ServerResponse): Promise<void> {
  if (fault?.kind === "hang") return;
  if (fault?.kind === "drop") return void response.destroy();
  if (fault?.kind === "delay") await delay(fault.ms);
  if (fault?.kind === "status") {
    const retryAfter = fault.retryAfterSeconds === undefined ? {} : { "retry-after": `${fault.retryAfterSeconds}` };
    return void response.writeHead(fault.status, { "content-type": "text/html", ...retryAfter }).end(fault.body ?? PAGE);
  }
  const bytes = Buffer.from(changed(body, fault));
  response.writeHead(200, { "content-type": contentType, "content-length": bytes.length });
  if (fault?.kind === "truncate") return void response.write(bytes.subarray(0, bytes.length >> 1), () => response.destroy());
  response.end(bytes);
}

function changed(body: string, fault: Fault | undefined): string {
  if (fault?.kind === "change") return fault.answer(body);
  if (fault?.kind !== "corrupt") return body;
  const at = Math.min(body.length - 1, Math.floor(fault.at * body.length));
  return `${body.slice(0, at)}${body[at] === "7" ? "8" : "7"}${body.slice(at + 1)}`;
}
