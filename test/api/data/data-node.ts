/** A serving process with a test's own routes, and requests to it that check what all responses have in common. */
import { expect } from "vitest";
import { REASONS } from "../../../src/api/data/errors.ts";
import type { NodeServerOptions } from "../../../src/serve/node-server.ts";
import { type SmallNode, startSmallNode } from "../../serve/small-node.ts";
import { echoRoutes } from "./echo-routes.ts";

export interface Answered {
  readonly status: number;
  readonly headers: Headers;
  // biome-ignore lint/suspicious/noExplicitAny: tests look into answers of many forms
  readonly body: any;
}

export interface DataNode extends SmallNode {
  ask(path: string, init?: RequestInit): Promise<Answered>;
}

export async function startDataNode(options: Partial<NodeServerOptions> = {}): Promise<DataNode> {
  const node = await startSmallNode({ dataRoutes: echoRoutes, ...options });
  return {
    ...node,
    async ask(path, init) {
      const response = await fetch(`http://127.0.0.1:${node.port}${path}`, init);
      const text = await response.text();
      expect(response.headers.get("content-type"), path).toBe("application/json; charset=utf-8");
      expect([...response.headers.keys()], path).toEqual(expect.arrayContaining(["firn-height-p", "firn-seconds-behind-p"]));
      const body = init?.method === "HEAD" ? undefined : JSON.parse(text);
      if (response.status >= 400 && body !== undefined) {
        expect(body, path).toEqual({
          message: expect.any(String),
          statusCode: response.status,
          error: REASONS[response.status as keyof typeof REASONS],
        });
      }
      return { status: response.status, headers: response.headers, body };
    },
  };
}
