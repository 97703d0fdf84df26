/**
 * `devnet.json` in a devnet's folder: what its network was made from. A later start goes on with the same network; one that asks for
 * another is refused, since the blocks that exist were made under the old rules.
 */
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { networkInstance } from "../ingest/network-instance.ts";
import { parseNetworkFile } from "../network/network-file.ts";
import { FirnError } from "../primitives/errors.ts";
import { sha256Hex } from "../primitives/hash.ts";
import { JsonInput } from "../primitives/json-input.ts";
import { type DevnetNetwork, devnetNetwork, type LocalNetworkOptions } from "./local-network.ts";

const FILE = "devnet.json";
const FORMAT = 1;

/** What a start may ask for, as it was asked: two starts with the same words mean the same network, though `+10m` counts from the first one. */
type Asked = Readonly<Record<"upgrades" | "genesis" | "network-file" | "genesis-time" | "start-time", string | null>>;

/** The network of a devnet's folder; the first start decides which that is. */
export function openDevnetNetwork(dataDirectory: string, options: LocalNetworkOptions): DevnetNetwork {
  const path = join(dataDirectory, FILE);
  const asked = askedFor(options);
  if (existsSync(path)) return readKept(path, asked);
  if (existsSync(join(dataDirectory, "store"))) {
    throw new FirnError(
      "devnet-folder",
      `${dataDirectory} holds a store that no devnet made; use another --data-dir, or show it with: firn serve`,
    );
  }
  const made = devnetNetwork(options);
  keep(dataDirectory, made, asked);
  return made;
}

function askedFor({ upgrades, genesisFile, networkFile, genesisTime, startTime }: LocalNetworkOptions): Asked {
  const contentOf = (file: string | undefined) => (file !== undefined && existsSync(file) ? sha256Hex(readFileSync(file)) : null);
  return {
    upgrades: upgrades ?? null,
    genesis: contentOf(genesisFile),
    "network-file": contentOf(networkFile),
    "genesis-time": genesisTime?.toString() ?? null,
    "start-time": startTime?.toString() ?? null,
  };
}

/** In one step: a folder with half a file would be of no use. */
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
    mkdirSync(dataDirectory, { recursive: true });
    writeFileSync(`${path}.new`, `${JSON.stringify(content, null, 2)}\n`, { flush: true });
    renameSync(`${path}.new`, path);
  } catch (error) {
    throw new FirnError(
      "devnet-folder",
      `${dataDirectory} cannot be used as a folder: ${(error as Error).message}; give another --data-dir`,
    );
  }
}

/** Flags that a later start leaves out stay as they were. */
function readKept(path: string, asked: Asked): DevnetNetwork {
  const file = new JsonInput(readJson(path), path);
  if (file.member("format").integer() !== BigInt(FORMAT)) throw file.member("format").wrong(`${FORMAT}, or the Firn that made this folder`);
  for (const [name, value] of Object.entries(asked)) {
    const kept = file.member("asked").optionalMember(name)?.text() ?? null;
    if (value === null || value === kept) continue;
    throw new FirnError(
      "devnet-changed",
      `${path} was made ${kept === null ? `without --${name}` : `with another --${name}${name === "upgrades" ? ` (${kept})` : ""}`}; leave the flag out to go on with that network, or use another --data-dir`,
      { name, kept, value },
    );
  }
  const network = file.member("network").value;
  const startTime = file.optionalMember("startTime")?.decimal();
  const genesis = Buffer.from(file.member("genesis").text(), "base64");
  return {
    network: networkInstance(parseNetworkFile(network, path), genesis),
    networkFile: Buffer.from(JSON.stringify(network, null, 2)),
    startTime,
  };
}

function readJson(path: string): unknown {
  try {
    return JSON.parse(readFileSync(path, "utf8"));
  } catch (error) {
    throw new FirnError("devnet-file", `${path} cannot be read: ${(error as Error).message}; remove the folder to start anew`);
  }
}
