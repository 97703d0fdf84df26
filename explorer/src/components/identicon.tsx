/** A picture that tells one address from another at a glance: squares, mirrored, in a colour, all from its bytes. It proves nothing. */

const [COLUMNS, ROWS] = [3, 5];
const WIDTH = 2 * COLUMNS - 1;

/** @param of 0x and hex */
export function Identicon({ of }: { readonly of: string }) {
  const bits = BigInt(/^0x[0-9a-f]{1,40}$/i.test(of) ? of : 0);
  const cells = Array.from({ length: COLUMNS * ROWS }, (_, i) => ((bits >> BigInt(i * 4)) & 1n) === 1n);
  const squares = cells.flatMap((isFilled, i) => {
    const [x, y] = [i % COLUMNS, Math.floor(i / COLUMNS)];
    return isFilled
      ? x === COLUMNS - 1
        ? [[x, y]]
        : [
            [x, y],
            [WIDTH - 1 - x, y],
          ]
      : [];
  });
  return (
    <svg class="identicon" viewBox={`0 0 ${WIDTH} ${ROWS}`} aria-hidden="true" fill={`hsl(${(bits >> 80n) % 360n} 60% 50%)`}>
      {squares.map(([x, y]) => (
        <rect key={`${x} ${y}`} x={x} y={y} width="1" height="1" />
      ))}
    </svg>
  );
}
