import type { HttpRequest, HttpResponse } from "../http/exchange.ts";
import type { RequestAccount } from "./request-account.ts";

export interface Endpoint {
  /** label in metrics */
  readonly name: string;
  /** lowest price of a request, in compute units; 0 if the endpoint is open to everybody */
  readonly leastUnits: number;
  /** privilege that a key needs; by default none */
  readonly privilege?: string | undefined;
  /**
   * `query` starts with `?` or is empty. `account` pays for what is asked; it is undefined where nothing is counted. The pipeline handles
   * what this throws.
   */
  handle(request: HttpRequest, query: string, account?: RequestAccount): HttpResponse | Promise<HttpResponse>;
}
