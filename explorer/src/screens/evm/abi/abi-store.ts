/** ABIs that the user gave for contracts. They stay in this browser, and are sent nowhere. */
import { useSyncExternalStore } from "preact/compat";
import { AbiFileError, readAbi } from "./abi-file.ts";
import type { Abi } from "./abi-item.ts";
import { type AbiIndex, indexAbi } from "./decode.ts";

/** A browser keeps some 5 MB for a page. */
const LONGEST_ABI = 1_000_000;

export interface KnownAbi {
  readonly abi: Abi;
  readonly index: AbiIndex;
}

const listeners = new Set<() => void>();
/** by what is stored, so that each is read once */
const read = new Map<string, { readonly text: string; readonly known: KnownAbi | undefined }>();

function nameOf(chainId: string, address: string): string {
  return `firn-abi:${chainId}:${address.toLowerCase()}`;
}

/** The ABI for a contract; undefined: none was given. */
export function knownAbi(chainId: string, address: string): KnownAbi | undefined {
  const name = nameOf(chainId, address);
  const text = localStorage.getItem(name);
  if (text === null) return undefined;
  const before = read.get(name);
  if (before?.text === text) return before.known;
  const known = understood(text);
  read.set(name, { text, known });
  return known;
}

function understood(text: string): KnownAbi | undefined {
  try {
    const abi = readAbi(text);
    return { abi, index: indexAbi(abi) };
  } catch (error) {
    // another page of this origin may have written it
    if (error instanceof AbiFileError) return undefined;
    throw error;
  }
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

/** The ABI for a contract; renders again when the user gives or removes it. */
export function useAbi(chainId: string, address: string): KnownAbi | undefined {
  return useSyncExternalStore(subscribe, () => knownAbi(chainId, address));
}
