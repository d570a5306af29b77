import { emptyParts, partsOf } from "../../machines/task/commit.ts";
import type { RecordedCall } from "../../machines/tool-call/call.ts";
import type { PolicyEvent } from "../../tools/temporal/event.ts";
import { atMost, event } from "../../tools/temporal/formula.ts";
import { compilePolicies, type PolicyMonitor } from "../../tools/temporal/monitor.ts";
import { formatBrokenClause, type TemporalPolicy } from "../../tools/temporal/policy.ts";
import { type RecordedStep, TaskEvents } from "../../tools/temporal/task-events.ts";
import type { PathLaw, PathMemory, Step, View } from "../../verify/laws/law.ts";
import { TOOLS } from "../../verify/tools.ts";
import { formatEvent } from "../log/policy-check.ts";

/** A law for each clause of policies over time, named by its policy and itself. */
export const policyLaws = (policies: readonly TemporalPolicy[]): readonly PathLaw[] =>
  policies.flatMap(({ name, clauses }) =>
    clauses.map((clause): PathLaw => {
      const { start } = compilePolicies([{ name, clauses: [clause] }]);
      return { id: name, title: clause.name, start: memoryOf(start(), new TaskEvents({ effectOf }), "") };
    }),
  );

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
  policyLaws([EXPLORED_POLICY]).map(({ start }) => ({ id, title, start }));

/** The effect of a tool of the explored task. */
const effectOf = (tool: string) => TOOLS.find(({ name }) => name === tool)?.effect;

/** `calls`: the state of the calls that are not over. */
const memoryOf = (monitor: PolicyMonitor, events: TaskEvents, calls: string): PathMemory => ({
  key: `${monitor.key} ${calls}`,
  after: (step) => {
    const read = events.copy();
    const next = monitor.copy();
    let violation: string | undefined;
    for (const happened of read.eventsIn(recordedStep(step))) {
      next.add(happened);
      violation ??= violationOf(next, happened);
    }
    return { memory: memoryOf(next, read, read.key(numberIn(step.after))), violation };
  },
});

/** The positions of events say nothing in a trace of macrosteps. */
function violationOf({ verdict }: PolicyMonitor, event: PolicyEvent): string | undefined {
  const [broken] = verdict.broken;
  return broken && `${formatBrokenClause({ ...broken, since: [] })}; got: ${formatEvent(event)}`;
}

/** The commit of a macrostep, whose calls have the names of the tools that their reviews found. */
function recordedStep(step: Step): RecordedStep {
  const parts = { ...emptyParts, ...partsOf(step.emitted) };
  const calls = parts.calls.map((call) => ({ ...call, name: toolOf(step, call) }));
  return { ...parts, calls, cause: step.event };
}

function toolOf({ before, event, after }: Step, { callId, name }: RecordedCall): string {
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
