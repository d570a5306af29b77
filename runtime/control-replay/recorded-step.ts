import type { ProposedCall } from "../../control/facts.ts";
import type { Scores } from "../../control/monitor.ts";
import type { Author } from "../../machines/tool-call/control.ts";

interface Step {
  readonly taskId: string;
  /** The request of the response. */
  readonly requestId: string;
  readonly author: Author;
  /** Digest of exactly what is judged. */
  readonly digest: string;
  /** The number of the record in which it was decided; of a response, the record that completed it. */
  readonly record: number;
  /** The scores of the journal, if a protocol judged at this point. */
  readonly recorded: Scores;
  /** The verdict of that protocol. Absent: none judged here. */
  readonly verdict?: string;
}

/** A response of a recorded task. */
export interface ResponseStep extends Step {
  readonly point: "response";
  readonly text: string;
  readonly calls: readonly ProposedCall[];
}

/** A call of a recorded task, with the arguments that it had when it ran. */
export interface CallStep extends Step, ProposedCall {
  readonly point: "call";
  readonly callId: string;
}

/** The result of a call of a recorded task. */
export interface ResultStep extends Step, ProposedCall {
  readonly point: "result";
  readonly callId: string;
  readonly result: string;
}

/** A point of a recorded task at which a protocol decides. */
export type RecordedStep = ResponseStep | CallStep | ResultStep;
