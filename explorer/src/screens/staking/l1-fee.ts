/**
 * How long the balance of an L1 validator lasts (chain-rules 8.3) while the price stays what it is: every second costs it, and the validator
 * becomes inactive once it cannot pay the next whole second. The price stays if as many validators are active as the target says, or if it is
 * already the lowest and there are no more than that.
 */

/** Whole seconds that a balance pays for; undefined: for ever. @param price nAVAX a second */
export function secondsPaid(balance: bigint, price: bigint): bigint | undefined {
  return price === 0n ? undefined : balance / price;
}

/** Later times are not dates. */
const LATEST_DATE = 8_640_000_000_000n;

/** When the balance is used up, in Unix seconds; undefined: never, or later than a date can be. @param at when the balance was what it is */
export function paidUntil(balance: bigint, price: bigint, at: number): number | undefined {
  const seconds = secondsPaid(balance, price);
  if (seconds === undefined || BigInt(at) + seconds > LATEST_DATE) return undefined;
  return at + Number(seconds);
}

/** nAVAX for 30 days at a price. */
export function monthlyCost(price: bigint): bigint {
  return price * 30n * 86_400n;
}
