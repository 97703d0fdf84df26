/**
 * Reads build files of Solidity's and Vyper's tools: build-info files of Hardhat and Foundry (standard JSON, with sources), and artifacts of
 * one contract. They come from anybody, so what is read is bounded and checked; what Firn does not use is passed over.
 */
import { FirnError } from "../../base/errors/errors.ts";
import { JsonInput } from "../../base/json/json-input.ts";

/** A part of the code that is only known once the contract is deployed. */
export interface CodeRange {
  readonly start: number;
  readonly length: number;
}

export interface BuildSource {
  readonly path: string;
  readonly content: string;
}

/** A contract that a compiler made. */
export interface Build {
  readonly contractName: string;
  /** of the source that has it; empty: the file does not say */
  readonly sourcePath: string;
  /** deployed code; unknown parts are zeros */
  readonly code: Buffer;
  /** immutable variables, and addresses of libraries */
  readonly unknown: readonly CodeRange[];
  /** what the compiler wrote of its input and output, as JSON; undefined: the file does not have it */
  readonly metadata: string | undefined;
  details(): BuildDetails;
}

export interface BuildDetails {
  /** `0.8.30+commit.73712a01`; empty: the file does not say */
  readonly compiler: string;
  /** the ABI's items, as JSON */
  readonly abi: string;
  /** empty: the file does not have them */
  readonly sources: readonly BuildSource[];
}

/** EIP-170 bounds code on Ethereum; some L1s allow more. */
const MOST_CODE_BYTES = 1 << 17;
const MOST_CONTRACTS = 5000;
const MOST_RANGES = 4000;
const LONGEST_NAME = 1000;
/** of a value in a message */
const LONGEST_SHOWN = 40;

/** The contracts of a build file that have code. Throws a FirnError that says what was wrong. */
export function readBuilds(file: JsonInput): Build[] {
  const output = file.optionalMember("output");
  const builds = output === undefined ? [readArtifact(file)] : readBuildInfo(file, output);
  return builds.filter(({ code }) => code.length > 0);
}

/** `{ solcLongVersion, input: { sources }, output: { contracts } }` */
function readBuildInfo(file: JsonInput, output: JsonInput): Build[] {
  const sources = file.member("input").member("sources");
  const compiler = optionalText(file, "solcLongVersion") ?? optionalText(file, "solcVersion") ?? "";
  const contracts = output
    .member("contracts")
    .entries()
    .flatMap(([sourcePath, ofSource]) => ofSource.entries().map(([contractName, contract]) => ({ sourcePath, contractName, contract })));
  if (contracts.length > MOST_CONTRACTS) throw output.replaced(contracts.length).wrong(`at most ${MOST_CONTRACTS} contracts`);
  return contracts.map(({ sourcePath, contractName, contract }) => {
    const metadata = optionalText(contract, "metadata") || undefined;
    return {
      contractName: contractName.slice(0, LONGEST_NAME),
      sourcePath: sourcePath.slice(0, LONGEST_NAME),
      metadata,
      ...readCode(contract.optionalMember("evm")?.optionalMember("deployedBytecode")),
      // of one contract of thousands: made when they are asked for
      details: () => ({
        compiler: compilerIn(metadata) ?? compiler,
        abi: JSON.stringify(contract.optionalMember("abi")?.value ?? []),
        sources: sourcesOf(sources, metadata),
      }),
    };
  });
}

/** Those that the metadata name; all if there are no metadata. */
function sourcesOf(sources: JsonInput, metadata: string | undefined): BuildSource[] {
  const known = new Map(sources.entries());
  const wanted = metadata === undefined ? known.keys() : Object.keys(parseMetadata(metadata)?.sources ?? {});
  return [...wanted].flatMap((path) => {
    const source = known.get(path);
    const content = source && optionalText(source, "content");
    return content === undefined ? [] : [{ path, content }];
  });
}

/** `{ abi, deployedBytecode }` of Hardhat, whose code is a text, or of Foundry, whose code has what is unknown beside it. */
function readArtifact(file: JsonInput): Build {
  if (file.optionalMember("abi") === undefined || file.optionalMember("deployedBytecode") === undefined)
    throw file
      .replaced("neither a build-info file nor an artifact")
      .wrong("a build-info file (input and output), or an artifact (abi and deployedBytecode)");
  const deployed = file.member("deployedBytecode");
  const ofHardhat = () => ({ object: deployed.value, linkReferences: file.optionalMember("deployedLinkReferences")?.value });
  const parsed = file.optionalMember("metadata");
  const metadata = optionalText(file, "rawMetadata") ?? optionalText(file, "metadata") ?? (parsed && JSON.stringify(parsed.value));
  const target = targetIn(metadata);
  return {
    contractName: optionalText(file, "contractName") ?? target?.contractName ?? "",
    sourcePath: optionalText(file, "sourceName") ?? target?.sourcePath ?? "",
    metadata,
    ...readCode(typeof deployed.value === "string" ? file.replaced(ofHardhat()) : deployed),
    details: () => ({ compiler: compilerIn(metadata) ?? "", abi: JSON.stringify(file.member("abi").value), sources: [] }),
  };
}

const CODE = /^(?:0x)?((?:[0-9a-fA-F]{2}|__[ -~]{38})*)$/;
const PLACEHOLDER = /__[ -~]{38}/g;
/** A library begins with its own address, so that it knows when it is called and not delegated to. */
const LIBRARY = "730000000000000000000000000000000000000000301460806040";
const LIBRARY_ADDRESS = { start: 1, length: 20 };

