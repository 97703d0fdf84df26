/**
 * avalanchejs with a served recording: its clients return what they would have returned for the recorded replies, byte for byte where they
 * decode bytes. It also does what a wallet does: find its UTXOs, build a transaction, sign it, issue it.
 */

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import * as avalanchejs from "@avalabs/avalanchejs";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { formatId } from "../../src/base/bytes/cb58.ts";
import type { Serving } from "../../src/serve/serve.ts";
import { importUntil, serveAt } from "../conformance/checkpoints.ts";
import { readJson } from "../conformance/json-lines.ts";
import { recordingFolder } from "../conformance/recordings.ts";

interface RecordedRequest {
  readonly path: string;
  readonly method: string;
  readonly params?: Record<string, unknown>;
  readonly response: { readonly result?: Record<string, unknown>; readonly error?: { readonly message: string } };
}

interface Checkpoint {
  readonly heights: Record<string, number>;
  readonly recordedAt: string;
  readonly requests: readonly RecordedRequest[];
}

// biome-ignore lint/suspicious/noExplicitAny: the package's declarations do not resolve under node16 rules, so it is used without types
type Anything = any;
const { addTxSignatures, avaxSerial, avm, Context, evm, info, pvm, TransferableOutput, utils }: Anything = avalanchejs;

const folder = recordingFolder("latest-1");
const checkpoint = readJson<Checkpoint>(folder, "checkpoints/010-later.json");
const directory = mkdtempSync(join(tmpdir(), "firn-sdk-"));
let serving: Serving;
let pvmApi: Anything;
let avmApi: Anything;
let evmApi: Anything;
let infoApi: Anything;

beforeAll(async () => {
  await importUntil(folder, directory, checkpoint.heights, "replay");
  serving = await serveAt(directory, BigInt(Math.floor(Date.parse(checkpoint.recordedAt) / 1000)));
  pvmApi = new pvm.PVMApi(serving.url);
  avmApi = new avm.AVMApi(serving.url);
  evmApi = new evm.EVMApi(serving.url);
  infoApi = new info.InfoApi(serving.url);
});
afterAll(async () => {
  await serving?.stop();
  rmSync(directory, { recursive: true, force: true });
});

/** Recorded requests as the client sends them: with these members only, and of types that its signature has. */
function recorded(path: string, method: string, members: readonly string[] = []): RecordedRequest[] {
  return checkpoint.requests.filter((request) => {
    if (request.path !== path || request.method !== method) return false;
    const { params, response } = request;
    // Numbers that JavaScript cannot send as they were spelled
    if (response.error?.message.startsWith("couldn't unmarshal an argument")) return false;
    if (Number((params as Anything)?.height) > Number.MAX_SAFE_INTEGER) return false;
    if (params === undefined) return members.length === 0;
    if (params === null || typeof params !== "object" || Array.isArray(params)) return false;
    return Object.keys(params).every((name) => members.includes(name));
  });
}

async function compare(
  requests: readonly RecordedRequest[],
  ask: (params: Anything) => Promise<unknown>,
  seen: (result: Anything) => unknown = (result) => result,
): Promise<void> {
  expect(requests.length).toBeGreaterThan(0);
  for (const { params, response } of requests) {
    const answer = await ask(params).catch((error: Error) => error.message);
    const expected = response.error === undefined ? seen(response.result) : response.error.message;
    expect(answer, JSON.stringify(params)).toEqual(expected);
  }
}

const withChecksum = (bytes: Uint8Array) => utils.bufferToHex(utils.addChecksum(bytes));
/** What an API decoded, encoded again by the client's own codec: signed transactions bring their codec version along. */
const txText = (api: Anything, tx: Anything) => withChecksum(tx.toBytes(api.manager.getDefaultCodec()));
const listedText = (api: Anything, decoded: Anything) =>
  withChecksum(Buffer.concat([Buffer.alloc(2), decoded.toBytes(api.manager.getDefaultCodec())]));
const texts = (api: Anything, list: readonly Anything[]) => list.map((decoded) => listedText(api, decoded)).sort();

function pagesOf(api: Anything) {
  return async (params: Anything) => {
    const { utxos, endIndex, ...rest } = await api.getUTXOs(params);
    return { ...rest, utxos: texts(api, utxos) };
  };
}
/** The order of a page, and so its end, is each node's own. */
const sortedPage = ({ utxos, endIndex, ...rest }: Anything) => ({ ...rest, utxos: [...utxos].sort() });

