/**
 * Keeps `devnet.json` in a devnet's folder, which records what its network was made from. A later start continues with the same network.
 * Flags for another network are refused, since the existing blocks were made under the old rules.
 */
import { existsSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { sha256Hex } from "../base/bytes/hash.ts";
import { FirnError } from "../base/errors/errors.ts";
import { makeDirectory } from "../base/files/make-directory.ts";
import { problemOf } from "../base/files/problem.ts";
import { readWholeFile } from "../base/files/read-file.ts";
import { JsonInput } from "../base/json/json-input.ts";
import { networkInstance } from "../ingest/network-instance.ts";
import { parseNetworkFile } from "../network/network-file.ts";
import { accountKeys } from "./account-keys.ts";
import { DEFAULT_ACCOUNTS, DEFAULT_MNEMONIC } from "./account-options.ts";
import { fundedKeys } from "./accounts.ts";
import { type DevnetNetwork, devnetNetwork, type LocalNetworkOptions, MAX_FILE_BYTES } from "./devnet-network.ts";

const FILE = "devnet.json";
const FORMAT = 1;

/** The network flags as given. Two starts with the same text mean the same network, even though `+10m` counts from the first one. */
type Asked = Readonly<Record<Flag, string | null>>;
type Flag = "upgrades" | "genesis" | "network-file" | "genesis-time" | "start-time" | "accounts" | "mnemonic" | "c-chain-id";
/** whose value is short enough for a sentence */
const SHOWN: ReadonlySet<string> = new Set<Flag>(["upgrades", "accounts", "c-chain-id"]);

/** Returns the network of a devnet's folder, which the first start decides. */
export function openDevnetNetwork(dataDirectory: string, options: LocalNetworkOptions): DevnetNetwork {
  const path = join(dataDirectory, FILE);
  const asked = askedFor(options);
  if (existsSync(path)) return readKept(path, asked);
  if (existsSync(join(dataDirectory, "store"))) {
    throw new FirnError(
      "devnet-folder",
      `${dataDirectory} holds a store that was not made by a devnet; use another --data-dir, or serve it with: firn serve`,
    );
  }
  const made = devnetNetwork(options);
  keep(dataDirectory, made, asked);
  return made;
}

function askedFor(options: LocalNetworkOptions): Asked {
  const { upgrades, genesisFile, networkFile, genesisTime, startTime, accounts, mnemonic, cChainId } = options;
  const contentOf = (file: string | undefined) =>
    file !== undefined && existsSync(file) ? sha256Hex(readWholeFile(file, MAX_FILE_BYTES)) : null;
  return {
    upgrades: upgrades ?? null,
    genesis: contentOf(genesisFile),
    "network-file": contentOf(networkFile),
    "genesis-time": genesisTime?.toString() ?? null,
    "start-time": startTime?.toString() ?? null,
    accounts: accounts?.toString() ?? null,
    mnemonic: mnemonic ?? null,
    "c-chain-id": cChainId?.toString() ?? null,
  };
}

/** Writes the folder in one step, so that it never holds an incomplete file. */
function keep(dataDirectory: string, { network, networkFile, startTime }: DevnetNetwork, asked: Asked): void {
  const content = {
    format: FORMAT,
    asked,
    startTime: startTime?.toString() ?? null,
    network: JSON.parse(Buffer.from(networkFile).toString()),
    genesis: Buffer.from(network.genesisBytes).toString("base64"),
  };
  const path = join(dataDirectory, FILE);
  try {
    makeDirectory(dataDirectory);
    // it may have a mnemonic of the user's own
    rmSync(`${path}.new`, { force: true });
    writeFileSync(`${path}.new`, `${JSON.stringify(content, null, 2)}\n`, { flush: true, mode: 0o600 });
    renameSync(`${path}.new`, path);
  } catch (error) {
    const reason = (error instanceof FirnError ? error.facts.reason : problemOf(error)) ?? (error as Error).message;
    throw new FirnError("devnet-folder", `${dataDirectory} cannot be used as a folder: ${reason}; use another --data-dir`);
  }
}

/** A flag that a later start leaves out keeps its first value. */
function readKept(path: string, asked: Asked): DevnetNetwork {
  const file = new JsonInput(readJson(path), path);
  if (file.member("format").integer() !== BigInt(FORMAT)) throw file.member("format").wrong(`${FORMAT}, or the Firn that made this folder`);
  const keptOf = (name: string) => file.member("asked").optionalMember(name)?.text() ?? null;
  for (const [name, value] of Object.entries(asked)) {
    const kept = keptOf(name);
    if (value === null || value === kept) continue;
    throw new FirnError(
      "devnet-changed",
      `${path} was made ${kept === null ? `without --${name}` : `with another --${name}${SHOWN.has(name) ? ` (${kept})` : ""}`}; leave the flag out to continue with that network, or use another --data-dir`,
      { name, kept, value },
    );
  }
  const network = file.member("network").value;
  const startTime = file.optionalMember("startTime")?.decimal();
  const genesis = Buffer.from(file.member("genesis").text(), "base64");
  const instance = networkInstance(parseNetworkFile(network, path), genesis);
  const mnemonic = keptOf("mnemonic") ?? DEFAULT_MNEMONIC;
  const keys = accountKeys({ accounts: Number(keptOf("accounts") ?? DEFAULT_ACCOUNTS), mnemonic });
  return {
    network: instance,
    accountKeys: fundedKeys(instance, keys),
    mnemonic,
    networkFile: Buffer.from(JSON.stringify(network, null, 2)),
    startTime,
  };
}

function readJson(path: string): unknown {
  try {
    return JSON.parse(readWholeFile(path, MAX_FILE_BYTES).toString());
  } catch (error) {
    throw new FirnError("devnet-file", `${path} cannot be read: ${(error as Error).message}; remove the folder to start again`);
  }
}
