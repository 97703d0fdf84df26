/** A recorded EVM chain, followed and served, with settings of an operator: names, prices, another ID. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type EvmChainEntry, entryOf } from "../../src/evm/chain-entry.ts";
import { followHere, HASTE } from "../conformance/evm/followed.ts";
import { readEvmRecording } from "../conformance/evm/recording.ts";
import { type EvmRecordingName, recordingFolder } from "../conformance/recordings.ts";
import { type ReplayRpc, startReplayRpc } from "../evm/replay-rpc/replay-rpc.ts";

export interface ServedEvm {
  readonly serverUrl: string;
  readonly rpc: ReplayRpc;
  /** Stops the clock that runs away: an hour of it is less than a second. */
  holdClock(): void;
  stop(): Promise<void>;
}

const PLATFORM_CHAIN = "5c".repeat(32);

export async function serveEvm(name: EvmRecordingName, said: Partial<EvmChainEntry> = {}): Promise<ServedEvm> {
  const recording = readEvmRecording(recordingFolder(name));
  const directory = mkdtempSync(join(tmpdir(), "firn-labels-"));
  const coins = recording.contracts.filter(({ erc }) => erc === "ERC-20").map(({ address }) => address);
  const write = (file: string, json: unknown) => {
    writeFileSync(join(directory, file), JSON.stringify(json));
    return join(directory, file);
  };
  const token = (address: string | undefined, reputation: string) => ({
    ...{ chainId: Number(recording.chainId), address, name: reputation, symbol: "T", decimals: 6 },
    ...{ logoURI: "https://logos.example.org/t.png", extensions: { reputation } },
  });
  const rpc = await startReplayRpc({ recording: recordingFolder(name) });
  let heldAt: bigint | undefined;
  const timing = { ...HASTE, clock: () => heldAt ?? HASTE.clock() };
  const entries: EvmChainEntry[] = [
    {
      ...entryOf([rpc.url, rpc.wsUrl]),
      blockchainId: PLATFORM_CHAIN,
      explorerUrl: "https://explorer.example.org",
      publicWsUrl: "wss://node.example.org/ws",
      logoUri: "https://logos.example.org/chain.png",
      isTestnet: true,
      files: {
        tokenList: write("tokens.json", { name: "Test", tokens: [token(coins[0], "Benign"), token(coins[1], "Malicious")] }),
        prices: write("prices.json", { native: { usd: 23.41, eur: 20 }, [coins[0]!]: { usd: 0.5, eur: 0.25 } }),
        names: undefined,
        abis: [],
      },
      ...said,
    },
  ];
  const followed = await followHere(entries, timing);
  await followed.indexedTo(recording.chainId, rpc.head);
  return {
    serverUrl: followed.url.replace(/\/$/, ""),
    rpc,
    holdClock() {
      heldAt = HASTE.clock();
    },
    async stop() {
      await followed.stop();
      await rpc.close();
      rmSync(directory, { recursive: true, force: true });
    },
  };
}
