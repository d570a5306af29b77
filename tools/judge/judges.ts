import type { Opinion } from "../../machines/judge/opinion.ts";
import type { TaskJudgeName } from "../../machines/task/verdict.ts";
import type { CallPath } from "../../machines/tool-call/call.ts";
import type { PermissionMode } from "../../machines/tool-call/permissions.ts";
import type { Modes } from "../modes/modes.ts";
import { validateToolUse } from "../modes/validate-tool-use.ts";
import type { JudgeLine } from "../policy/policy.ts";
import type { JudgedCall } from "./call.ts";
import { confinementError } from "./confinement.ts";
import { ask } from "./grounds.ts";
import { permissionModeOpinion } from "./permission-mode.ts";
import { type MatchedRules, rulesOpinion } from "./rules.ts";

/** The state that judges read besides the call. A judge has no opinion where the field that it reads is absent. */
export interface JudgeState {
  /** The mode of the task, its modes, and why no subtask can be started. */
  readonly use?: { readonly mode: string; readonly modes: Modes; readonly subtasksUnavailable?: string };
  /** The paths that the model's call names, if a person amended it. */
  readonly named?: readonly CallPath[];
  /** The reason why the call can't select the intent that it names. */
  readonly selectionError?: string;
  /** The reason why the call can't give its subtask what it names. */
  readonly subtaskError?: string;
  readonly rules?: MatchedRules;
  readonly permissionMode?: PermissionMode;
}

/** A pure function of the facts of a call and the state. The stage `call` precedes each policy; `permissions` has the stage `policy`. */
interface PureJudge {
  readonly stage: "call" | "policy";
  readonly opinion: (call: JudgedCall, state: JudgeState) => Opinion | undefined;
}

/** A judge whose state only a running task has: the task machine applies what it says. */
interface TaskJudge {
  readonly stage: "task";
}

/** A judge of tool calls. `decides`: one line, for the guide. */
export type Judge = (PureJudge | TaskJudge) & { readonly name: string; readonly decides: string };

/** The rule of refusals that name a path. */
export const CONFINEMENT = "confinement";

const JUDGES_OF_THE_TASK: Readonly<Record<TaskJudgeName, Pick<Judge, "name" | "decides">>> = {
  scope: {
    name: "scope of the intent",
    decides: "denies a call before an intent is selected, and a write outside its scope",
  },
  person: { name: "person", decides: "asks a person each question, whatever a policy says" },
  policy: {
    name: "policy",
    decides: "says what the policy said: the judges above, or one of your own",
  },
  plan: { name: "mode `plan`", decides: "denies changes, whatever a policy says" },
  bypass: {
    name: "mode `bypass`",
    decides: "decides in place of a person, but not about a call of unknown scope once intents are in use",
  },
  approval: {
    name: "approval",
    decides: "asks about a call whose tool needs approval, whatever is permitted",
  },
  hooks: { name: "hooks", decides: "deny, ask or amend; a hook that allows permits nothing by itself" },
  withdrawn: {
    name: "withdrawn ask",
    decides: "asks again about a call whose ask was withdrawn without an answer",
  },
  overTime: {
    name: "policies over time",
    decides: "denies a call that breaks a clause, or asks if a person may permit it",
  },
};

/** The judges of a call, in the order in which their opinions are named as the reason. */
export const JUDGES: readonly Judge[] = [
  {
    name: "mode",
    stage: "call",
    decides: "denies what the mode of the task does not permit",
    opinion: ({ tool, input, description: { paths }, workspace }, { use }) => {
      if (use === undefined) return undefined;
      const error = validateToolUse({ ...use, tool, call: { input, paths, workspace } });
      return refusal(
        `mode ${use.mode}`,
        error ?? (tool.effect === "delegates" ? use.subtasksUnavailable : undefined),
      );
    },
  },
  {
    name: "confinement",
    stage: "call",
    decides:
      "denies a path of a file tool outside the workspace or in `.rooignore`, and one that an amendment adds",
    opinion: (call, { named }) => refusal(CONFINEMENT, confinementError(call, named)),
  },
  {
    name: "intent",
    stage: "call",
    decides: "denies the selection of an intent that is not active",
    opinion: (_, { selectionError }) => refusal("intents", selectionError),
  },
  {
    name: "subtask",
    stage: "call",
    decides: "denies a subtask with a tool that its parent lacks",
    opinion: (_, { subtaskError }) => refusal("subtasks", subtaskError),
  },
  {
    name: "question",
    stage: "policy",
    decides: "asks a person each question, and whether they accept the completion of the root task",
    opinion: ({ tool, isSubtaskCompletion }) =>
      tool.effect === "asks" && !isSubtaskCompletion
        ? { level: "question", ...ask("a person answers questions and accepts completions") }
        : undefined,
  },
  {
    name: "rules",
    stage: "policy",
    decides: "denies, asks or allows by rules; asks about protected files and commands that can't be judged",
    opinion: (call, { rules }) => rules && rulesOpinion(call, rules),
  },
  {
    name: "permission mode",
    stage: "policy",
    decides: "`plan` denies changes, `auto-edit` and `auto` allow, `bypass` decides in place of a person",
    opinion: (call, { rules, permissionMode }) =>
      rules && permissionMode && permissionModeOpinion(permissionMode, call, rules),
  },
  ...Object.values(JUDGES_OF_THE_TASK).map((judge) => ({ stage: "task", ...judge }) as const),
];

/** The opinion of each judge of a stage, in their order; undefined where it has none. */
export const opinionsByJudge = (
  stage: PureJudge["stage"],
  call: JudgedCall,
  state: JudgeState,
): readonly { readonly judge: string; readonly opinion: Opinion | undefined }[] =>
  JUDGES.flatMap((judge) =>
    judge.stage === stage ? { judge: judge.name, opinion: judge.opinion(call, state) } : [],
  );

/** The opinion of a judge as an explanation lists it. */
export const judgeLine = ({ judge, opinion }: ReturnType<typeof opinionsByJudge>[number]): JudgeLine => ({
  judge,
  level: opinion?.level ?? null,
  because: opinion?.because ?? null,
});

/** The opinions of the judges of a stage that have one, in their order. */
export const opinionsOf = (
  stage: PureJudge["stage"],
  call: JudgedCall,
  state: JudgeState,
): readonly Opinion[] => opinionsByJudge(stage, call, state).flatMap(({ opinion }) => opinion ?? []);

/** A denial that the model gets as it is. */
const refusal = (rule: string, reason: string | undefined): Opinion | undefined =>
  reason === undefined
    ? undefined
    : { level: "denial", verdict: { kind: "deny", rule, reason }, because: `denied by ${rule}: ${reason}` };
