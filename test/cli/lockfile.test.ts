import { readFileSync } from "node:fs";
import { expect, test } from "vitest";

interface LockedPackage {
  readonly version?: string;
  readonly integrity?: string;
  readonly link?: boolean;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
}

const { packages } = JSON.parse(readFileSync(new URL("../../package-lock.json", import.meta.url), "utf8")) as {
  packages: Readonly<Record<string, LockedPackage>>;
};

/**
 * Packages of other platforms that the registry which this lock file was made from answers 404 for: it has no hash to lock. npm leaves them
 * out where they do not fit, and takes the registry's word where they do. When it has them, `npm view <name>@<version> dist.integrity` tells
 * what to write.
 */
const WITHOUT_INTEGRITY: ReadonlySet<string> = new Set([
  ...["android-arm64", "android-x64", "darwin-arm64", "darwin-x64", "linux-arm64-musl", "linux-x64-musl", "win32-arm64", "win32-x64"].map(
    (platform) => `@biomejs/cli-${platform}@2.6.8`,
  ),
  ...["darwin-amd64", "darwin-arm64", "linux-arm64"].map((platform) => `@foundry-rs/anvil-${platform}@1.7.1`),
  ...["darwin-arm64", "darwin-x64", "linux-arm", "win32-x64"].map((platform) => `@msgpackr-extract/msgpackr-extract-${platform}@3.0.7`),
]);

test("the lock file has every optional package, of other platforms too: npm ci refuses it otherwise", () => {
  const paths = Object.keys(packages);
  const missing = Object.values(packages)
    .flatMap(({ optionalDependencies = {} }) => Object.keys(optionalDependencies))
    .filter((name) => !paths.some((path) => path.endsWith(`node_modules/${name}`)));
  expect(missing).toEqual([]);
});

test("every package of the lock file has its hash, but for those of other platforms that the registry lacks", () => {
  const unhashed = Object.entries(packages)
    // the repository's own packages have none
    .filter(([path, { integrity, link }]) => path.includes("node_modules/") && link !== true && integrity === undefined)
    .map(([path, { version }]) => `${path.slice(path.lastIndexOf("node_modules/") + "node_modules/".length)}@${version}`);
  expect(new Set(unhashed)).toEqual(WITHOUT_INTEGRITY);
});

test("every hash of the lock file is SHA-512", () => {
  const weak = Object.entries(packages).filter(([, { integrity }]) => integrity !== undefined && !integrity.startsWith("sha512-"));
  expect(weak).toEqual([]);
});
