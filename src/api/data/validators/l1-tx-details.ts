/** `l1ValidatorDetails` of a transaction: the L1 validators that it named, as they were right after it. */
import Type, { type Static } from "typebox";
import { formatId, formatNodeId } from "../../../base/bytes/cb58.ts";
import type { Id } from "../../../base/bytes/id.ts";
import { type L1TxDetail, l1TxDetails } from "../../../index/primary/network/network-tables.ts";
import { type StoreReader, scanAll } from "../../../store/store.ts";
import { exactInteger } from "../exact-integer.ts";
import { namedObject } from "../named-object.ts";

export const l1TxDetailsSchema = namedObject("L1ValidatorDetailsTransaction", {
  validationId: Type.String(),
  validationIdHex: Type.String({ description: "0x and 64 hex digits" }),
  nodeId: Type.String(),
  subnetId: Type.String(),
  weight: exactInteger("0: removed"),
  remainingBalance: exactInteger("nAVAX, net of the fees accrued until then; 0: inactive"),
  balanceChange: Type.Optional(exactInteger("nAVAX that the transaction added, or, below 0, paid back; absent if it did neither")),
  blsCredentials: Type.Object({ publicKey: Type.String() }),
});

/** In the order in which the transaction names the validators; empty for other transactions. Costs one range of as many rows. */
export async function readL1TxDetails(reader: StoreReader, txId: Id): Promise<Static<typeof l1TxDetailsSchema>[]> {
  const details = [];
  for await (const { value } of scanAll(reader, l1TxDetails, { txId })) details.push(presentDetail(value));
  return details;
}

function presentDetail(detail: L1TxDetail): Static<typeof l1TxDetailsSchema> {
  const { validationId, nodeId, subnetId, weight, publicKey, balanceBefore, remainingBalance } = detail;
  const balanceChange = remainingBalance - balanceBefore;
  return {
    validationId: formatId(validationId),
    validationIdHex: `0x${validationId}`,
    nodeId: formatNodeId(nodeId),
    subnetId: formatId(subnetId),
    weight,
    remainingBalance,
    ...(balanceChange !== 0n && { balanceChange }),
    blsCredentials: { publicKey: `0x${publicKey}` },
  };
}