/** Without full pages and replies that the client cannot read, whoever gives them: transactions newer than it, property outputs. */
function readable(requests: readonly RecordedRequest[], api: Anything): RecordedRequest[] {
  return requests.filter(({ response: { result } }) => {
    const { tx, utxos = [] }: Anything = result ?? {};
    // What a full page holds of the last block is each node's own
    if (utxos.length === 1024) return false;
    try {
      if (tx !== undefined) txText(api, api.manager.unpack(utils.hexToBuffer(tx), avaxSerial.SignedTx));
      for (const utxo of utxos) api.manager.unpack(utils.hexToBuffer(utxo), avalanchejs.Utxo);
      return true;
    } catch {
      return false;
    }
  });
}

const WHOLE_PAGES = ["addresses", "sourceChain"];
const P = "/ext/bc/P";
const X = "/ext/bc/X";

/** The recorded release did not tell what auto-renewed validators restaked. */
function withoutRestaked(result: Anything): Anything {
  if (!Array.isArray(result?.validators)) return result;
  const validators = result.validators.map(({ restakedValidationRewards, restakedDelegateeRewards, ...others }: Anything) => others);
  return { ...result, validators };
}

describe("the P-chain's client", () => {
  test.each([
    ["getHeight", []],
    ["getTimestamp", []],
    ["getBlockchains", []],
    ["getCurrentSupply", []],
    ["getMinStake", []],
    ["getCurrentValidators", ["subnetID", "nodeIDs"]],
    ["getSubnet", ["subnetID"]],
    ["getSubnets", ["ids"]],
    ["getStakingAssetID", ["subnetID"]],
    ["getTxStatus", ["txID"]],
    ["getValidatorsAt", ["height", "subnetID"]],
    ["validatedBy", ["blockchainID"]],
    ["validates", ["subnetID"]],
  ] as const)("%s", async (name, members) => {
    const call = (params: Anything) => pvmApi[name](params) as Promise<Anything>;
    const isUnordered = name === "getSubnets" || name === "getBlockchains" || name === "validates";
    const comparable = (result: Anything) => (isUnordered ? sortedLists(result) : withoutRestaked(withoutPeers(result)));
    await compare(recorded(P, `platform.${name}`, members), async (params) => comparable(await call(params)), comparable);
  });

  test("getBlockchainStatus, getTotalStake", async () => {
    const status = recorded(P, "platform.getBlockchainStatus", ["blockchainID"]);
    // The recorded node validated the chains that this one follows
    const comparable = (result: Anything) => (result.status === "Validating" ? { status: "Syncing" } : result);
    await compare(status, ({ blockchainID }) => pvmApi.getBlockchainStatus(blockchainID), comparable);
    await compare(recorded(P, "platform.getTotalStake", ["subnetID"]), ({ subnetID }) => pvmApi.getTotalStake(subnetID));
  });

  test("getBalance", async () => {
    const requests = recorded(P, "platform.getBalance", ["addresses"]);
    const comparable = ({ balance, unlocked, utxoIDs, ...rest }: Anything) => ({
      balance: BigInt(balance),
      unlocked: BigInt(unlocked),
      lockedStakeable: BigInt(rest.lockedStakeable),
      lockedNotStakeable: BigInt(rest.lockedNotStakeable),
      utxoIDs: new Set((utxoIDs ?? []).map((reference: Anything) => JSON.stringify(reference))),
    });
    await compare(requests, async (params) => comparable(await pvmApi.getBalance(params)), comparable);
  });

  test("getUTXOs and getRewardUTXOs decode to the recorded bytes", async () => {
    await compare(readable(recorded(P, "platform.getUTXOs", WHOLE_PAGES), pvmApi), pagesOf(pvmApi), sortedPage);
    const rewards = async (params: Anything) => {
      const { utxos, ...rest } = await pvmApi.getRewardUTXOs(params);
      return { ...rest, utxos: texts(pvmApi, utxos) };
    };
    await compare(recorded(P, "platform.getRewardUTXOs", ["txID"]), rewards, sortedPage);
  });

  test("getStake decodes to the recorded outputs", async () => {
    const outputs = async (params: Anything) => {
      const { stakedOutputs, ...rest } = await pvmApi.getStake(params);
      return { ...rest, stakedOutputs: texts(pvmApi, stakedOutputs) };
    };
    const comparable = ({ staked, stakedOutputs, ...rest }: Anything) => ({
      ...rest,
      staked: BigInt(staked),
      stakedOutputs: [...stakedOutputs].sort(),
    });
    await compare(recorded(P, "platform.getStake", ["addresses"]), outputs, comparable);
  });

  test("getFeeConfig, getFeeState and getL1Validator in numbers", async () => {
    const [{ response: config }] = recorded(P, "platform.getFeeConfig") as [RecordedRequest];
    const { weights, minPrice } = await pvmApi.getFeeConfig();
    expect(Object.values(weights)).toEqual(config.result!.weights);
    expect(Number(minPrice)).toBe(config.result!.minPrice);
    await compare(
      recorded(P, "platform.getFeeState"),
      () => pvmApi.getFeeState(),
      ({ capacity, excess, price, timestamp }) => ({ capacity: BigInt(capacity), excess: BigInt(excess), price: BigInt(price), timestamp }),
    );
    await compare(
      recorded(P, "platform.getL1Validator", ["validationID"]),
      async ({ validationID }) => l1Validator(await pvmApi.getL1Validator(validationID)),
      l1Validator,
    );
  });

  test("getTx decodes to the recorded bytes, and getTxJson is the recorded object", async () => {
    await compareTransactions(pvmApi, P, "platform.getTx");
  });

  test("sampleValidators gives as many as asked for", async () => {
    const { validators } = await pvmApi.sampleValidators({ size: "2" });
    expect(validators).toHaveLength(2);
  });
});

