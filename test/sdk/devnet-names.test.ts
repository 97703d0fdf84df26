/** A network of one's own in the Data API, under its own name and ID: `@avalabs/glacier-sdk` sends them, the other SDKs only known labels. */
import { Glacier, type Network } from "@avalabs/glacier-sdk";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type LocalNetwork, startDevnet } from "../../src/serve/local-network/start.ts";

let network: LocalNetwork;
beforeAll(async () => {
  network = await startDevnet({ hasEvm: false });
});
afterAll(() => network?.stop());

test("an SDK reads it by its name and its ID as it does by a label", async () => {
  const { networkName, networkId, url } = network;
  const { primaryNetwork } = new Glacier({ BASE: url });
  const read = (label: string) => primaryNetwork.listValidators({ network: label as Network, pageSize: 2 });
  const expected = await read("fuji");
  expect(expected.validators).toHaveLength(2);
  for (const label of [networkName, `${networkId}`]) expect(await read(label)).toEqual(expected);
  await expect(read("another")).rejects.toMatchObject({ status: 400 });
});
