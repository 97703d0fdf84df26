/**
 * Reads what a user drops for a contract: an ABI, the artifact of one contract, or a build-info file with all contracts of a project. The server
 * checks a build; here only its parts are told apart, and those of other contracts are left out.
 */
import { AbiFileError } from "./abi/abi-file.ts";

/** A build-info file has all sources of a project. */
export const MOST_BUILD_BYTES = 64 * 2 ** 20;

export interface DroppedFile {
  /** the ABI, as JSON; undefined: the file has none of a contract with this code */
  readonly abi: string | undefined;
  /** what the server can check, as JSON; undefined: an ABI alone */
  readonly build: string | undefined;
}

type Json = Readonly<Record<string, unknown>>;

/** @param code of the contract: 0x and hex. Throws an `AbiFileError`. */
export function readDropped(text: string, code: string): DroppedFile {
  const json = parsed(text);
  if (!isObject(json)) return { abi: text, build: undefined };
  if (isObject(json.output) && isObject(json.input)) return readBuildInfo(json, json.input, json.output, code);
  const { abi, bytecode: _, ...rest } = json;
  const hasCode = json.deployedBytecode !== undefined;
  return { abi: abi === undefined ? undefined : text, build: hasCode ? JSON.stringify({ abi, ...rest }) : undefined };
}

/** A build-info file with nothing but the contracts whose code is as long, and their sources. */
function readBuildInfo(file: Json, input: Json, output: Json, code: string): DroppedFile {
  const contracts = Object.entries(objectOr(output.contracts)).flatMap(([path, ofPath]) =>
    Object.entries(objectOr(ofPath)).map(([name, contract]) => ({ path, name, contract: objectOr(contract) })),
  );
  const wanted = contracts.filter(({ contract }) => codeOf(contract).length === code.length - 2);
  if (wanted.length === 0) {
    throw new AbiFileError(
      `The build file has ${contracts.length} contracts, but none whose code is as long as this one's. Use the build that was deployed, with the same compiler and settings.`,
    );
  }
  const paths = new Set(wanted.flatMap(({ contract }) => Object.keys(objectOr(objectOr(parsed(`${contract.metadata || "{}"}`)).sources))));
  const sources = Object.entries(objectOr(input.sources)).filter(([path]) => paths.size === 0 || paths.has(path));
  const kept: Record<string, Record<string, unknown>> = {};
  for (const { path, name, contract } of wanted) {
    const { abi, metadata, evm } = contract;
    kept[path] = { ...kept[path], [name]: { abi, metadata, evm: { deployedBytecode: objectOr(evm).deployedBytecode } } };
  }
  const { solcVersion, solcLongVersion } = file;
  return {
    abi: JSON.stringify(wanted[0]!.contract.abi ?? []),
    build: JSON.stringify({ solcVersion, solcLongVersion, input: { sources: Object.fromEntries(sources) }, output: { contracts: kept } }),
  };
}

function codeOf(contract: Json): string {
  const { object } = objectOr(objectOr(objectOr(contract.evm).deployedBytecode));
  return typeof object === "string" ? object.replace(/^0x/, "") : "";
}

function objectOr(value: unknown): Json {
  return isObject(value) ? value : {};
}

function isObject(value: unknown): value is Json {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new AbiFileError("The file is not JSON. Give the ABI as a JSON file, an artifact of Foundry or Hardhat, or a build-info file.");
  }
}
