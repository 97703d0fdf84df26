/** The error that each client raises for a server's error. */
import * as avacloudErrors from "@avalabs/avacloud-sdk/models/errors/index.js";
import { ApiError } from "@avalabs/glacier-sdk";
import * as chainkitErrors from "@avalanche-sdk/chainkit/models/errors";
import { expect } from "vitest";
import { CLIENT_NAMES, type ClientName, type ClientOptions, clientNamed, type Params } from "./data-clients.ts";
import { type MethodName, methodNamed } from "./data-methods.ts";

type ErrorClass = new (...parameters: never[]) => Error;
export type Status = 400 | 401 | 403 | 404 | 429 | 500 | 502 | 503;

const CLASSES: Readonly<Record<Status, readonly [chainkit: ErrorClass, avacloud: ErrorClass]>> = {
  400: [chainkitErrors.BadRequestError, avacloudErrors.BadRequest],
  401: [chainkitErrors.UnauthorizedError, avacloudErrors.Unauthorized],
  403: [chainkitErrors.ForbiddenError, avacloudErrors.Forbidden],
  404: [chainkitErrors.NotFoundError, avacloudErrors.NotFound],
  429: [chainkitErrors.TooManyRequestsError, avacloudErrors.TooManyRequests],
  500: [chainkitErrors.InternalServerError, avacloudErrors.InternalServerError],
  502: [chainkitErrors.BadGatewayError, avacloudErrors.BadGateway],
  503: [chainkitErrors.ServiceUnavailableError, avacloudErrors.ServiceUnavailable],
};

/** Every client gets this status, and says what the server said. */
export async function expectStatus(
  status: Status,
  sentence: string | RegExp,
  options: ClientOptions,
  [method, params = {}]: readonly [MethodName, Params?],
): Promise<void> {
  for (const name of CLIENT_NAMES) {
    const error = await clientNamed(name, options)
      .pages(methodNamed(method), params)
      .then(
        () => expect.fail(`${name} saw no error`),
        (raised: unknown) => raised,
      );
    expect(error, name).toBeInstanceOf(classOf(name, status));
    expect(error).toMatchObject(name === "glacier" ? { status, body: { statusCode: status } } : { statusCode: status });
    const said = name === "glacier" ? (error as ApiError).body.message : (error as Error).message;
    expect(said, name).toMatch(sentence);
  }
}

function classOf(name: ClientName, status: Status): ErrorClass {
  const [chainkit, avacloud] = CLASSES[status];
  return { chainkit, avacloud, glacier: ApiError }[name];
}
