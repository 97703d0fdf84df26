/** Build files against code as a chain has it: with values for immutables, and addresses of libraries. */
import { execFileSync } from "node:child_process";
import { mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { FirnError } from "../../../src/base/errors/errors.ts";
import { JsonInput } from "../../../src/base/json/json-input.ts";
import { type Build, parseBuildFile, readBuilds } from "../../../src/evm/builds/build-file.ts";
import { BuildFolder, FOLDER_LIMITS } from "../../../src/evm/builds/build-folder.ts";
import { abiOf, ipfsMultihash, matchOf } from "../../../src/evm/builds/match.ts";
import { scratchDirectory } from "../../store/scratch.ts";

const TEXT = readFileSync(fileURLToPath(new URL("vault.json", import.meta.url)), "utf8");
// biome-ignore lint/suspicious/noExplicitAny: the tests change it anywhere
const copy = (): any => JSON.parse(TEXT);
const buildsIn = (json: unknown) => readBuilds(new JsonInput(json, "build.json"));
const named = (builds: readonly Build[], name: string) => builds.find(({ contractName }) => contractName === name)!;

interface Object {
  readonly object: string;
  readonly immutableReferences?: Readonly<Record<string, readonly { start: number; length: number }[]>>;
  readonly linkReferences?: Readonly<Record<string, Readonly<Record<string, readonly { start: number; length: number }[]>>>>;
}

const contractOf = (json: ReturnType<typeof copy>, name: string) => json.output.contracts[`contracts/${name}.sol`][name];

/** Code as the chain has it once a constructor ran. */
function deployed({ object, immutableReferences = {}, linkReferences = {} }: Object, byte: string): Buffer {
  const code = Buffer.from(object.replace(/__[ -~]{38}/g, "00".repeat(20)), "hex");
  const ranges = [
    ...Object.values(immutableReferences),
    ...Object.values(linkReferences).flatMap((ofFile) => Object.values(ofFile)),
  ].flat();
  for (const { start, length } of ranges) code.write(byte.repeat(length), start, "hex");
  return code;
}

const vault = deployed(contractOf(copy(), "Vault").evm.deployedBytecode, "ab");
const library = deployed(contractOf(copy(), "Rounding").evm.deployedBytecode, "00");
library.write("cd".repeat(20), 1, "hex");

describe("Code that a chain has", () => {
  test("is a build's, whatever its immutables and libraries are, and proves the sources", () => {
    const builds = buildsIn(copy());
    expect(builds.map(({ contractName }) => contractName).sort()).toEqual(["Owned", "Rounding", "Vault"]);
    expect(builds.filter((build) => matchOf(vault, build) !== undefined)).toEqual([named(builds, "Vault")]);
    expect(matchOf(vault, named(builds, "Vault"))).toBe("full");
    expect(matchOf(library, named(builds, "Rounding"))).toBe("full");
    expect(
      named(builds, "Vault")
        .details()
        .sources.map(({ path }) => path)
        .sort(),
    ).toEqual(["Owned", "Rounding", "Vault"].map((name) => `contracts/${name}.sol`));
    expect(
      named(builds, "Rounding")
        .details()
        .sources.map(({ path }) => path),
    ).toEqual(["contracts/Rounding.sol"]);
    expect(named(builds, "Vault").sourcePath).toBe("contracts/Vault.sol");
    expect(named(builds, "Vault").details().compiler).toBe(copy().solcLongVersion);
  });

  test("proves nothing of sources, an ABI or a metadata that are not the compiler's", () => {
    const other = copy();
    other.input.sources["contracts/Owned.sol"].content += "// ";
    expect(matchOf(vault, named(buildsIn(other), "Vault"))).toBe("code");
    const forged = copy();
    contractOf(forged, "Vault").abi = [{ type: "function", name: "steal", inputs: [], outputs: [], stateMutability: "view" }];
    const build = named(buildsIn(forged), "Vault");
    expect(matchOf(vault, build)).toBe("full");
    // what the code proves counts, not what the file says
    expect(abiOf(build.details(), build, "full")).not.toContain("steal");
    expect(abiOf(build.details(), build, "code")).toContain("steal");
    contractOf(forged, "Vault").metadata = contractOf(forged, "Vault").metadata.replace("cancun", "prague");
    expect(matchOf(vault, named(buildsIn(forged), "Vault"))).toBe("code");
    const without = copy();
    delete without.input.sources["contracts/Owned.sol"];
    expect(matchOf(vault, named(buildsIn(without), "Vault"))).toBe("code");
  });

  test("is another's if one byte that runs differs, and the same if only the appended hash does", () => {
    const build = named(buildsIn(copy()), "Vault");
    fc.assert(
      fc.property(fc.nat(vault.length - 1), fc.integer({ min: 1, max: 255 }), (at, change) => {
        const code = Buffer.from(vault);
        code[at] = code[at]! ^ change;
        const isUnknown = build.unknown.some(({ start, length }) => at >= start && at < start + length);
        const isHash = at >= vault.length - 43 && at < vault.length - 2 - 9;
        if (isUnknown) expect(matchOf(code, build)).toBe("full");
        else if (isHash) expect(matchOf(code, build)).not.toBe("full");
        else if (at < vault.length - 53) expect(matchOf(code, build)).toBeUndefined();
      }),
    );
    expect(matchOf(Buffer.alloc(0), build)).toBeUndefined();
    expect(matchOf(vault.subarray(0, 40), build)).toBeUndefined();
  });

  test("is that of an artifact of one contract, too", () => {
    const { abi, metadata, evm } = contractOf(copy(), "Rounding");
    const hardhat = {
      _format: "hh-sol-artifact-1",
      contractName: "Rounding",
      sourceName: "contracts/Rounding.sol",
      abi,
      deployedBytecode: `0x${evm.deployedBytecode.object}`,
      deployedLinkReferences: {},
    };
    const [ofHardhat] = buildsIn(hardhat);
    expect(matchOf(library, ofHardhat!)).toBe("code");
    expect(ofHardhat).toMatchObject({ contractName: "Rounding", sourcePath: "contracts/Rounding.sol" });
    expect(ofHardhat!.details()).toMatchObject({ compiler: "", sources: [] });
    const ofVault = contractOf(copy(), "Vault");
    const { object, ...references } = ofVault.evm.deployedBytecode;
    const foundry = {
      abi: ofVault.abi,
      deployedBytecode: { object: `0x${object}`, ...references },
      metadata: JSON.parse(ofVault.metadata),
    };
    const [ofFoundry] = buildsIn(foundry);
    expect(matchOf(vault, ofFoundry!)).toBe("code");
    expect(ofFoundry).toMatchObject({ contractName: "Vault", sourcePath: "contracts/Vault.sol" });
    expect(ofFoundry!.details().compiler).toBe(copy().solcLongVersion);
    expect(metadata).toContain("Rounding");
  });
});

describe("Metadata that anybody wrote, though the code names their hash,", () => {
  /** Code that ends with the hash of the metadata, as a compiler would write it. */
  const naming = (metadata: string) => {
    const cbor = Buffer.concat([Buffer.from("a1", "hex"), Buffer.from("64697066735822", "hex"), ipfsMultihash(Buffer.from(metadata))!]);
    const length = Buffer.alloc(2);
    length.writeUInt16BE(cbor.length);
    return Buffer.concat([Buffer.from("6001600255", "hex"), cbor, length]);
  };
  const buildOf = (metadata: string) => {
    const evm = { deployedBytecode: { object: naming(metadata).toString("hex") } };
    const contracts = { a: { A: { abi: [], metadata, evm } } };
    return buildsIn({ input: { sources: { a: { content: "x" } } }, output: { contracts } })[0]!;
  };

  test.each([
    `{"sources":{"a":null}}`,
    `{"sources":{"a":7},"compiler":null,"output":null,"settings":{"compilationTarget":null}}`,
    `{"sources":"a","settings":"b","compiler":"c","output":"d"}`,
    "null",
    "[]",
    `{"sources":{"a":{"keccak256":1}},"output":{"abi":${"[".repeat(5000)}${"]".repeat(5000)}}}`,
    "[".repeat(50_000),
  ])("prove nothing and harm nobody (%#)", (metadata) => {
    const build = buildOf(metadata);
    expect(matchOf(naming(metadata), build)).toBe("code");
    expect(abiOf(build.details(), build, "full")).toBe("[]");
    const [artifact] = buildsIn({ abi: [], deployedBytecode: "0x6001", rawMetadata: metadata });
    expect(artifact!.contractName).toBe("");
  });
});

test("What compilers append may be said to be unknown", () => {
  const json = copy();
  const { deployedBytecode } = contractOf(json, "Vault").evm;
  deployedBytecode.immutableReferences[1] = [{ start: 700, length: 30 }];
  expect(matchOf(vault, named(buildsIn(json), "Vault"))).toBe("full");
});

test("A file has the hash that IPFS gives it", () => {
  // `ipfs add` of "hello world\n": QmT78zSuBmuS4z925WZfrqQ1qHaJ56DQaTfyMUF7F8ff5o
  const hash = "122046d44814b9c5af141c3aaab7c05dc5e844ead5f91f12858b021eba45768b4c0e";
  expect(ipfsMultihash(Buffer.from("hello world\n"))!.toString("hex")).toBe(hash);
  expect(ipfsMultihash(Buffer.alloc(256 * 1024))).toHaveLength(34);
  expect(ipfsMultihash(Buffer.alloc(256 * 1024 + 1))).toBeUndefined();
});

describe("A hostile build file", () => {
  test.each<[string, unknown, RegExp]>([
    [
      "nothing of a build",
      {},
      /build\.json is "neither a build-info file nor an artifact"; use a build-info file \(input and output\), or an artifact/,
    ],
    ["no object", [], /build\.json is/],
    ["code that is no code", { abi: [], deployedBytecode: "0xzz" }, /use code as hex digits/],
    ["code that is too long", { abi: [], deployedBytecode: `0x${"00".repeat((1 << 17) + 1)}` }, /of at most 131072 bytes/],
    [
      "references beyond the code",
      { abi: [], deployedBytecode: { object: "0x6001", immutableReferences: { 1: [{ start: 1, length: 2 }] } } },
      /use references within its 2 bytes of code/,
    ],
    [
      "too many references",
      { abi: [], deployedBytecode: { object: "0x6001", immutableReferences: { 1: new Array(4001).fill({ start: 0, length: 1 }) } } },
      /use at most 4000 immutable and link references, of 131072 bytes together/,
    ],
  ])("with %s is refused with a sentence", (_, json, message) => {
    expect(() => buildsIn(json)).toThrow(message);
    expect(() => buildsIn(json)).toThrow(FirnError);
  });

  test("that is nested deeply is refused before it is parsed; brackets in texts do not count", () => {
    const deep = `{"abi":${"[".repeat(100)}${"]".repeat(100)},"deployedBytecode":"0x6001"}`;
    expect(() => parseBuildFile(deep, "a file")).toThrow("a file is nested more than 100 deep");
    expect(() => parseBuildFile("[".repeat(1_000_000), "a file")).toThrow("a file is nested more than 100 deep");
    for (const text of ["[".repeat(500), `\\"${"[".repeat(500)}`, `${"\\".repeat(7)}${"{".repeat(500)}`, '"['.repeat(200)]) {
      const json = JSON.stringify({ abi: [], deployedBytecode: "0x6001", contractName: text });
      expect(parseBuildFile(json, "a file").member("contractName").text()).toBe(text);
    }
  });

  test("never throws anything else, whatever is changed", () => {
    const paths = pathsIn(copy());
    fc.assert(
      fc.property(fc.constantFrom(...paths), fc.jsonValue({ maxDepth: 2 }), (path, value) => {
        const json = copy();
        let at = json;
        for (const name of path.slice(0, -1)) at = at[name];
        at[path.at(-1)!] = value;
        try {
          for (const build of buildsIn(json)) if (matchOf(vault, build) !== undefined) build.details();
        } catch (error) {
          expect(error).toBeInstanceOf(FirnError);
        }
      }),
      { numRuns: 300 },
    );
  });
});

function pathsIn(value: unknown, path: readonly string[] = []): string[][] {
  if (typeof value !== "object" || value === null) return path.length === 0 ? [] : [[...path]];
  const below = Object.entries(value).flatMap(([name, member]) => pathsIn(member, [...path, name]));
  return path.length === 0 ? below : [[...path], ...below];
}

describe("The folder of build files", () => {
  const open = (limits = FOLDER_LIMITS) => {
    const path = scratchDirectory();
    const problems: string[] = [];
    return { path, problems, folder: new BuildFolder(path, (problem) => problems.push(problem), limits) };
  };

  test("has what its operator puts there, as soon as it is there, and passes over what is no build file", async () => {
    const { path, problems, folder } = open();
    expect(await folder.find(vault)).toBeUndefined();
    writeFileSync(join(path, "a.json"), TEXT.slice(0, 100));
    writeFileSync(join(path, "readme.txt"), "no JSON");
    expect(await folder.find(vault)).toBeUndefined();
    expect(problems).toEqual([expect.stringMatching(/the build file a\.json in .* is passed over: a\.json is not JSON/)]);
    writeFileSync(join(path, "a.json"), TEXT);
    expect(await folder.find(vault)).toMatchObject({ contractName: "Vault", match: "full" });
    expect(await folder.find(library)).toMatchObject({ contractName: "Rounding", match: "full" });
    expect(problems).toHaveLength(1);
    expect(await folder.find(Buffer.alloc(0))).toBeUndefined();
  });

  test("is made by the first file that is kept, and another process has that, too", async () => {
    const path = join(scratchDirectory(), "builds");
    const [one, other] = [new BuildFolder(path, () => {}), new BuildFolder(path, () => {})];
    expect(await other.find(vault)).toBeUndefined();
    expect(await one.add(TEXT, vault, "all")).toMatchObject({ match: "full" });
    expect(await other.find(vault)).toMatchObject({ match: "full" });
    // the file has this contract, too, and with proof
    await one.add(`${TEXT} `, library, "all");
    expect(await other.find(library)).toMatchObject({ match: "full" });
    expect(readdirSync(path)).toHaveLength(1);
  });

  test("has the newest file for code until the code proves one, whatever the immutables are", async () => {
    const { path, folder } = open();
    const names = async (code: Buffer) => (await folder.find(code))?.sources.map(({ content }) => content.length);
    const unproven = (added: string) => {
      const other = copy();
      other.input.sources["contracts/Owned.sol"].content += added;
      return JSON.stringify(other);
    };
    const another = deployed(contractOf(copy(), "Vault").evm.deployedBytecode, "ef");
    expect(await folder.add(unproven(" "), vault, "all")).toMatchObject({ match: "code" });
    const first = await names(another);
    expect(await folder.add(unproven("   "), another, "all")).toMatchObject({ match: "code" });
    expect(await names(vault)).not.toEqual(first);
    expect(readdirSync(path)).toHaveLength(1);
    await folder.add(TEXT, vault, "all");
    await folder.add(unproven("     "), vault, "all");
    expect(await folder.find(another)).toMatchObject({ match: "full" });
  });

  test("keeps what the code proves alone, where that is wanted", async () => {
    const { path, folder } = open();
    const other = copy();
    other.input.sources["contracts/Owned.sol"].content += " ";
    await expect(folder.add(JSON.stringify(other), vault, "proven")).rejects.toThrow(
      /does not prove the ABI and the sources of the build file; send a build-info file with the compiler's metadata and all sources/,
    );
    expect(readdirSync(path)).toEqual([]);
    expect(await folder.add(TEXT, vault, "proven")).toMatchObject({ match: "full" });
  });

  test("keeps nothing of another contract, and no more than its bounds", async () => {
    const { folder } = open({ files: 1, fileBytes: 1 << 20, bytes: 1 << 20 });
    await expect(folder.add(TEXT, Buffer.from("6001", "hex"), "all")).rejects.toThrow(
      /the contract's code \(2 bytes\) is not that of the build file, which has Owned \(162 bytes\), Rounding \(258 bytes\), Vault \(742 bytes\)/,
    );
    await expect(folder.add("{", vault, "all")).rejects.toThrow(/the build file is not JSON/);
    await folder.add(JSON.stringify({ abi: [], deployedBytecode: "0x6001" }), Buffer.from("6001", "hex"), "all");
    await expect(folder.add(TEXT, vault, "all")).rejects.toThrow(/keeps at most 1 build files of 1 MiB together/);
    const small = open({ files: 9, fileBytes: 100, bytes: 1 << 20 });
    await expect(small.folder.add(TEXT, vault, "all")).rejects.toThrow(/keeps at most/);
    writeFileSync(join(small.path, "a.json"), TEXT);
    expect(await small.folder.find(vault)).toBeUndefined();
    expect(small.problems[0]).toMatch(/has more than/);
  });

  test("passes over a folder, a pipe and what it may not read, and says so once", async () => {
    const { path, problems, folder } = open();
    mkdirSync(join(path, "folder.json"));
    execFileSync("mkfifo", [join(path, "pipe.json")]);
    symlinkSync(join(path, "nowhere"), join(path, "lost.json"));
    writeFileSync(join(path, "vault.json"), TEXT);
    for (let again = 0; again < 3; again++) expect(await folder.find(vault)).toMatchObject({ match: "full" });
    expect(problems).toEqual([
      expect.stringMatching(/folder\.json in .* is passed over: .* is a folder; name a regular file/),
      expect.stringMatching(/pipe\.json in .* is passed over: .* is a pipe; name a regular file/),
    ]);
  });

  test("has to be a folder", async () => {
    const path = join(scratchDirectory(), "builds");
    writeFileSync(path, "");
    await expect(new BuildFolder(path, () => {}).find(vault)).rejects.toThrow(/builds cannot be read: .*; make it a folder/);
  });

  test("passes over files beyond its bounds, and says so", async () => {
    const few = open({ files: 1, fileBytes: 1 << 20, bytes: 1 << 20 });
    for (const name of ["a", "b"]) writeFileSync(join(few.path, `${name}.json`), name === "a" ? "{}" : TEXT);
    expect(await few.folder.find(vault)).toBeUndefined();
    expect(await few.folder.find(vault)).toBeUndefined();
    expect(few.problems.filter((problem) => /has more than 1 build files; the others are passed over/.test(problem))).toHaveLength(1);
    const short = open({ files: 9, fileBytes: 1 << 20, bytes: 100 });
    writeFileSync(join(short.path, "a.json"), TEXT);
    expect(await short.folder.find(vault)).toBeUndefined();
    expect(short.problems.join()).toMatch(/those from a\.json on are passed over/);
  });
});
