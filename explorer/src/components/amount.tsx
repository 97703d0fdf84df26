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

/** As many digits are seen where an amount is one of many, and as many zeros before them. */
const [SIGNIFICANT_DIGITS, MOST_ZEROS] = [6, 8];

export interface DigitGroup {
  readonly digits: string;
  /** zeros or last digits, which are left out where there is little room */
  readonly isRest: boolean;
}

/** A decimal number in groups, as `decimal` makes it: six significant digits are seen, though never less than the whole part. */
export function digitGroups(text: string): readonly DigitGroup[] {
  const [whole = "", fraction = ""] = text.split(".");
  const inWhole = /^-?0$/.test(whole) ? 0 : whole.replace(/\D/g, "").length;
  const zeros = inWhole > 0 ? 0 : /^0*/.exec(fraction)![0].length;
  const seen = inWhole > 0 ? Math.max(0, SIGNIFICANT_DIGITS - inWhole) : zeros + SIGNIFICANT_DIGITS;
  if (zeros > MOST_ZEROS) {
    return [
      { digits: `${whole}.0`, isRest: false },
      { digits: fraction.slice(1, zeros), isRest: true },
      { digits: fraction.slice(zeros, seen), isRest: false },
      { digits: fraction.slice(seen), isRest: true },
    ].filter(({ digits }) => digits !== "");
  }
  const point = fraction === "" ? "" : ".";
  if (seen === 0 && fraction !== "") return [group(whole, false), group(`.${fraction}`, true)];
  return [
    group(`${whole}${point}${fraction.slice(0, seen)}`, false),
    ...(fraction.length > seen ? [group(fraction.slice(seen), true)] : []),
  ];
}

function group(digits: string, isRest: boolean): DigitGroup {
  return { digits, isRest };
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

/** Whole on the pages of one thing, as a tooltip, and when it is copied; in lists and sentences its first digits are seen. */
export function Amount({ value, decimals = 0, symbol }: AmountProps) {
  const places = Math.min(Math.max(Math.trunc(Number(decimals)) || 0, 0), MOST_DECIMALS);
  const whole = decimal(BigInt(value), places);
  const groups = digitGroups(whole);
  return (
    <span class="amount">
      <data value={`${value}`} title={groups.length === 1 ? undefined : whole}>
        {groups.map(({ digits, isRest }, i) =>
          isRest ? (
            <span key={i} class={i === 1 && groups.length > 2 ? "rest between" : "rest"}>
              {digits}
            </span>
          ) : (
            digits
          ),
        )}
      </data>
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