const l1Validator = ({ balance, weight, minNonce, startTime, height, nodeID, publicKey, subnetID }: Anything) => ({
  ...{ balance: `${balance}`, weight: `${weight}`, minNonce: `${minNonce}`, startTime: `${startTime}`, height: `${height}` },
  ...{ nodeID, publicKey, subnetID },
});

/** The one node of the recording had peers. */
function withoutPeers(result: Anything): Anything {
  const { validators } = result;
  if (!Array.isArray(validators)) return result;
  return { ...result, validators: validators.map(({ uptime, connected, ...rest }: Anything) => rest) };
}

function sortedLists(result: Anything): Anything {
  const sorted = ([name, value]: [string, Anything]) => [
    name,
    Array.isArray(value) ? value.map((element) => JSON.stringify(element)).sort() : value,
  ];
  return Object.fromEntries(Object.entries(result).map(sorted));
}

async function compareTransactions(api: Anything, path: string, method: string): Promise<void> {
  const asBytes = readable(
    recorded(path, method, ["txID", "encoding"]).filter(({ params }) => params!.encoding === "hex" || params!.encoding === undefined),
    api,
  );
  const reencoded = async ({ txID }: Anything) => txText(api, await api.getTx({ txID }));
  await compare(asBytes, reencoded, ({ tx }) => tx);
  const asJson = recorded(path, method, ["txID", "encoding"]).filter(({ params }) => params!.encoding === "json");
  // Until its first restart the recorded node showed null for the empty lists of genesis
  const comparable = ({ tx, ...rest }: Anything) => ({ ...rest, tx: { ...tx, credentials: tx.credentials ?? [] } });
  await compare(asJson, (params) => api.getTxJson(params), comparable);
}

describe("the X-chain's client", () => {
  test("getAssetDescription, getTxStatus, getBalance, getAllBalances, getTxFee", async () => {
    const descriptions = recorded(X, "avm.getAssetDescription", ["assetID"]);
    await compare(descriptions, ({ assetID }) => avmApi.getAssetDescription(assetID));
    await compare(recorded(X, "avm.getTxStatus", ["txID"]), (params) => avmApi.getTxStatus(params));
    const balance = async (params: Anything) => sortedLists(await avmApi.getBalance(params));
    await compare(recorded(X, "avm.getBalance", ["address", "assetID", "includePartial"]), balance, sortedLists);
    const balances = async (params: Anything) => sortedLists(await avmApi.getAllBalances(params));
    await compare(recorded(X, "avm.getAllBalances", ["address", "includePartial"]), balances, sortedLists);
    await compare(
      recorded(X, "avm.getTxFee"),
      () => avmApi.getTxFee(),
      ({ txFee, createAssetTxFee }) => ({ txFee: BigInt(txFee), createAssetTxFee: BigInt(createAssetTxFee) }),
    );
  });

  test("getUTXOs decodes to the recorded bytes, NFTs and minting rights included", async () => {
    await compare(readable(recorded(X, "avm.getUTXOs", WHOLE_PAGES), avmApi), pagesOf(avmApi), sortedPage);
  });

  test("getTx decodes to the recorded bytes, and getTxJson is the recorded object", async () => {
    await compareTransactions(avmApi, X, "avm.getTx");
  });

  test("is told what the node tells of methods that are gone", async () => {
    await expect(avmApi.getAddressTxs({})).rejects.toThrow("method must start with a non-uppercase letter");
    await expect(avmApi.buildGenesis({})).rejects.toThrow(`rpc: can't find method "avm.BuildGenesis"`);
  });
});

