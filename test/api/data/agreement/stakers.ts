/** All validators and delegators of the Data API, of every status, requested once per checkpoint. */
import { type Moment, networkPath } from "./moment.ts";
import type { Json } from "./recorded.ts";

export interface ListedStaker {
  readonly txHash: string;
  readonly status: string;
  readonly isDelegator: boolean;
  /** the item of the answer */
  readonly item: Json;
}

const known = new WeakMap<Moment, Promise<ListedStaker[]>>();

export function listStakers(moment: Moment): Promise<ListedStaker[]> {
  let stakers = known.get(moment);
  if (stakers === undefined) {
    stakers = walkStakers(moment);
    known.set(moment, stakers);
  }
  return stakers;
}

async function walkStakers(moment: Moment): Promise<ListedStaker[]> {
  const walk = (list: string) => moment.client.walk(`${networkPath(moment)}/${list}`, list, { pageSize: 100 }) as Promise<Json[]>;
  const validators = await walk("validators");
  const delegators = await walk("delegators");
  return [
    ...validators.map((item) => ({ txHash: item.txHash, status: item.validationStatus, isDelegator: false, item })),
    ...delegators.map((item) => ({ txHash: item.txHash, status: item.delegationStatus, isDelegator: true, item })),
  ];
}
