/** A few numbers as bars of a line's height: a picture beside a number, which says what it shows. */

interface BarsProps {
  /** in order of time */
  readonly values: readonly number[];
  /** what they are, as a sentence */
  readonly title: string;
}

const [WIDTH, GAP, HEIGHT] = [5, 1, 24];
/** so that few are not taken for none */
const LEAST = 2;

export function Bars({ values, title }: BarsProps) {
  const highest = Math.max(1, ...values);
  const heights = values.map((value) => (value === 0 ? 0 : Math.max(LEAST, (value / highest) * HEIGHT)));
  return (
    <svg class="bars" role="img" aria-label={title} viewBox={`0 0 ${values.length * (WIDTH + GAP)} ${HEIGHT}`}>
      <title>{title}</title>
      {heights.map((height, i) => (
        <rect key={i} x={i * (WIDTH + GAP)} y={HEIGHT - height} width={WIDTH} height={height} />
      ))}
    </svg>
  );
}
