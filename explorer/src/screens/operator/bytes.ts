/** Sizes in binary units. */

const UNITS = ["B", "KiB", "MiB", "GiB", "TiB", "PiB"] as const;

/** `1.5 GiB` */
export function bytesText(bytes: number): string {
  let [value, unit] = [bytes, 0];
  while (value >= 1024 && unit < UNITS.length - 1) {
    value /= 1024;
    unit++;
  }
  return `${unit === 0 ? value : value.toFixed(1)} ${UNITS[unit]}`;
}
