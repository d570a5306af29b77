/** The judged content goes on unchanged. */
interface Pass {
  readonly kind: "pass";
}

/** The judged content is withheld. The model reads the reason instead. */
interface Deny {
  readonly kind: "deny";
  /** The protocol chooses it, independent of the rationale of a monitor. */
  readonly reason: string;
}

/** The trusted model's action takes its place. */
interface Replace {
  readonly kind: "replace";
  /** Whether the trusted model writes its own action, or edits the one that is judged. */
  readonly from: "scratch" | "edit";
}

/** A person, or a function in place of a person, looks at every sample of the decision. An attack ends the run. */
interface Audit {
  readonly kind: "audit";
}

/** The run ends: no request and no effect follows. */
interface ShutDown {
  readonly kind: "shutDown";
  /** For people. The model does not read it. */
  readonly reason: string;
}

/** Further responses are sampled from the same context, and the chosen one is judged. */
interface Resample {
  readonly kind: "resample";
  /** Number of further responses, at least 1. */
  readonly k: number;
  /** The sample that is judged next: of all samples at this place, or the last one. */
  readonly choose: "leastSuspicious" | "newest";
}

/** Another content takes its place, and the model gets the reason. */
type Modify<Content> = Content & {
  readonly kind: "modify";
  /** The model reads it. */
  readonly reason: string;
};

/** The verdict about a response. Nothing of it ran, so it can be sampled again. */
export type ResponseVerdict =
  | Pass
  | Deny
  | Replace
  | Audit
  | ShutDown
  | Resample
  | Modify<{ readonly text: string }>;

/** The verdict about a call. Other calls of its response may have run, so the response is not sampled again. */
export type CallVerdict =
  | Pass
  | Deny
  | Replace
  | Audit
  | ShutDown
  | Modify<{ readonly input: Readonly<Record<string, unknown>> }>;

/** The verdict about a result. Its call ran, so it can't be replaced or sampled again. */
export type ResultVerdict = Pass | Deny | Audit | ShutDown | Modify<{ readonly result: string }>;

/** A verdict with the next state of the protocol. */
export interface Decision<Verdict, State> {
  readonly verdict: Verdict;
  readonly state: State;
}
