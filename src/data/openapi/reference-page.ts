/**
 * `/docs`: the OpenAPI document as a page where every route can be tried. All of it is served from here: nothing is loaded from elsewhere.
 */
import type { IncomingMessage, ServerResponse } from "node:http";
import swagger from "@fastify/swagger";
import swaggerUi from "@fastify/swagger-ui";
import Fastify from "fastify";

/** Browsers load nothing from elsewhere. Pages of plain http stay plain http: a data node often has no certificate. */
const CONTENT_POLICY =
  "default-src 'self'; img-src 'self' data:; style-src 'self' 'unsafe-inline'; object-src 'none'; frame-ancestors 'self'";

export async function createReferencePage(document: object): Promise<(request: IncomingMessage, response: ServerResponse) => void> {
  const app = Fastify();
  await app.register(swagger, { mode: "static", specification: { document: document as never } });
  await app.register(swaggerUi, {
    routePrefix: "/docs",
    staticCSP: CONTENT_POLICY,
    theme: { title: "Firn Data API" },
    uiConfig: { url: "/v1/openapi.json", validatorUrl: null, docExpansion: "list", displayOperationId: true },
  });
  await app.ready();
  return (request, response) => app.routing(request, response);
}
