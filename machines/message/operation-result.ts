/**
 * The result of an operation on a task: done, with what came of it, or refused. A refusal has a code and says in words what to do;
 * it changes nothing.
 */
export type OperationResult<TCode extends string, TDone = unknown> =
  | ({ readonly ok: true } & TDone)
  | { readonly ok: false; readonly code: TCode; readonly message: string };
