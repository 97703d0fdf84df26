/**
 * The one base class of all errors that Firn raises on purpose.
 * `code` is stable and is what tests compare; `facts` are the values behind the message.
 */
export class FirnError extends Error {
  readonly code: string;
  readonly facts: Readonly<Record<string, unknown>>;

  constructor(code: string, message: string, facts: Record<string, unknown> = {}, options?: ErrorOptions) {
    super(message, options);
    this.name = new.target.name;
    this.code = code;
    this.facts = facts;
  }
}
