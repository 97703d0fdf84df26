import Type from "typebox";
import type { Id } from "../../../../base/bytes/id.ts";
import { evmIcmReceived, evmIcmSent } from "../../../../evm/index/icm-tables.ts";
import { badRequest, notFound } from "../../errors.ts";
import { shown } from "../../ids.ts";
import { dataRoute } from "../../route.ts";
import { IcmChains } from "./icm-chains.ts";
import { icmMessage } from "./icm-schemas.ts";
import { presentMessages } from "./present-message.ts";
import { type FoundMessage, loadMessages } from "./read-messages.ts";

/** One message, and the same under the older name of its path. */
export const getIcmMessage = messageRoute({ path: "/icm/messages/{messageId}", operationId: "getIcmMessage" });
export const getTeleporterMessage = messageRoute({ path: "/teleporter/messages/{messageId}", operationId: "getTeleporterMessage" });

function messageRoute(names: { readonly path: string; readonly operationId: string }) {
  return dataRoute({
    ...names,
    method: "GET",
    tag: "EVM: interchain messages",
    summary: "One message with both of its sides, as far as their chains are indexed.",
    cost: "O(chains) rows",
    computeUnits: 20,
    evm: "all",
    isOfState: true,
    params: Type.Object({ messageId: Type.String({ minLength: 1, description: "64 hex digits of any case, with or without 0x" }) }),
    query: Type.Object({}),
    response: icmMessage,
    async handle({ params }, context) {
      const { reader } = context;
      const messageId = parseMessageId(params.messageId);
      const chains = new IcmChains(context);
      const keys = chains.all.map(({ evmChain: { chain } }) => ({ chain, messageId }));
      const [sent, received] = await Promise.all([reader.getMany(evmIcmSent, keys), reader.getMany(evmIcmReceived, keys)]);
      const found = [sent, received].flatMap((rows, i) =>
        chains.all.flatMap(({ evmChain }, j): FoundMessage[] => (rows[j] === undefined ? [] : [{ messageId, evmChain, isSent: i === 0 }])),
      );
      const loaded = await loadMessages(found.slice(0, 1), chains, reader);
      const [message] = await presentMessages([...loaded.values()], { chains, reader, isList: false });
      if (message === undefined) throw notFound(`no chain of this server knows a message ${messageId}`);
      return message;
    },
  });
}

function parseMessageId(text: string): Id {
  const digits = text.replace(/^0x/, "");
  if (/^[0-9a-fA-F]{64}$/.test(digits)) return digits.toLowerCase();
  throw badRequest(`messageId must be 64 hex digits, got ${shown(text)}`);
}