function readCode(deployed: JsonInput | undefined): Pick<Build, "code" | "unknown"> {
  if (deployed === undefined) return { code: Buffer.alloc(0), unknown: [] };
  const object = deployed.optionalMember("object")?.text() ?? "";
  const [, digits] = object.length > 2 * MOST_CODE_BYTES + 2 ? [] : (CODE.exec(object) ?? []);
  if (digits === undefined)
    throw deployed.replaced(object.slice(0, LONGEST_SHOWN)).wrong(`code as hex digits, of at most ${MOST_CODE_BYTES} bytes, in "object"`);
  const placeholders = [...digits.matchAll(PLACEHOLDER)].map(({ index }) => ({ start: index / 2, length: 20 }));
  const code = Buffer.from(digits.replace(PLACEHOLDER, "0".repeat(40)), "hex");
  const ranges = [
    ...placeholders,
    ...rangesIn(deployed.optionalMember("immutableReferences")),
    ...(deployed.optionalMember("linkReferences")?.entries() ?? []).flatMap(([, ofFile]) => rangesIn(ofFile)),
    ...(code.toString("hex", 0, LIBRARY.length / 2) === LIBRARY ? [LIBRARY_ADDRESS] : []),
  ];
  const masked = ranges.reduce((sum, { length }) => sum + length, 0);
  if (ranges.length > MOST_RANGES || masked > MOST_CODE_BYTES)
    throw deployed
      .replaced(ranges.length)
      .wrong(`at most ${MOST_RANGES} immutable and link references, of ${MOST_CODE_BYTES} bytes together`);
  for (const { start, length } of ranges) {
    if (start + length > code.length) throw deployed.replaced(start + length).wrong(`references within its ${code.length} bytes of code`);
    code.fill(0, start, start + length);
  }
  return { code, unknown: ranges };
}

/** `{ name: [{ start, length }] }` */
function rangesIn(references: JsonInput | undefined): CodeRange[] {
  return (references?.entries() ?? []).flatMap(([, ranges]) =>
    ranges.list().map((range) => ({ start: Number(range.member("start").integer()), length: Number(range.member("length").integer()) })),
  );
}

function optionalText(input: JsonInput, name: string): string | undefined {
  const member = input.optionalMember(name);
  return typeof member?.value === "string" ? member.value : undefined;
}

/** Anybody may have written it: each member may be anything. */
interface Metadata {
  readonly compiler?: { readonly version?: unknown };
  readonly settings?: { readonly compilationTarget?: Readonly<Record<string, unknown>> };
  readonly sources?: Readonly<Record<string, { readonly keccak256?: unknown } | null>>;
  readonly output?: { readonly abi?: unknown };
}

/** undefined: it is not what a compiler writes */
export function parseMetadata(text: string | undefined): Metadata | undefined {
  if (text === undefined || isNestedDeeper(text, MOST_NESTING)) return undefined;
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null ? value : undefined;
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

function compilerIn(metadata: string | undefined): string | undefined {
  const version = parseMetadata(metadata)?.compiler?.version;
  return typeof version === "string" ? version.slice(0, LONGEST_NAME) : undefined;
}

function targetIn(metadata: string | undefined): { sourcePath: string; contractName: string } | undefined {
  const [target] = Object.entries(parseMetadata(metadata)?.settings?.compilationTarget ?? {});
  return target === undefined || typeof target[1] !== "string" ? undefined : { sourcePath: target[0], contractName: target[1] };
}

/** Sources and ABIs are nested less. A parser takes long for what is nested deeply. */
const MOST_NESTING = 100;

/** Reads the text of a build file. @param name of the file, for messages */
export function parseBuildFile(text: string, name: string): JsonInput {
  if (isNestedDeeper(text, MOST_NESTING))
    throw new FirnError("build-file", `${name} is nested more than ${MOST_NESTING} deep; use a build-info file or an artifact`, { name });
  try {
    return new JsonInput(JSON.parse(text), name);
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    throw new FirnError("build-file", `${name} is not JSON (${error.message}); use a build-info file or an artifact`, { name });
  }
}

const [QUOTE, BACKSLASH, OPEN_LIST, CLOSE_LIST, OPEN_OBJECT, CLOSE_OBJECT] = [0x22, 0x5c, 0x5b, 0x5d, 0x7b, 0x7d];

function isNestedDeeper(text: string, most: number): boolean {
  let depth = 0;
  for (let at = 0; at < text.length; at++) {
    const character = text.charCodeAt(at);
    if (character === QUOTE) {
      // to the end of the string
      for (at = text.indexOf('"', at + 1); at !== -1 && isEscaped(text, at); at = text.indexOf('"', at + 1));
      if (at === -1) return false;
    } else if (character === OPEN_LIST || character === OPEN_OBJECT) {
      if (++depth > most) return true;
    } else if (character === CLOSE_LIST || character === CLOSE_OBJECT) depth--;
  }
  return false;
}

/** Whether an odd number of backslashes stands before it. */
function isEscaped(text: string, at: number): boolean {
  let first = at;
  while (text.charCodeAt(first - 1) === BACKSLASH) first--;
  return (at - first) % 2 === 1;
}
