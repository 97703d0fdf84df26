/** What the bytes of calls, logs and errors mean: by the ABI that the user gave for the contract, else by items that many contracts share. */
import { type Abi, type AbiItem, selectorOf, signatureOf, topicOf } from "./abi-item.ts";
import { DecodingError, decodeValues, decodeWord, type Field } from "./decode-values.ts";
import { PANICS, wellKnown } from "./well-known.ts";

/** An ABI, to be asked by selector and topic. */
export interface AbiIndex {
  readonly functions: ReadonlyMap<string, AbiItem>;
  readonly errors: ReadonlyMap<string, AbiItem>;
  /** several events can have one topic, with other indexed parameters */
  readonly events: ReadonlyMap<string, readonly AbiItem[]>;
}

export interface Decoded {
  readonly name: string;
  /** `transfer(address,uint256)` */
  readonly signature: string;
  readonly fields: readonly Field[];
  /** whether it comes from the ABI that the user gave for this contract */
  readonly isOwn: boolean;
}

export function indexAbi(abi: Abi): AbiIndex {
  const functions = new Map<string, AbiItem>();
  const errors = new Map<string, AbiItem>();
  const events = new Map<string, AbiItem[]>();
  for (const item of abi) {
    if (item.type === "function") functions.set(selectorOf(item), item);
    else if (item.type === "error") errors.set(selectorOf(item), item);
    else if (item.type === "event" && item.anonymous !== true) {
      const topic = topicOf(item);
      events.set(topic, [...(events.get(topic) ?? []), item]);
    }
  }
  return { functions, errors, events };
}

let known: AbiIndex | undefined;

function wellKnownIndex(): AbiIndex {
  known ??= indexAbi(wellKnown);
  return known;
}

const SELECTOR_LENGTH = 10;

/** Tries the contract's own ABI first. Returns undefined if neither knows it, or if the data are not what the item says. */
function firstOf(own: AbiIndex | undefined, decode: (index: AbiIndex) => Omit<Decoded, "isOwn"> | undefined): Decoded | undefined {
  for (const index of [own, wellKnownIndex()]) {
    if (index === undefined) continue;
    try {
      const decoded = decode(index);
      if (decoded !== undefined) return { ...decoded, isOwn: index === own };
    } catch (error) {
      if (!(error instanceof DecodingError)) throw error;
    }
  }
  return undefined;
}

function decodedItem(item: AbiItem, hex: string): Omit<Decoded, "isOwn"> {
  return { name: item.name, signature: signatureOf(item), fields: decodeValues(item.inputs, hex) };
}

/** @param input 0x and hex */
export function decodeCall(input: string, own?: AbiIndex): Decoded | undefined {
  return firstOf(own, ({ functions }) => {
    const item = functions.get(input.slice(0, SELECTOR_LENGTH).toLowerCase());
    return item && decodedItem(item, input.slice(SELECTOR_LENGTH));
  });
}

/** The function or error that many contracts share and that has this selector. */
export function signatureOfSelector(selector: string): string | undefined {
  const { functions, errors } = wellKnownIndex();
  const item = functions.get(selector) ?? errors.get(selector);
  return item && signatureOf(item);
}

/** @param data what a reverted call returned: 0x and hex */
export function decodeError(data: string, own?: AbiIndex): Decoded | undefined {
  return firstOf(own, ({ errors }) => {
    const item = errors.get(data.slice(0, SELECTOR_LENGTH).toLowerCase());
    return item && decodedItem(item, data.slice(SELECTOR_LENGTH));
  });
}

/** What an error says, as a sentence for people. */
export function reasonOf({ name, fields }: Decoded): string | undefined {
  const value = fields[0]?.value;
  if (name === "Error" && value?.kind === "text") return value.text;
  if (name === "Panic" && value?.kind === "number") return PANICS[`${value.number}`] ?? `panic ${value.number}`;
  return undefined;
}

export interface Log {
  readonly topics: readonly string[];
  /** 0x and hex */
  readonly data: string;
}

export function decodeLog({ topics, data }: Log, own?: AbiIndex): Decoded | undefined {
  return firstOf(own, ({ events }) => {
    for (const item of events.get(topics[0] ?? "") ?? []) {
      if (item.inputs.filter(({ indexed }) => indexed).length !== topics.length - 1) continue;
      return { name: item.name, signature: signatureOf(item), fields: fieldsOfLog(item, topics, data) };
    }
    return undefined;
  });
}

function fieldsOfLog({ inputs }: AbiItem, topics: readonly string[], data: string): Field[] {
  const others = decodeValues(
    inputs.filter(({ indexed }) => !indexed),
    data.slice(2),
  );
  let [topic, other] = [1, 0];
  return inputs.map(({ name, type, indexed }) => {
    if (!indexed) return others[other++]!;
    const word = topics[topic++]!;
    // of what is longer than a word there is only the hash
    const isHash = /^(tuple|string|bytes$)|\]$/.test(type);
    return { name, type, value: isHash ? { kind: "hash", hash: word } : decodeWord(type, word.slice(2)) };
  });
}

const WORD_DIGITS = 64;

/** Bytes as the 32-byte words in which contracts read them. `words` are the first ones. */
export function wordsOf(hex: string, most: number): { readonly words: readonly string[]; readonly count: number } {
  const count = Math.ceil(hex.length / WORD_DIGITS);
  return { count, words: Array.from({ length: Math.min(count, most) }, (_, i) => hex.slice(i * WORD_DIGITS, (i + 1) * WORD_DIGITS)) };
}
