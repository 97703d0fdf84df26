export const timeGroup = { name: "time", summary: "the clock of a running devnet" };

/** What the methods that move the clock answer. */
export interface ClockReply {
  /** `2027-01-31T12:00:00Z` */
  readonly time: string;
  /** seconds */
  readonly unixTime: number;
}
