/** What a task did not take: an answer, a message for its queue. `code` says why, as where the task itself is used. */
export class Refused extends Error {
  readonly code: string;
  constructor({ code, message }: { readonly code: string; readonly message: string }) {
    super(message);
    this.name = "Refused";
    this.code = code;
  }
}
