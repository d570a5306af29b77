import type { Change } from "../../machines/task/change.ts";
import type { TaskContext } from "../../machines/task/task.context.ts";
import type { CallIn, ValidReview } from "../../machines/tool-call/call.ts";
import type { TaskIntent } from "../../machines/tool-call/intent.ts";
import type { Fault } from "./seeded-faults.ts";

const REQUIRED = {
  input: { intent: { stage: "required" }, completion: "end_turn" },
  bounds: { turns: 1, queued: 0, interruptions: 0, tools: ["write", "delegate", "select"] },
} as const;

const SELECTED = {
  input: { ...REQUIRED.input, intent: { stage: "selected", id: "A" } },
  bounds: { ...REQUIRED.bounds, tools: ["write", "command", "select"] },
} as const;

type Judged = readonly [context: TaskContext, call: CallIn<"deciding" | "amending">, review: ValidReview];

const inIntent = (name: string, replace: NonNullable<Fault["replace"]>): Fault => ({
  name,
  law: "INTENT",
  ...SELECTED,
  file: "task/intent.ts",
  replace,
});

const inVerdict = (name: string, replace: NonNullable<Fault["replace"]>): Fault => ({
  ...inIntent(name, replace),
  file: "task/verdict.ts",
});

/** Judges a call as one of another intent, or of a task without intents. */
const judgedWith = (name: string, intent: (context: TaskContext) => TaskIntent | null): Fault =>
  inVerdict(name, ({ verdictOn }) => ({
    verdictOn: (...[context, call, review]: Judged) =>
      verdictOn({ ...context, intent: intent(context) }, call, review),
  }));

/** Judges a call by another finding. */
const foundAs = (name: string, find: (context: TaskContext, review: ValidReview) => ValidReview["intent"]) =>
  inVerdict(name, ({ verdictOn }) => ({
    verdictOn: (...[context, call, review]: Judged) =>
      verdictOn(context, call, { ...review, intent: find(context, review) }),
  }));

const ofNow = ({ intent }: TaskContext): ValidReview["intent"] =>
  intent?.stage === "selected" ? { kind: "owned", id: intent.id } : undefined;

/** Deliberate bugs in what an intent permits. */
export const INTENT_FAULTS: readonly Fault[] = [
  { ...judgedWith("effect started before an intent is selected", () => null), ...REQUIRED },
  {
    ...inVerdict("subtask delegated before an intent is selected", ({ verdictOn }) => ({
      verdictOn: (...[context, call, review]: Judged) =>
        review.effect === "delegates" ? review.verdict : verdictOn(context, call, review),
    })),
    ...REQUIRED,
  },
  foundAs("refused call left to the policy", (context, { intent }) =>
    intent?.kind === "refused" ? ofNow(context) : intent,
  ),
  foundAs("finding of another intent accepted", (context, { intent }) =>
    intent?.kind === "owned" ? ofNow(context) : intent,
  ),
  {
    ...foundAs("mode bypass allows a call of unknown scope", (context, { intent }) =>
      intent?.kind === "unscoped" ? ofNow(context) : intent,
    ),
    bounds: { ...SELECTED.bounds, permits: true, tools: ["command"] },
  },
  {
    ...inVerdict("amended call judged without its intent", ({ verdictOn }) => ({
      verdictOn: (...[context, call, review]: Judged) =>
        review.edit === undefined ? verdictOn(context, call, review) : review.verdict,
    })),
    bounds: { ...SELECTED.bounds, amends: true, tools: ["write"] },
  },
  {
    ...inIntent("intent selected without a revision", ({ selectIntent }) => ({
      selectIntent: (change: Change, call: CallIn<"approved">, id: string) => {
        const { permissions } = change.context;
        selectIntent(change, call, id);
        change.set({ permissions });
      },
    })),
    bounds: { ...SELECTED.bounds, calls: 2, blocks: 2, tools: ["write", "select"] },
  },
  {
    ...inVerdict("call refused before an earlier one could select an intent", () => ({
      mayBeLifted: () => false,
    })),
    ...REQUIRED,
    bounds: { ...REQUIRED.bounds, calls: 2, blocks: 2, tools: ["write", "select"] },
  },
  inIntent("selected intent left as it was", ({ selectIntent }) => ({
    selectIntent: (change: Change, call: CallIn<"approved">, id: string) => {
      const { intent } = change.context;
      selectIntent(change, call, id);
      change.set({ intent });
    },
  })),
  {
    ...inIntent("intent selected although a person denied the call", () => ({})),
    file: "task/approval.ts",
    replace: ({ rejectCall }) => ({
      rejectCall: (change: Change) => {
        for (const call of change.context.turn.calls)
          if (call.phase === "asking" && call.review.selectsIntent !== undefined)
            change.set({ intent: { stage: "selected", id: call.review.selectsIntent } });
        rejectCall(change);
      },
    }),
  },
  {
    ...inIntent("selected intent lost by a crash", () => ({})),
    file: "task/recovery.ts",
    replace: ({ recover }) => ({
      recover: (change: Change) => {
        recover(change);
        change.set({ intent: { stage: "required" } });
      },
    }),
    bounds: { ...SELECTED.bounds, crashes: 1 },
  },
  {
    ...inIntent("intents left out by a crash", () => ({})),
    ...REQUIRED,
    file: "task/recovery.ts",
    replace: ({ recover }) => ({
      recover: (change: Change) => {
        recover(change);
        change.set({ intent: null });
      },
    }),
    bounds: { ...REQUIRED.bounds, crashes: 1 },
  },
  {
    ...inIntent("intent missing from every commit", () => ({})),
    law: "L11",
    file: "task/commit.ts",
    replace: ({ factsIn }) => ({
      factsIn: ({ intent: _, ...patch }: Partial<TaskContext>) => factsIn(patch),
    }),
  },
];
