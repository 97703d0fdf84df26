/** Finds Chromium, and starts it. */
import { existsSync } from "node:fs";
import { type Browser, chromium } from "playwright-core";

const PLACES = [process.env.FIRN_CHROMIUM, "/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"];
const program = PLACES.find((place) => place !== undefined && existsSync(place));
export const hasBrowser = program !== undefined;
/** why a test is skipped, for its name */
export const skipReason = hasBrowser ? "" : " (skipped: there is no Chromium; install Debian's package chromium, or set FIRN_CHROMIUM)";

const ARGUMENTS = [
  ...["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run"],
  ...["--disable-background-networking", "--disable-component-update", "--disable-sync"],
];

/** @param more arguments for Chromium */
export function startBrowser(...more: readonly string[]): Promise<Browser> {
  return chromium.launch({ executablePath: program!, args: [...ARGUMENTS, ...more] });
}
