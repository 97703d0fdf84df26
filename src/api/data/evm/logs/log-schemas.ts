/** An event log in lists. */
import Type, { type Static } from "typebox";
import { namedObject } from "../../named-object.ts";
import { placeMembers } from "../transfer-schemas.ts";

export const eventLogSchema = namedObject("EventLog", {
  ...placeMembers,
  txIndex: Type.Integer({ description: "Index of the transaction in the block." }),
  logIndex: Type.Integer({ description: "Index of the log in the block, as the chain's node counts." }),
  address: Type.String({ description: "The contract that emitted it." }),
  topics: Type.Array(Type.String(), { description: "Up to four words of 32 bytes; the first is the hash of the event's signature." }),
  data: Type.String({ description: "Bytes in hex." }),
});
export type EventLog = Static<typeof eventLogSchema>;
