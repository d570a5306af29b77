import type { IsolatedFiles } from "../conversation/isolated-files.ts";
import type {
  Amendment,
  CallIn,
  Decision,
  Feedback,
  Hooked,
  Input,
  Notice,
  Outcome,
  Phase,
  StartJudgement,
  ValidReview,
} from "./call.ts";
import type { TrustedCall } from "./control.ts";
import type { Grant } from "./grant.ts";

/** An event of one tool call. */
export type ToolCallEvent =
  /** Its arguments are complete. */
  | { readonly type: "completed"; readonly input: Input }
  /** The review found nothing against it. */
  | { readonly type: "reviewed"; readonly review: ValidReview }
  /** The review found nothing against the arguments of a person. */
  | { readonly type: "amendment.reviewed"; readonly review: ValidReview }
  /** The permissions have changed: its ask is withdrawn, and it is reviewed again. */
  | { readonly type: "permissions.changed" }
  | { readonly type: "hooks.started" }
  /** No hook denied it. */
  | { readonly type: "hooks.passed"; readonly hooked: Hooked }
  /** A hook replaced its arguments. */
  | {
      readonly type: "hooks.amended";
      readonly input: Input;
      readonly amendedBy: string;
      readonly trusted?: TrustedCall | undefined;
    }
  /** Policies over time judge it. */
  | { readonly type: "judging.started" }
  /** Policies over time permit it, or require that a person is asked. */
  | { readonly type: "judging.passed"; readonly review: ValidReview; readonly judged: StartJudgement }
  /** A person is asked by the message `row`. */
  | { readonly type: "asked"; readonly row: number }
  /** A rule or a person permits it. */
  | {
      readonly type: "approved";
      readonly row: number;
      readonly decision: Decision;
      readonly feedback?: Feedback | undefined;
    }
  /** A person permits it with other arguments: the decision is bound to these (L7). */
  | {
      readonly type: "amended";
      readonly amendment: Amendment;
      readonly decision: Decision;
      readonly feedback?: Feedback | undefined;
    }
  /** Its start waits, and it is judged again before it. */
  | { readonly type: "postponed" }
  | { readonly type: "started" }
  | {
      readonly type: "delegated";
      readonly childId: string;
      readonly grant: Grant | undefined;
      readonly isolation: IsolatedFiles | undefined;
    }
  /** Its subtask does not work now: it is paused, or can't be opened. */
  | { readonly type: "left"; readonly because: "paused" | "unavailable" }
  /** Its subtask works again. */
  | { readonly type: "continued" }
  /** The task stopped it: the result is known when the next request is prepared. */
  | { readonly type: "stopped" }
  /** It ended, and hooks check its result. */
  | {
      readonly type: "ended";
      readonly outcome: Outcome;
      readonly unseen: Outcome;
      readonly notice?: Notice | undefined;
    }
  /** It has its result. */
  | { readonly type: "settled"; readonly outcome: Outcome; readonly notice?: Notice | undefined };

export type ToolCallEventType = ToolCallEvent["type"];
export type ToolCallEventOf<T extends ToolCallEventType> = Extract<ToolCallEvent, { type: T }>;

/**
 * The transitions of a call: the next phase by phase and event. Where there are two next phases, a call that a person or a rule
 * has approved enters the first. A phase takes no other events than those it names.
 */
export const CALL_TABLE = {
  planned: { completed: "deciding", settled: "settled" },
  deciding: { reviewed: "decided", "permissions.changed": "deciding", settled: "settled" },
  decided: {
    "hooks.started": "hooking",
    "judging.started": "judging",
    asked: "asking",
    approved: "approved",
    "permissions.changed": "deciding",
    settled: "settled",
  },
  hooking: {
    "hooks.passed": ["approved", "decided"],
    "hooks.amended": "deciding",
    settled: "settled",
  },
  judging: {
    "judging.passed": ["approved", "decided"],
    "permissions.changed": "deciding",
    settled: "settled",
  },
  asking: {
    approved: "approved",
    amended: "amending",
    "permissions.changed": "deciding",
    settled: "settled",
  },
  amending: { "amendment.reviewed": "approved", "permissions.changed": "deciding", settled: "settled" },
  approved: {
    "hooks.started": "hooking",
    "judging.started": "judging",
    postponed: "approved",
    started: "running",
    delegated: "delegated",
    "permissions.changed": "deciding",
    settled: "settled",
  },
  running: { stopped: "stopped", ended: "ended", settled: "settled" },
  stopped: { settled: "settled" },
  delegated: { left: "delegated", continued: "delegated", settled: "settled" },
  ended: { settled: "settled" },
  settled: {},
} as const satisfies Readonly<
  Record<Phase, Readonly<Partial<Record<ToolCallEventType, Phase | readonly [Phase, Phase]>>>>
>;

type Table = typeof CALL_TABLE;

/** The phases that take an event. */
export type PhaseTaking<T extends ToolCallEventType> = {
  [P in Phase]: T extends keyof Table[P] ? P : never;
}[Phase];

/** The phases that an event leads to. */
export type PhaseAfter<T extends ToolCallEventType> = {
  [P in Phase]: T extends keyof Table[P] ? Named<Table[P][T]> : never;
}[Phase];

type Named<T> = T extends Phase ? T : T extends readonly (infer P extends Phase)[] ? P : never;

export type CallTaking<T extends ToolCallEventType> = CallIn<PhaseTaking<T>>;
export type CallAfter<T extends ToolCallEventType> = CallIn<PhaseAfter<T>>;
