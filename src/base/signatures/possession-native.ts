/**
 * The equation of proofs of possession in compiled code. The BLS library hashes with the tag of signatures only, which is one constant in its
 * binary; the tag of proofs is as long. So a copy of the binary with that tag is loaded beside it, and used once it has judged a known proof.
 * The binary keeps to Node-API: any version of Node.js loads it.
 */
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type * as blst from "@chainsafe/blst";
import { type Equation, type Possession, TAG } from "./possession-equation.ts";

type Library = typeof blst;

const PACKAGE = "@chainsafe/blst";
const SIGNATURE_TAG = TAG.replace("BLS_POP_", "BLS_SIG_");

/** For the secret key 1, whose public key is the generator; made by another implementation. */
const KNOWN: Possession = {
  publicKey: "97f1d3a73197d7942695638c4fa9ac0fc3688c4f9774b905a14e3a3f171bac586c55e83ff97a1aeffb3af00adb22c6bb",
  proof: Buffer.from(
    "abd367bf7fe788f30632c5d7e92a9958da6164eea2f0cc2d4678a1bcc281f1bede7fc92f5624c84718da7c203f8f69cc" +
      "016b555c691666c80d48dbebdbb5985eff6618683e563660d926ab2e336376e011717f4d35754ba8cac2b33e0ab21f9a",
    "hex",
  ),
};

/** undefined where no such copy can be made, such as where the folder for temporary files may hold no programs */
export function loadNativeEquation(): Equation | undefined {
  // Windows does not delete a library that is loaded: each start would leave a file behind
  if (process.platform === "win32") return undefined;
  try {
    const equation = equationOf(loadCopy());
    return equation([KNOWN]) && equation([KNOWN, KNOWN]) ? equation : undefined;
  } catch {
    return undefined;
  }
}

function equationOf(library: Library): Equation {
  return (possessions) => {
    const sets = possessions.map(({ publicKey, proof }) => ({
      msg: Buffer.from(publicKey, "hex"),
      pk: library.PublicKey.fromHex(publicKey),
      sig: library.Signature.fromBytes(proof, false),
    }));
    const [first] = sets;
    // the points were checked before
    if (sets.length === 1) return library.verify(first!.msg, first!.pk, first!.sig, false, false);
    return library.verifyMultipleAggregateSignatures(sets, false, false);
  };
}

/** A copy is loaded from a folder that nobody else can write to, and is no longer needed once it is loaded. */
function loadCopy(): Library {
  const require = createRequire(import.meta.url);
  require(PACKAGE);
  const path = Object.keys(require.cache).find((name) => /[\\/]blst\.[^\\/]+\.node$/.test(name));
  const binary = readFileSync(path!);
  const at = binary.indexOf(SIGNATURE_TAG, 0, "latin1");
  if (at === -1 || binary.indexOf(SIGNATURE_TAG, at + 1, "latin1") !== -1) throw new Error(`${path} does not have its tag once`);
  binary.write(TAG, at, "latin1");
  const folder = mkdtempSync(join(tmpdir(), "firn-blst-"));
  try {
    const copy = join(folder, "blst.node");
    writeFileSync(copy, binary, { mode: 0o700 });
    // macOS ends a process that loads code whose signature does not fit
    if (process.platform === "darwin") execFileSync("/usr/bin/codesign", ["--force", "--sign", "-", copy], { stdio: "ignore" });
    return require(copy) as Library;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
