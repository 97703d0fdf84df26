/** The task of the verifying process, passed as JSON in an environment variable. */
export const VERIFY_TASK = "FIRN_VERIFY_TASK";

export interface VerifyTask {
  readonly directory: string;
  readonly scratch: string;
  /** null: until all blocks are executed */
  readonly replaySeconds: number | null;
  readonly json: boolean;
}
