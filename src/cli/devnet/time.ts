export const timeGroup = { name: "time", summary: "show or move the clock of a running devnet" };

/** The result of the methods that move the clock. */
export interface ClockReply {
  /** `2027-01-31T12:00:00Z` */
  readonly time: string;
  /** seconds */
  readonly unixTime: number;
}
