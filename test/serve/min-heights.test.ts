/** Requests that ask for a height. */

import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { minHeightsOf } from "../../src/api/state/committed-states.ts";
import { exchange, post, type SmallNode, startSmallNode } from "./small-node.ts";
import { heightChanges } from "./small-store.ts";

const HEIGHT = '{"jsonrpc":"2.0","id":1,"method":"platform.getHeight","params":{}}';

let node: SmallNode;
beforeEach(async () => {
  node = await startSmallNode();
});
afterEach(() => node.remove());

const rpc = (headers: Readonly<Record<string, string>>) => post(node.port, "/ext/bc/P", HEIGHT, headers);
const data = (header: string) =>
  exchange(node.port, `GET /v1/networks/mainnet/blockchains HTTP/1.1\r\nHost: localhost\r\n${header}\r\nConnection: close\r\n\r\n`);

describe("a request for a height", () => {
  test("that is served is answered", async () => {
    const answer = await rpc({ "Firn-Min-Height-P": "10", "firn-min-height-x": "20", "FIRN-MIN-HEIGHT-C": "30" });
    expect([answer.status, answer.headers.get("firn-height-p")]).toEqual([200, "10"]);
    expect((await data("Firn-Min-Height-P: 10")).status).toBe(200);
  });

  test("waits for it", async () => {
    let isWaiting: () => void = () => {};
    const waiting = new Promise<void>((resolve) => {
      isWaiting = resolve;
    });
    const { snapshot } = node.store;
    let snapshots = 0;
    let isCommitted: () => void = () => {};
    const committed = new Promise<void>((resolve) => {
      isCommitted = resolve;
    });
    // the second look finds what was committed after the first, however long that took
    node.store.snapshot = async (read) => {
      if (++snapshots === 1) isWaiting();
      else await committed;
      return snapshot.call(node.store, read) as never;
    };
    const asked = rpc({ "Firn-Min-Height-P": "11" });
    await waiting;
    await node.store.commit(heightChanges({ P: 11n, X: 20n, C: 30n }));
    isCommitted();
    const answer = await asked;
    expect([answer.status, answer.headers.get("firn-height-p")]).toEqual([200, "11"]);
  });

  test("may be asked by a page of another origin", async () => {
    const preflight = (name: string) =>
      exchange(
        node.port,
        `OPTIONS /ext/bc/P HTTP/1.1\r\nHost: localhost\r\nOrigin: https://wallet.example\r\nAccess-Control-Request-Method: POST\r\nAccess-Control-Request-Headers: content-type,${name}\r\nConnection: close\r\n\r\n`,
      );
    const allowed = (await preflight("firn-min-height-p")).headers.get("access-control-allow-headers");
    expect(allowed).toBe("Content-Type, Firn-Min-Height-P");
    expect((await preflight("firn-min-heights")).headers.has("access-control-allow-headers")).toBe(false);
  });

  test("that does not come is refused, with the height that was asked for and the one that is served", async () => {
    const refused = await rpc({ "Firn-Min-Height-P": "11" });
    const sentence = "height 11 of chain P was asked for; 10 is served at the moment; try again later";
    expect([refused.status, refused.body]).toEqual([503, `${sentence}\n`]);
    const { status, body } = await data("Firn-Min-Height-X: 18446744073709551615");
    expect([status, JSON.parse(body).message]).toEqual([
      503,
      "height 18446744073709551615 of chain X was asked for; 20 is served at the moment; try again later",
    ]);
    expect((await rpc({ "Firn-Min-Height-43114": "1" })).body).toContain("no block of such a chain is served here");
    expect(node.defects).toEqual([]);
  });

  test("that is none is refused at once", async () => {
    for (const bad of ["", "-1", "1.5", "0x10", "18446744073709551616", "1, 2", "ten"]) {
      const { status, body } = await rpc({ "Firn-Min-Height-P": bad });
      expect([bad, status, body]).toEqual([
        bad,
        400,
        "the header firn-min-height-p must be given once, with a height in decimal digits, such as 225\n",
      ]);
    }
    const twice = await data("Firn-Min-Height-P: 1\r\nFirn-Min-Height-P: 2");
    expect([twice.status, JSON.parse(twice.body).message]).toEqual([400, expect.stringContaining("must be given once")]);
  });

  test("is read as it was written", () => {
    fc.assert(
      fc.property(fc.bigInt({ min: 0n, max: 2n ** 64n - 1n }), (height) => {
        expect([...minHeightsOf({ host: "a", "firn-min-height-43114": `${height}` })!]).toEqual([["43114", height]]);
      }),
    );
    expect(minHeightsOf({ host: "a", "firn-min-heigh": "1" })).toBeUndefined();
  });
});
