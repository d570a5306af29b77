import type { ConversationEvent } from "../../machines/conversation/conversation.ts";
import { emptyParts, partsOf } from "../../machines/task/commit.ts";
import type { CallIdentity, Objection, ValidReview } from "../../machines/tool-call/call.ts";
import type { Approver, PolicyEvent, ProtocolDecision } from "../../tools/temporal/event.ts";
import { atMost, event } from "../../tools/temporal/formula.ts";
import { compilePolicies, type PolicyMonitor } from "../../tools/temporal/monitor.ts";
import { formatBrokenClause, type PolicyVerdict, type TemporalPolicy } from "../../tools/temporal/policy.ts";
import { compileFormulas, patternsIn } from "../../tools/temporal/program.ts";
import { type RecordedStep, TaskEvents } from "../../tools/temporal/task-events.ts";
import type { ScoreCuts } from "../../verify/bounds.ts";
import type { Objections, PathLaw, PathMemory, Step, View } from "../../verify/laws/law.ts";
import { TOOLS } from "../../verify/tools.ts";
import { formatEvent } from "../log/policy-check.ts";

/** A law for each clause of policies over time, named by its policy and itself. `isEnforced`: the explored task has the policies. */
export const policyLaws = (policies: readonly TemporalPolicy[], isEnforced: boolean): readonly PathLaw[] =>
  policies.flatMap(({ name, clauses }) =>
    clauses.map((clause): PathLaw => {
      const { start } = compilePolicies([{ name, clauses: [clause] }]);
      const memory = { monitor: start(), events: new TaskEvents({ effectOf }), calls: "" };
      return { id: name, title: clause.name, start: memoryOf(memory, isEnforced) };
    }),
  );

/** The scores that policies compare with the score of each monitor, by its name. */
export function scoreCutsOf(policies: readonly TemporalPolicy[]): ScoreCuts {
  const program = compileFormulas(policies.flatMap(({ clauses }) => clauses.map(({ always }) => always)));
  const cuts = new Map<string, readonly number[]>();
  for (const { score = {} } of patternsIn(program))
    for (const [monitor, { over }] of Object.entries(score))
      cuts.set(monitor, [...(cuts.get(monitor) ?? []), over]);
  return Object.fromEntries([...cuts].map(([monitor, all]) => [monitor, [...new Set(all)]]));
}

/** The policy over time that the environment of an exploration judges by. */
const EXPLORED_POLICY: TemporalPolicy = {
  name: "explored",
  clauses: (["person", "policy"] as const).map((by) => ({
    name: `one start by a ${by}`,
    always: atMost(1, event({ event: "call.started", by })),
  })),
};

/** Law ONE on whole paths: the monitor over the commits finds no start that breaks the explored policy. */
export const exploredPolicyLaws = ({ id, title }: Pick<PathLaw, "id" | "title">): readonly PathLaw[] =>
  policyLaws([EXPLORED_POLICY], false).map(({ start }) => ({ id, title, start }));

/** The effect of a tool of the explored task. */
const effectOf = (tool: string) => TOOLS.find(({ name }) => name === tool)?.effect;

interface Memory {
  readonly monitor: PolicyMonitor;
  readonly events: TaskEvents;
  /** The state of the calls that are not over. */
  readonly calls: string;
  /** The judge of the call that is about to start, as it was when the judgement began. */
  readonly judge?: Judge;
}

/** A monitor that judges a call, and the newest decision of the protocol about the call. */
interface Judge {
  readonly monitor: PolicyMonitor;
  readonly decision: ProtocolDecision;
}

