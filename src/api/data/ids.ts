/**
 * Parses IDs in requests: cb58 text to lowercase hex. A text that is not an ID is a 400; the handler checks whether the thing exists (404).
 * For responses, use `formatId` and `formatNodeId` of the primitives.
 */
import Type, { type TString } from "typebox";
import { parseId, parseNodeId } from "../../base/bytes/cb58.ts";
import type { Id, NodeId } from "../../base/bytes/id.ts";
import { TextError } from "../../base/errors/text-error.ts";
import { badRequest } from "./errors.ts";

/** Schema of a path or query parameter that is the cb58 text of 32 bytes. */
export function cb58Id(description: string): TString {
  return Type.String({ minLength: 1, description: `${description} (cb58)` });
}

/** @param name of the parameter, for the message */
export function parseIdParam(name: string, text: string): Id {
  return parsed(name, text, parseId, "an ID: cb58 of 32 bytes");
}

/** `NodeID-…` */
export function parseNodeIdParam(name: string, text: string): NodeId {
  return parsed(name, text, parseNodeId, "a node ID: NodeID- and the cb58 of 20 bytes");
}

function parsed(name: string, text: string, parse: (text: string) => string, wanted: string): string {
  try {
    return parse(text);
  } catch (error) {
    if (!(error instanceof TextError)) throw error;
    throw badRequest(`${name} must be ${wanted}, got ${shown(text)} (${error.message})`);
  }
}

const LONGEST_SHOWN = 80;

/** Shows a value of a request in a message: quoted and cut to one line. */
export function shown(text: string): string {
  return JSON.stringify(text.length <= LONGEST_SHOWN ? text : `${text.slice(0, LONGEST_SHOWN)}…`);
}
