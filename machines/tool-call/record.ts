import type { CallIdentity, Feedback, Input, Outcome } from "./call.ts";

/** What a journal remembers of a call once its answer came whole: enough to settle it after a crash (L12). */
export type RecordedCall = CallIdentity &
  (
    | { readonly phase: "asking" }
    | {
        readonly phase: "running" | "stopped";
        readonly replayable: boolean;
        readonly feedback?: Feedback;
        /** How it ended, where its runner recorded that. */
        readonly end?: Outcome["content"] | "uncertain";
      }
    | {
        readonly phase: "delegated";
        readonly input: Input;
        readonly childId: string;
        readonly feedback?: Feedback;
      }
    | { readonly phase: "settled"; readonly outcome: Outcome }
  );
