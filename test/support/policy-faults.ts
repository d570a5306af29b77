import type { Change } from "../../machines/task/change.ts";
import type { TaskContext } from "../../machines/task/task.context.ts";
import type { CallIn, Review, StartJudgement } from "../../machines/tool-call/call.ts";
import { faultyStep } from "./faulty-step.ts";
import type { Fault } from "./seeded-faults.ts";

/** A task with policies over time. A second turn may break a clause. */
const JUDGED = {
  bounds: { turns: 2, queued: 0, interruptions: 0, hooks: true, tools: ["write"] },
  input: { hooks: ["beforeTool"], policies: true },
} as const satisfies Partial<Fault>;

/** Applies other judgements than those that were made. */
const judging =
  (to: (start: StartJudgement) => StartJudgement): NonNullable<Fault["replace"]> =>
  ({ applyJudgement }) => ({
    applyJudgement: (change: Change, call: CallIn<"judging">, review: Review) =>
      applyJudgement(
        change,
        call,
        review.valid && review.start !== undefined ? { ...review, start: to(review.start) } : review,
      ),
  });

/** Deliberate bugs in how policies over time judge the calls of a task. */
export const POLICY_FAULTS: readonly Fault[] = [
  {
    name: "call started before policies over time judged it",
    law: "ONE",
    ...JUDGED,
    file: "task/judged.ts",
    replace: () => ({ needsJudgement: () => false, assertJudged: () => {} }),
  },
  {
    name: "objection of a policy over time ignored",
    law: "ONE",
    ...JUDGED,
    file: "task/judging.ts",
    replace: judging(({ facts }) => ({ facts })),
  },
  {
    name: "yes of a person judged as that of a rule",
    law: "ONE",
    ...JUDGED,
    file: "task/judging.ts",
    replace: judging(({ facts, policy }) => ({
      facts,
      ...(policy !== undefined && { policy, person: policy }),
    })),
  },
  {
    name: "what a person said with an approval lost where a policy over time denies after it",
    law: "L7",
    ...JUDGED,
    file: "tool-call/feedback.ts",
    replace: ({ withFeedback }) => ({
      withFeedback: ({ approval: _, ...call }: CallIn<"judging">, outcome: unknown) =>
        withFeedback(call, outcome),
    }),
  },
  {
    name: "judgement before an ask used after its answer",
    law: "ONE",
    ...JUDGED,
    ...faultyStep("approved", (step) => (call, event) => ({
      judged: { facts: { effect: call.review.effect } },
      ...step(call, event),
    })),
  },
  {
    name: "judgement before a snapshot used after it",
    law: "ONE",
    ...JUDGED,
    input: { policies: true, checkpoints: true },
    ...faultyStep("postponed", () => (call) => call),
  },
  {
    name: "call judged while another is reviewed",
    law: "ONE",
    bounds: { turns: 1, calls: 2, blocks: 2, queued: 0, interruptions: 0, tools: ["write"] },
    input: { policies: true },
    file: "task/schedule.ts",
    replace: async ({ nextStep }) => {
      const { dueCall } = await import("../../machines/task/turn.ts");
      return {
        nextStep: (context: TaskContext) => {
          const step = nextStep(context);
          const call = dueCall(context);
          const waitsForReview =
            step.kind === "wait" && step.call?.phase === "deciding" && call?.phase === "decided";
          return waitsForReview ? { kind: "judge", call } : step;
        },
      };
    },
  },
  {
    name: "facts that were judged missing from the record",
    law: "ONE",
    ...JUDGED,
    ...faultyStep(
      "started",
      (step) =>
        ({ judged: _, ...call }, event) =>
          step(call, event),
    ),
  },
];