describe("the C-chain's client", () => {
  test("reads atomic UTXOs and transactions", async () => {
    await compare(recorded("/ext/bc/C/avax", "avax.getUTXOs", WHOLE_PAGES), pagesOf(evmApi), sortedPage);
    const transactions = recorded("/ext/bc/C/avax", "avax.getAtomicTx", ["txID"]);
    await compare(
      transactions,
      async (params) => txText(evmApi, (await evmApi.getAtomicTx(params)).tx),
      ({ tx }) => tx,
    );
  });

  test("is told that there are no statuses since Helicon", async () => {
    await expect(evmApi.getAtomicTxStatus(formatId("07".repeat(32)))).rejects.toThrow(`rpc: can't find method "avax.GetAtomicTxStatus"`);
  });

  test("is told that there is no EVM", async () => {
    await expect(evmApi.getBaseFee()).rejects.toThrow("eth_baseFee is not available");
  });
});

describe("the info client", () => {
  test("reads what the recording tells of the network", async () => {
    await compare(recorded("/ext/info", "info.getNetworkID"), () => infoApi.getNetworkId());
    await compare(recorded("/ext/info", "info.getNetworkName"), () => infoApi.getNetworkName());
    await compare(recorded("/ext/info", "info.getVMs"), () => infoApi.getVMs());
    await compare(recorded("/ext/info", "info.upgrades"), () => infoApi.getUpgradesInfo());
    await compare(recorded("/ext/info", "info.getBlockchainID", ["alias"]), ({ alias }) => infoApi.getBlockchainId(alias));
  });

  test("reads what this node tells of itself", async () => {
    expect((await infoApi.getNodeId()).nodeID).toMatch(/^NodeID-/);
    expect(await infoApi.getNodeIp()).toEqual({ ip: "" });
    expect((await infoApi.getNodeVersion()).version).toMatch(/^avalanchego\//);
    expect(await infoApi.peers()).toEqual({ numPeers: "0", peers: [] });
    await expect(infoApi.uptime()).rejects.toThrow("couldn't get node uptime");
  });
});

describe("a wallet", () => {
  const VALID = "couldn't issue tx: it is valid, but this node follows an archive and has no peers to send it to";
  const [key, other] = readJson<{ keys: { hex: string; pAddr: string; xAddr: string }[] }>(folder, "network.json").keys as [
    { hex: string; pAddr: string; xAddr: string },
    { hex: string; pAddr: string; xAddr: string },
  ];
  const owner = utils.bech32ToBytes(key.pAddr);
  const receiver = utils.bech32ToBytes(other.pAddr);
  const privateKeys = [utils.hexToBuffer(key.hex)];
  const output = (assetId: string, amount: bigint) => TransferableOutput.fromNative(assetId, amount, [receiver]);

  test("finds its funds on P, pays, and the payment verifies", async () => {
    const context = await Context.getContextFromURI(serving.url);
    const { utxos } = await pvmApi.getUTXOs({ addresses: [key.pAddr] });
    const tx = pvm.newBaseTx(
      {
        feeState: await pvmApi.getFeeState(),
        fromAddressesBytes: [owner],
        utxos,
        outputs: [output(context.avaxAssetID, 1_000_000n)],
      },
      context,
    );
    const unsigned = tx.getSignedTx();
    await expect(pvmApi.issueSignedTx(unsigned)).rejects.toThrow(/^couldn't issue tx: failed/);
    await addTxSignatures({ unsignedTx: tx, privateKeys });
    await expect(pvmApi.issueSignedTx(tx.getSignedTx())).rejects.toThrow(VALID);
  });

  test("does the same on X, and exports from there", async () => {
    const context = await Context.getContextFromURI(serving.url);
    const { utxos } = await avmApi.getUTXOs({ addresses: [key.xAddr] });
    const outputs = [output(context.avaxAssetID, 1_000_000n)];
    const payment = avm.newBaseTx(context, [owner], utxos, outputs);
    const outgoing = avm.newExportTx(context, context.pBlockchainID, [owner], utxos, outputs);
    for (const tx of [payment, outgoing]) {
      await addTxSignatures({ unsignedTx: tx, privateKeys });
      await expect(avmApi.issueSignedTx(tx.getSignedTx())).rejects.toThrow(VALID);
    }
  });
});