const memoryOf = (memory: Memory, isEnforced: boolean): PathMemory => ({
  key: [memory.monitor.key, memory.calls, ...keyOf(memory.judge)].join(" "),
  after: (step) => {
    const events = memory.events.copy();
    const monitor = memory.monitor.copy();
    let violation: string | undefined;
    for (const happened of events.eventsIn(recordedStep(step))) {
      monitor.add(happened);
      violation ??= violationOf(monitor, happened);
    }
    const now = { monitor, events, calls: events.key(numberIn(step.after)) };
    const judge = isEnforced ? judgeAfter(step, now, memory.judge) : undefined;
    const after = { ...now, ...(judge && { judge }) };
    return { memory: memoryOf(after, isEnforced), violation };
  },
  ...(isEnforced && {
    objectionsTo: (review) => objectionsTo(memory.judge ?? { monitor: memory.monitor, decision: {} }, review),
  }),
});

const keyOf = (judge: Judge | undefined): readonly string[] =>
  judge === undefined ? [] : [judge.monitor.key, JSON.stringify(judge.decision)];

/** The judge of a call after a macrostep, if one is judged. */
function judgeAfter(
  { after, emitted }: Step,
  { monitor, events }: Memory,
  before: Judge | undefined,
): Judge | undefined {
  const judging = after.context.turn.calls.find(({ phase }) => phase === "judging");
  if (judging === undefined) return undefined;
  const isNew = emitted.some(
    (event) => event.type === "effect.started" && event.id === `review:${judging.callId}`,
  );
  return isNew ? { monitor, decision: events.decisionAbout(judging.callId) } : before;
}

/** The objections to the start of a call as the next event. */
function objectionsTo({ monitor, decision }: Judge, { text, effect }: ValidReview): Objections {
  const by = (approver: Approver): Objection | undefined =>
    objectionOf(monitor.judge({ kind: "call.started", tool: text, effect, ...decision, by: approver }));
  const [policy, person] = [by("policy"), by("person")];
  return { ...(policy && { policy }), ...(person && { person }) };
}

function objectionOf({ broken: [broken] }: PolicyVerdict): Objection | undefined {
  if (broken === undefined) return undefined;
  const because = formatBrokenClause({ ...broken, since: [] });
  return { rule: `${broken.policy}: ${broken.clause}`, reason: because, because };
}

/** The positions of events say nothing in a trace of macrosteps. */
function violationOf({ verdict }: PolicyMonitor, event: PolicyEvent): string | undefined {
  const [broken] = verdict.broken;
  return broken && `${formatBrokenClause({ ...broken, since: [] })}; got: ${formatEvent(event)}`;
}

/** The commit of a macrostep, whose calls have the names of the tools that their reviews found. */
function recordedStep(step: Step): RecordedStep {
  const parts = { ...emptyParts, ...partsOf(step.emitted) };
  const calls = parts.calls.map((call) => ({ ...call, name: toolOf(step, call) }));
  return { ...parts, conversation: [...parts.conversation, ...judgedUses(step)], calls, cause: step.event };
}

/** The uses of the calls that the protocol decides about, with the names of the tools that their reviews found. */
const judgedUses = (step: Step): readonly ConversationEvent[] =>
  step.before.context.turn.calls
    .filter(
      ({ callId, phase }) => phase === "hooking" && "callId" in step.event && step.event.callId === callId,
    )
    .map((call) => ({
      type: "entry.appended",
      entry: {
        role: "assistant",
        content: [{ type: "tool_use", id: call.toolUseId, name: toolOf(step, call), input: {} }],
      },
    }));

function toolOf({ before, event, after }: Step, { callId, name }: CallIdentity): string {
  if (event.type === "call.reviewed" && event.callId === callId && event.review.valid)
    return event.review.text;
  const known = [after, before].flatMap(({ context }) =>
    context.turn.calls.flatMap((call) =>
      call.callId === callId && "review" in call ? call.review.text : [],
    ),
  );
  return known[0] ?? name;
}

/** The number of a call in the turn, in place of its id, since ids are new in each turn. A reopened task has a new turn. */
const numberIn = ({ context, recorded }: View): ((id: string) => number) => {
  const calls = [...context.turn.calls, ...recorded.calls];
  return (id) => calls.findIndex(({ callId, toolUseId }) => callId === id || toolUseId === id);
};
