/**
 * The equation of proofs of possession in compiled code: an old release of the BLS library, because the newer ones hash with one tag only.
 * That release brings binaries for some machines and versions of Node.js. They are loaded by path: its own loader and its install script are
 * not used. A published package has the binaries in `dist/native`, a clone in `node_modules`.
 */
import { existsSync } from "node:fs";
import { createRequire } from "node:module";
import { fileURLToPath } from "node:url";
import { type Equation, POWER_BYTES, TAG } from "./possession-equation.ts";

/** What is used of the library. */
interface Library {
  readonly P1_Affine: new (key: Uint8Array) => object;
  readonly P2_Affine: new (proof: Uint8Array) => object;
  readonly Pairing: new (hashes: boolean, tag: string) => Pairing;
}

/** Both kinds of `aggregate` return 0 unless something is wrong with the points. */
interface Pairing {
  aggregate(key: object, proof: object, message: Uint8Array): number;
  mul_n_aggregate(key: object, proof: object, power: Uint8Array, message: Uint8Array): number;
  commit(): void;
  finalverify(): boolean;
}

const PACKAGE = "blst-with-tag";
/** where `dist/native` may be, seen from this module or from a bundle of it */
const FOLDERS = ["../native/", "./native/", "../../native/"];

/** undefined if there is no binary that this machine and version of Node.js can load */
export function loadNativeEquation(): Equation | undefined {
  const library = loadLibrary();
  if (library === undefined) return undefined;
  return (possessions, powers) => {
    const pairing = new library.Pairing(true, TAG);
    for (const [i, { publicKey, proof }] of possessions.entries()) {
      const message = Buffer.from(publicKey, "hex");
      const [key, point] = [new library.P1_Affine(message), new library.P2_Affine(proof)];
      const power = powers?.subarray(i * POWER_BYTES, (i + 1) * POWER_BYTES);
      const problem = power === undefined ? pairing.aggregate(key, point, message) : pairing.mul_n_aggregate(key, point, power, message);
      if (problem !== 0) throw new TypeError("the points of a proof of possession were not checked before");
    }
    pairing.commit();
    return pairing.finalverify();
  };
}

/** The path of the binary, if there is one; whether it can be loaded shows when it is. */
export function nativeLibraryPath(): string | undefined {
  const name = `${process.platform}-${process.arch}-${process.versions.modules}-binding.node`;
  const require = createRequire(import.meta.url);
  const packed = FOLDERS.map((folder) => fileURLToPath(new URL(folder + name, import.meta.url))).find((path) => existsSync(path));
  if (packed !== undefined) return packed;
  try {
    return require.resolve(`${PACKAGE}/prebuild/${name}`);
  } catch {
    return undefined;
  }
}

function loadLibrary(): Library | undefined {
  const path = nativeLibraryPath();
  if (path === undefined) return undefined;
  try {
    return createRequire(import.meta.url)(path) as Library;
  } catch {
    // such as one for another C library
    return undefined;
  }
}
