/** Tells a value that is already parsed as a JSON reader tells it, so that one AnswerReader reads both. */
import { type JsonEvents, type JsonScalar, LongText, SKIPPED, WHOLE } from "./json-events.ts";

/** @param value what JSON.parse returned */
export function tellValue(events: JsonEvents, value: unknown, wanted: number = WHOLE): void {
  if (Array.isArray(value)) {
    events.startArray();
    for (const element of value) tellValue(events, element, wanted);
    events.endArray();
  } else if (typeof value === "object" && value !== null) {
    events.startObject();
    for (const [name, member] of Object.entries(value)) {
      const ofMember = events.key(name);
      if (ofMember !== SKIPPED) tellValue(events, member, ofMember);
    }
    events.endObject();
  } else if (typeof value === "string" && value.length > wanted) events.value(new LongText(value.length));
  else events.value(value as JsonScalar);
}
