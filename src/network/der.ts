/** DER, as far as certificates are read: elements with their tag and length. */

export const DER_INTEGER = 0x02;
export const DER_SEQUENCE = 0x30;
/** the first optional member of a structure */
export const DER_FIRST_OPTIONAL = 0xa0;

/** Where the content of an element begins and ends; undefined if there is no whole element with this tag. */
export function derElement(der: Buffer, at: number, tag: number): { readonly start: number; readonly end: number } | undefined {
  const first = der[at + 1];
  if (der[at] !== tag || first === undefined || first === 0x80) return undefined;
  const lengthBytes = first < 0x80 ? 0 : first & 0x7f;
  const start = at + 2 + lengthBytes;
  if (lengthBytes > 2 || start > der.length) return undefined;
  const end = start + (lengthBytes === 0 ? first : der.readUIntBE(at + 2, lengthBytes));
  return end <= der.length ? { start, end } : undefined;
}
