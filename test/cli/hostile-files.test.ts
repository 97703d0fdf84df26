/** The commands' errors for unusable files and folders: one sentence, at once, and the exit code. */
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { chmodSync, existsSync, mkdirSync, readdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { brotliCompressSync, constants, gzipSync } from "node:zlib";
import { beforeAll, describe, expect, test } from "vitest";
import { recordingFolder } from "../conformance/recordings.ts";
import { scratchDirectory } from "../store/scratch.ts";

const root = fileURLToPath(new URL("../../", import.meta.url));
/** Far above what any of these takes, which is a second or two; what has no end is stopped then. */
const PROGRAM_TIMEOUT_MS = 200_000;

beforeAll(() => {
  // Builds if sources changed
  const { status, stderr } = spawnSync(process.execPath, [join(root, "bin/firn"), "--version"], { encoding: "utf8" });
  expect(status, stderr).toBe(0);
});

interface Ended {
  readonly exitCode: number | null;
  readonly error: string;
}

/** `under` goes before the program: what limits it. */
async function firn(args: readonly string[], under: readonly string[] = []): Promise<Ended> {
  const [command, ...rest] = [...under, process.execPath, join(root, "dist/lib/main.js"), ...args];
  const child = spawn(command!, rest, { stdio: ["ignore", "ignore", "pipe"], timeout: PROGRAM_TIMEOUT_MS, killSignal: "SIGKILL" });
  let error = "";
  child.stderr.on("data", (chunk) => {
    error += chunk;
  });
  await once(child, "close");
  return { exitCode: child.exitCode, error };
}

const sentence = (exitCode: number, error: RegExp): Ended => ({ exitCode, error: expect.stringMatching(error) });

/** So much of nothing in few bytes. */
function bomb(bytes: number): Buffer {
  return brotliCompressSync(Buffer.alloc(bytes, " "), { params: { [constants.BROTLI_PARAM_QUALITY]: 3 } });
}

describe("a recording", () => {
  const folder = (files: Readonly<Record<string, Buffer | string>>) => {
    const path = scratchDirectory();
    for (const [name, content] of Object.entries(files)) writeFileSync(join(path, name), content);
    return path;
  };
  const importing = (path: string) => firn(["import", path, "--data-dir", join(scratchDirectory(), "data")]);

  test("that is a device or a pipe is refused before it is read", async () => {
    const pipe = join(scratchDirectory(), "pipe");
    spawnSync("mkfifo", [pipe]);
    const [device, fifo] = await Promise.all([importing("/dev/zero"), importing(pipe)]);
    expect(device).toEqual(sentence(1, /^firn: \/dev\/zero is a device; name a regular file\n$/));
    expect(fifo).toEqual(sentence(1, /^firn: \S+pipe is a pipe; name a regular file\n$/));
  });

  test("is read no further than a line, or what comes out of so few bytes, may be long", async () => {
    const packed = (header: string) => {
      const file = join(scratchDirectory(), "packed.br");
      const content = Buffer.concat([Buffer.from(header), Buffer.alloc(200 << 20, " ")]);
      writeFileSync(file, brotliCompressSync(content, { params: { [constants.BROTLI_PARAM_QUALITY]: 3 } }));
      return file;
    };
    const [gzip, brotli, solid, headless] = await Promise.all([
      importing(folder({ "network.json.gz": gzipSync(Buffer.alloc(100 << 20, " ")) })),
      importing(folder({ "network.json.br": bomb(100 << 20) })),
      importing(packed(`${JSON.stringify({ path: "blocks/P.jsonl", size: 1e12 })}\n`)),
      importing(packed("")),
    ]);
    expect(gzip).toEqual(sentence(1, /^firn: network\.json:1: it is longer than 64 MiB, the most for a line of a recording\n$/));
    expect(brotli).toEqual(gzip);
    expect(solid).toEqual(sentence(1, /^firn: \S+: \d+ bytes of it make more than \d+; a recording is compressed to a 1000th at most\n$/));
    expect(headless).toEqual(sentence(1, /^firn: \S+ is not a packed recording: it has no list of files\n$/));
  });

  test("cannot command the terminal that shows its names", async () => {
    const path = folder({ "network.json": "{}", "\u001b[2J\nfirn: fine\u009b1m.jsonl": "x" });
    for (const { exitCode, error } of [
      await importing(path),
      await firn(["archive", "verify", path]),
      await importing(`${path}/\u001b]0;x\u0007`),
    ]) {
      expect(exitCode).toBe(1);
      expect(error).toMatch(/^firn: [^\n]*\n$/);
      expect(error.slice(0, -1)).not.toMatch(/\p{Cc}/u);
    }
  });

  test("quotes no file that it links to", async () => {
    const path = scratchDirectory();
    const secret = join(scratchDirectory(), "secret");
    writeFileSync(secret, "hunter2");
    symlinkSync(secret, join(path, "network.json"));
    const ended = await importing(path);
    expect(ended).toEqual(sentence(1, /^firn: \S+network\.json is a link out of the recording; put the file itself there\n$/));
    expect(ended.error).not.toContain("hunter2");
  });
});

describe("files that people name", () => {
  test("are not read if they are devices, pipes or folders, nor beyond what they are for", async () => {
    const scratch = scratchDirectory();
    const [pipe, large] = [join(scratch, "pipe"), join(scratch, "large")];
    spawnSync("mkfifo", [pipe]);
    writeFileSync(large, Buffer.alloc(20 << 20, " "));
    const devnet = (flag: string, file: string) => firn(["devnet", "--http-port", "0", flag, file]);
    const [config, configPipe, configFolder, genesis, network, tooLarge] = await Promise.all([
      firn(["status", "--config", "/dev/zero"]),
      firn(["status", "--config", pipe]),
      firn(["status", "--config", scratch]),
      devnet("--genesis", pipe),
      devnet("--network-file", "/dev/zero"),
      devnet("--genesis", large),
    ]);
    expect(config).toEqual(sentence(2, /^firn: [^\n]*\/dev\/zero is a device; name a regular file\n$/));
    expect(configPipe).toEqual(sentence(2, /^firn: [^\n]* is a pipe; name a regular file\n$/));
    expect(configFolder).toEqual(sentence(2, /^firn: [^\n]* is a folder; name a regular file\n$/));
    expect(genesis).toEqual(sentence(1, /^firn: [^\n]* is a pipe; name a regular file\n$/));
    expect(network).toEqual(sentence(1, /^firn: [^\n]*\/dev\/zero is a device; name a regular file\n$/));
    expect(tooLarge).toEqual(sentence(1, /^firn: [^\n]*large has more than 16 MiB; name a smaller file\n$/));
  });
});

/** Root may write everywhere: it becomes somebody else for that, if it can, who must be able to read the program. */
const asNobody = process.getuid?.() === 0 ? ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"] : [];

function canBeNobody(): boolean {
  const [command, ...rest] = [...asNobody, process.execPath, "--check", join(root, "bin/firn")];
  return spawnSync(command!, rest).status === 0;
}

describe("a data directory", () => {
  test.skipIf(!existsSync("/proc/self"))("where no folder can be made is refused by every command that would make one", async () => {
    const at = "/proc/firn";
    const refusals = await Promise.all([
      firn(["import", recordingFolder("x-dag"), "--data-dir", at]),
      firn(["devnet", "--data-dir", at, "--http-port", "0"]),
      firn(["follow", "--rpc", "http://127.0.0.1:1", "--data-dir", at, "--http-port", "0"]),
      firn(["keys", "add", "--data-dir", at]),
    ]);
    for (const refusal of refusals)
      expect(refusal).toEqual(sentence(1, /^firn: [^\n]*\/proc\/firn[^\n]*its file system makes no folders; [^\n]*\n$/));
  });

  test.skipIf(!canBeNobody())("that cannot be written to is told of, and left as it is", async () => {
    const readable = scratchDirectory();
    chmodSync(readable, 0o755);
    const store = join(readable, "made");
    expect(await firn(["import", recordingFolder("x-dag"), "--data-dir", store])).toEqual(sentence(0, /.*/));
    for (const path of [store, join(store, "store")]) chmodSync(path, 0o555);
    const empty = join(readable, "empty");
    mkdirSync(empty);
    chmodSync(empty, 0o555);
    const refusals = await Promise.all([
      firn(["import", recordingFolder("x-dag"), "--data-dir", empty], asNobody),
      firn(["import", recordingFolder("x-dag"), "--data-dir", store], asNobody),
      firn(["devnet", "--data-dir", empty, "--http-port", "0"], asNobody),
      firn(["reindex", "--data-dir", store], asNobody),
      firn(["keys", "add", "--data-dir", empty], asNobody),
      firn(["serve", "--data-dir", store, "--http-port", "0", "--workers", "1"], asNobody),
    ]);
    for (const refusal of refusals) expect(refusal).toEqual(sentence(1, /^firn: [^\n]*permission denied[^\n]*\n$/));
    const staking = join(readable, "foreign", "staking");
    mkdirSync(staking, { recursive: true });
    for (const mode of [0o555, 0o700]) {
      chmodSync(staking, mode);
      const open = `import(${JSON.stringify(join(root, "dist/api/state/identity.js"))}).then(({ openIdentity }) => openIdentity(process.argv[1])).catch(({ message }) => console.error(message))`;
      const [command, ...rest] = [...asNobody, process.execPath, "-e", open, join(readable, "foreign")];
      expect(spawnSync(command!, rest, { encoding: "utf8" }).stderr).toBe(
        `${join(staking, "staker.key")} cannot be written: permission denied\n`,
      );
    }
  });
});

test.skipIf(spawnSync("prlimit", ["--version"]).error !== undefined)(
  "A process that may open few files does its work, or says what it needs",
  async () => {
    const importing = ["import", recordingFolder("x-dag"), "--data-dir", join(scratchDirectory(), "data")];
    const few = await firn(importing, ["prlimit", "--nofile=64"]);
    // How many it opens at once is a matter of Node's version
    if (few.exitCode !== 0)
      expect(few).toEqual(sentence(1, /^firn: this process may open no more files; raise the limit \(ulimit -n\)\n$/));
  },
);

test.skipIf(process.platform !== "linux" || spawnSync("prlimit", ["--version"]).error !== undefined)(
  "A process whose address space is limited says so, and does not crash",
  async () => {
    for (const args of [
      ["import", recordingFolder("x-dag"), "--data-dir", join(scratchDirectory(), "data")],
      ["devnet", "--http-port", "0"],
    ])
      expect(await firn(args, ["prlimit", "--as=64000000000"])).toEqual(
        sentence(1, /^firn: the address space [^\n]*\(ulimit -v unlimited\)\n$/),
      );
  },
);

test("A reader that goes away ends nothing with a stack trace", () => {
  const command = `"$0" "$1" --help | head -n 1; "$0" "$1" status --data-dir /nowhere 2>&1 | true`;
  const { stdout, stderr } = spawnSync("sh", ["-c", command, process.execPath, join(root, "dist/lib/main.js")], { encoding: "utf8" });
  expect({ stdout, stderr }).toEqual({ stdout: "Usage: firn [options] [command]\n", stderr: "" });
});

test.skipIf(spawnSync("prlimit", ["--version"]).error !== undefined)(
  "A disk that is full leaves no half of an identity, with which no later start could do anything",
  () => {
    const directory = scratchDirectory();
    const open = `import(${JSON.stringify(join(root, "dist/api/state/identity.js"))}).then(({ openIdentity }) => openIdentity(process.argv[1]))`;
    const identity = (...limit: string[]) =>
      spawnSync("sh", ["-c", `trap "" XFSZ; exec "$@"`, "sh", ...limit, process.execPath, "-e", open, directory], { encoding: "utf8" });
    // The key has 241 bytes, the certificate some 500: of files that may not be longer the second one cannot be written
    const failed = identity("prlimit", "--fsize=300");
    expect([failed.status, failed.stderr]).toEqual([1, expect.stringContaining("EFBIG")]);
    expect(readdirSync(join(directory, "staking"))).toEqual([]);
    expect(identity().status).toBe(0);
    expect(readdirSync(join(directory, "staking")).sort()).toEqual(["signer.key", "staker.crt", "staker.key"]);
  },
);
