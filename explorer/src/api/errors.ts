/** What the API says when it does not answer. Its own sentence is shown to the user. */
export class ApiError extends Error {
  /** HTTP status; 0: there was no answer */
  readonly status: number;

  constructor(status: number, message: string) {
    super(message);
    this.name = "ApiError";
    this.status = status;
  }

  /** The thing that was asked for does not exist. */
  get isNotFound(): boolean {
    return this.status === 404;
  }

  /** The request cannot succeed before it is changed, so asking again is useless. */
  get isFinal(): boolean {
    return this.status >= 400 && this.status < 500 && this.status !== 429;
  }
}
