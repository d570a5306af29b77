import type { Author } from "../machines/tool-call/control.ts";
import type { Scores } from "./monitor.ts";

interface Facts {
  readonly author: Author;
  /** Digest of exactly what is judged. */
  readonly digest: string;
  /** Number from 0 to below 1, drawn for this decision from the seed of the run. */
  readonly chance: number;
}

/** A tool call as a protocol sees it. */
export interface ProposedCall {
  readonly tool: string;
  readonly input: Readonly<Record<string, unknown>>;
}

/** The facts about a response, before its text is shown. `S`: the scores of one sample. */
export interface ResponseFacts<S extends Scores = Scores> extends Facts {
  readonly text: string;
  readonly calls: readonly ProposedCall[];
  /** Scores of all responses that were sampled at this place, oldest first: the judged one is one of them. */
  readonly samples: readonly S[];
}

/** The facts about a tool call, before it runs. */
export interface CallFacts extends Facts, ProposedCall {}

/** The facts about the result of a tool call, before the model sees it. */
export interface ResultFacts extends Facts, ProposedCall {
  readonly result: string;
}
