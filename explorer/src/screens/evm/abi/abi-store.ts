/** ABIs of contracts: those that the user gave, which stay in this browser, and those that the server has from build files. */
import { useSyncExternalStore } from "preact/compat";
import { AbiFileError, readAbi } from "./abi-file.ts";
import type { Abi } from "./abi-item.ts";
import { type AbiIndex, indexAbi } from "./decode.ts";

/** A browser keeps some 5 MB for a page. */
const LONGEST_ABI = 1_000_000;

export interface KnownAbi {
  readonly abi: Abi;
  readonly index: AbiIndex;
  /** the user gave it */
  readonly isGiven: boolean;
}

const listeners = new Set<() => void>();
/** by what is stored, so that each is read once */
const read = new Map<string, { readonly text: string; readonly known: KnownAbi | undefined }>();

function nameOf(chainId: string, address: string): string {
  return `firn-abi:${chainId}:${address.toLowerCase()}`;
}

/** by the same names */
const served = new Map<string, string>();

/** The ABI for a contract: what the user gave counts before what the server has. */
export function knownAbi(chainId: string, address: string): KnownAbi | undefined {
  const name = nameOf(chainId, address);
  const given = localStorage.getItem(name);
  const text = given ?? served.get(name);
  if (text === undefined) return undefined;
  const before = read.get(name);
  if (before?.text === text && before.known?.isGiven === (given !== null)) return before.known;
  const known = understood(text, given !== null);
  read.set(name, { text, known });
  return known;
}

function understood(text: string, isGiven: boolean): KnownAbi | undefined {
  try {
    const abi = readAbi(text);
    return { abi, index: indexAbi(abi), isGiven };
  } catch (error) {
    // another page of this origin may have written it
    if (error instanceof AbiFileError) return undefined;
    throw error;
  }
}

/** Takes over the server's ABI for a contract; undefined: it has none. */
export function serveAbi(chainId: string, address: string, text: string | undefined): void {
  const name = nameOf(chainId, address);
  if (served.get(name) === text) return;
  if (text === undefined) served.delete(name);
  else served.set(name, text);
  tell();
}

/** Throws an `AbiFileError` if the browser does not keep it. */
export function keepAbi(chainId: string, address: string, abi: Abi): void {
  const text = JSON.stringify(abi);
  if (text.length > LONGEST_ABI) {
    throw new AbiFileError(`The ABI is too long to be kept: it has ${text.length} characters, at most ${LONGEST_ABI} are kept.`);
  }
  try {
    localStorage.setItem(nameOf(chainId, address), text);
  } catch {
    throw new AbiFileError("This browser keeps no more data of this page. Remove an ABI that you gave for another contract.");
  }
  tell();
}

export function removeAbi(chainId: string, address: string): void {
  localStorage.removeItem(nameOf(chainId, address));
  tell();
}

function tell(): void {
  for (const listener of listeners) listener();
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  // other tabs of the explorer
  window.addEventListener("storage", listener);
  return () => {
    listeners.delete(listener);
    window.removeEventListener("storage", listener);
  };
}

/** The ABI for a contract; renders again when there is another one. */
export function useAbi(chainId: string, address: string): KnownAbi | undefined {
  return useSyncExternalStore(subscribe, () => knownAbi(chainId, address));
}
