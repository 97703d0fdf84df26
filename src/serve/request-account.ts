/**
 * API keys and rate limits of the node's interface below `/ext`. The caller is checked before its body is read; a call is paid for once it
 * is known and before it runs. Refusals are plain text, like everything that the node answers before a method runs.
 */
import { type AccessControl, type Account, isRefusal, keysOf } from "../api/access/access.ts";
import { type ClientOfRequest, clientOfRequest } from "../http/client-of-request.ts";
import { type Caller, type HttpRequest, type HttpResponse, RefusedRequest } from "../http/exchange.ts";

export class RequestAccount {
  readonly #account: Account;
  #headers: readonly string[] = [];

  constructor(account: Account) {
    this.#account = account;
  }

  /** The client's rate-limit headers, names and values alternating. */
  get headers(): readonly string[] {
    return this.#headers;
  }

  /** Throws or rejects with a RefusedRequest. */
  pay(computeUnits: number): void | Promise<void> {
    const made = this.#account.spend(computeUnits);
    return made instanceof Promise ? made.then((admission) => this.#take(admission)) : this.#take(made);
  }

  /** Throws a RefusedRequest if the account is already known to be unable to pay this much. */
  require(computeUnits: number): void {
    this.#take(this.#account.foresee(computeUnits));
  }

  #take({ headers, refusal }: ReturnType<Account["foresee"]>): void {
    if (refusal !== undefined) throw new RefusedRequest(refusal, headers);
    this.#headers = headers;
  }
}

export class NodeAccess {
  readonly #access: AccessControl;
  readonly #clients: ClientOfRequest;

  constructor(access: AccessControl, trustedProxies: readonly string[]) {
    this.#access = access;
    this.#clients = clientOfRequest(trustedProxies);
  }

  /** Throws a RefusedRequest. Returns undefined if the endpoint is open to everybody. */
  open(caller: Caller, { leastUnits, privilege }: Pick<Endpoint, "leastUnits" | "privilege">): RequestAccount | undefined {
    if (leastUnits === 0) return undefined;
    const ip = this.#clients.addressOf(caller.remoteAddress, caller.headers["x-forwarded-for"]?.toString());
    const asker = { keys: keysOf(caller.headers), ip, ...(privilege !== undefined && { privilege }) };
    const opened = this.#access.open(asker);
    if (isRefusal(opened)) throw new RefusedRequest(opened);
    const account = new RequestAccount(opened);
    account.require(leastUnits);
    return account;
  }
}

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
