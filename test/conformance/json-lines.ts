/** Reads the files of a recording, compressed or not. Numbers above 2^53 occur only in members that are not compared. */
import { existsSync, readFileSync } from "node:fs";
import { gunzipSync } from "node:zlib";

export function readText(folder: string, path: string): string {
  const plain = `${folder}/${path}`;
  return existsSync(plain) ? readFileSync(plain, "utf8") : gunzipSync(readFileSync(`${plain}.gz`)).toString("utf8");
}

export function readJson<T>(folder: string, path: string): T {
  return JSON.parse(readText(folder, path)) as T;
}

export function* readLines<T>(folder: string, path: string): Generator<T> {
  for (const line of readText(folder, path).split("\n")) if (line !== "") yield JSON.parse(line) as T;
}

/** `0x…` without checksum. */
export function bytesOf(hex: string): Buffer {
  return Buffer.from(hex.startsWith("0x") ? hex.slice(2) : hex, "hex");
}
