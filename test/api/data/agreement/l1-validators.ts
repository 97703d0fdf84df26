/**
 * Compares `getL1Validator` with the Data API's entry, including the balance, at the checkpoint's height. Validators that no longer exist
 * must have no entry.
 */
import { bare, type Moment, networkPath } from "./moment.ts";
import type { Json } from "./recorded.ts";

export function listL1Validators(moment: Moment): Promise<Json[]> {
  const query = { includeInactiveL1Validators: true, pageSize: 100 };
  return moment.client.walk(`${networkPath(moment)}/l1Validators`, "validators", query);
}

export async function compareL1Validators(moment: Moment): Promise<void> {
  const method = "platform.getL1Validator";
  for (const { params, result } of moment.answers.all(method)) {
    if (typeof params?.validationID !== "string") continue;
    const query = { l1ValidationId: params.validationID, includeInactiveL1Validators: true };
    const { status, body }: { status: number; body: Json } = await moment.client.ask(`${networkPath(moment)}/l1Validators`, query);
    const question = `of ${params.validationID}`;
    // what the node refuses is either no ID, or the ID of none
    if (result === undefined) moment.tally.compare(method, question, status === 200 ? body.validators : [], []);
    else
      moment.tally.compare(method, question, [...body.validators.map(l1Form), body.blockHeight], [recordedL1Form(result), result.height]);
  }
}

export const l1Form = (item: Json) => ({
  validationId: item.validationId,
  nodeId: item.nodeId,
  subnetId: item.subnetId,
  weight: `${item.weight}`,
  remainingBalance: `${item.remainingBalance}`,
  creationTimestamp: item.creationTimestamp,
  publicKey: item.blsCredentials.publicKey,
  owners: [item.remainingBalanceOwner, item.deactivationOwner].map(({ threshold, addresses }) => [threshold, addresses]),
});

export const recordedL1Form = (validator: Json) => ({
  validationId: validator.validationID,
  nodeId: validator.nodeID,
  subnetId: validator.subnetID,
  weight: validator.weight,
  remainingBalance: validator.balance,
  creationTimestamp: Number(validator.startTime),
  publicKey: validator.publicKey,
  owners: [validator.remainingBalanceOwner, validator.deactivationOwner].map((owner) => [
    Number(owner.threshold),
    owner.addresses.map(bare),
  ]),
});
