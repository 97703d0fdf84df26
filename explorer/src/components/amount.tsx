/** Amounts, exact to the last digit. */
import { ChainText } from "./chain-text.tsx";

/** nAVAX per AVAX is 10^9. */
export const AVAX_DECIMALS = 9;
/** A contract can name more decimals than any amount has digits. */
const MOST_DECIMALS = 255;

/**
 * An amount as a decimal number: `1,234.5` for 1234500000000n with 9 decimals. Trailing zeros of the fraction are left out.
 * @param amount in the smallest unit
 */
export function decimal(amount: bigint, decimals: number): string {
  const digits = `${amount < 0n ? -amount : amount}`.padStart(decimals + 1, "0");
  const whole = digits.slice(0, digits.length - decimals).replace(/\B(?=(\d{3})+$)/g, ",");
  const fraction = digits.slice(digits.length - decimals).replace(/0+$/, "");
  return `${amount < 0n ? "-" : ""}${whole}${fraction === "" ? "" : `.${fraction}`}`;
}

/** A count or a height with separators. */
export function count(value: number | string | bigint): string {
  return decimal(BigInt(value), 0);
}

export interface AmountProps {
  /** in the smallest unit, as the API has it */
  readonly value: string | bigint;
  readonly decimals?: number | undefined;
  readonly symbol?: string | undefined;
}

export function Amount({ value, decimals = 0, symbol }: AmountProps) {
  const places = Math.min(Math.max(Math.trunc(Number(decimals)) || 0, 0), MOST_DECIMALS);
  return (
    <span class="amount">
      <data value={`${value}`}>{decimal(BigInt(value), places)}</data>
      {symbol !== undefined && symbol !== "" && (
        <>
          {" "}
          <span class="unit">
            <ChainText text={symbol} longest={24} />
          </span>
        </>
      )}
    </span>
  );
}

/** nAVAX, shown in AVAX. */
export function Avax({ value }: { readonly value: string | bigint }) {
  return <Amount value={value} decimals={AVAX_DECIMALS} symbol="AVAX" />;
}
