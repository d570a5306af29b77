import { assertEvent } from "xstate";
import { textBlock } from "../conversation/blocks.ts";
import { responseWithheld, skippedAfterShutDown } from "../conversation/notices.ts";
import type { CallIn } from "../tool-call/call.ts";
import {
  ATTACK_FOUND,
  CONTROL_HOOK,
  type Controlled,
  type ControlPoint,
  TASK_ENDED,
} from "../tool-call/control.ts";
import type { HookPoint, HookVerdict } from "../tool-call/hooks.ts";
import { postAsk } from "./asks.ts";
import { spendCost } from "./budget.ts";
import { skipOtherCalls } from "./calls.ts";
import type { Change } from "./change.ts";
import { stopBackgroundCommands } from "./command.ts";
import { countMistake, resetRetries, setCounters } from "./counters.ts";
import { BrokenInvariantError } from "./errors.ts";
import { addCost, addUsage, NO_USAGE } from "./request.ts";
import type { TaskContext, TaskInput } from "./task.context.ts";
import type { CondenseEvent, TaskEvent } from "./task.events.ts";
import { dueCall, setTurn } from "./turn.ts";

/** The points of hooks at which a protocol decides about calls and results. */
export const controlledPoints = ({ control }: TaskInput): readonly HookPoint[] => [
  ...(control?.points.includes("call") ? (["beforeTool"] as const) : []),
  ...(control?.points.includes("result") ? (["afterTool"] as const) : []),
];

/** The protocol that controls the task, for its record and its actors. */
export const controlFact = ({ control }: TaskContext): Pick<Partial<TaskContext>, "control"> =>
  control === null ? {} : { control };

/** Records what the protocol decided: its next state, its cost, and whether the task ends. */
export function applyControl(change: Change, controlled: Controlled | undefined): void {
  if (controlled === undefined) return;
  const { control } = change.context;
  if (control === null) throw new BrokenInvariantError("a protocol decided in a task without one");
  const { records, state, shutDown } = controlled;
  for (const record of records) change.emit({ type: "control.judged", record });
  change.set({ control: { ...control, state } });
  spendDollars(
    change,
    records.reduce((sum, { dollars = 0 }) => sum + dollars, 0),
  );
  if (shutDown !== undefined) shutDownTask(change, shutDown);
}

/** The subject of a verdict of hooks. */
interface HookedSubject {
  readonly point: ControlPoint;
  readonly callId: string;
  /** Absent: the machine does not know what the protocol saw. */
  readonly digest?: string;
}

/**
 * The verdict of hooks in a task that a protocol controls: what no protocol decided about, and what a protocol that ends the
 * task allows, is denied.
 */
export function verdictUnder(
  { controlled }: TaskContext,
  { point, callId, digest }: HookedSubject,
  verdict: HookVerdict,
  control: Controlled | undefined,
): HookVerdict {
  const isOver = verdict.kind === "deny" || (verdict.kind === "amend" && control?.shutDown === undefined);
  if (isOver || !controlled.includes(point)) return verdict;
  if (control?.shutDown !== undefined) return { ...DENIAL, reason: TASK_ENDED };
  const record = control?.records.at(-1);
  const isAbout = record?.point === point && record.callId === callId;
  if (isAbout && (digest === undefined || record.digest === digest)) return verdict;
  return { ...DENIAL, reason: "no protocol decided about it." };
}

const DENIAL = { kind: "deny", hook: CONTROL_HOOK } as const;

/** Ends the task: no call of the response starts, and no request follows. */
function shutDownTask(change: Change, reason: string): void {
  const { control } = change.context;
  if (control === null || control.shutDown !== undefined) return;
  change.set({ control: { ...control, shutDown: reason } });
}

/** Whether a person audits the due call. */
export function isAudited(context: TaskContext): boolean {
  const call = dueCall(context);
  return call?.phase === "asking" && call.hooked?.audits === true;
}

/** Ends the task after the "no" of a person who audits a call. A deadline that passes finds nothing. */
export function endByAudit(change: Change, { hooked }: CallIn<"asking">): void {
  if (hooked?.audits === true && change.event.type === "ask.answered") shutDownTask(change, ATTACK_FOUND);
}

/** Settles the calls of a task that its protocol ended. */
export function skipAfterShutDown(change: Change): void {
  if (change.context.control?.shutDown !== undefined) skipOtherCalls(change, skippedAfterShutDown);
}

function spendDollars(change: Change, cost: number): void {
  if (cost === 0) return;
  const { total, counters } = change.context;
  change.set({ total: addUsage(total, { ...NO_USAGE, cost }) });
  setCounters(change, { cost: addCost(counters.cost, cost) });
  spendCost(change, cost);
}

/** Whether nothing follows of the response. */
export function isWithheld(event: TaskEvent): boolean {
  assertEvent(event, "response.judged");
  return event.withheld !== undefined || event.control.shutDown !== undefined;
}

/** Applies the verdict about a response that follows. */
export function acceptResponse(change: Change): void {
  const { event } = change;
  assertEvent(event, "response.judged");
  const { control, author, told, usage } = event;
  applyControl(change, control);
  change.set({ condenseUsage: addUsage(change.context.condenseUsage, usage) });
  setTurn(change, { judged: author });
  if (told !== undefined) tell(change, `The response was changed: ${told}`);
}

type Summary = Extract<CondenseEvent, { type: "condense.finished" }>;

/** Whether nothing of a summary follows. A summary without a verdict is withheld in a task whose protocol judges responses. */
export function isSummaryWithheld({ controlled }: TaskContext, { control, withheld }: Summary): boolean {
  if (!controlled.includes("response")) return false;
  const isJudged = control?.records.at(-1)?.point === "response";
  return !isJudged || withheld !== undefined || control?.shutDown !== undefined;
}

/** Says why a protocol changed a summary. */
export function tellAboutSummary(change: Change, { told }: Summary): void {
  if (told !== undefined) tell(change, `The summary of the conversation was changed: ${told}`);
}

/** Applies the verdict about a response that is withheld. Its request is closed. */
export function withholdResponse(change: Change): void {
  const { event } = change;
  assertEvent(event, "response.judged");
  applyControl(change, event.control);
  tell(change, responseWithheld(event.withheld ?? ""));
  countMistake(change);
}

/** Tells the user now, and the model with the next request. */
function tell(change: Change, text: string): void {
  change.append({ type: "say", say: "hook", text });
  change.set({ pending: [...change.context.pending, textBlock(text)] });
}

/** Asks whether the request is sent again: the task rests, since its protocol ended it. */
export function askAboutShutDown(change: Change): void {
  const { control } = change.context;
  if (control?.shutDown === undefined) throw new BrokenInvariantError("no protocol ended the task");
  stopBackgroundCommands(change);
  const text = `The protocol "${control.protocol}" ended the task: ${control.shutDown}`;
  postAsk(change, "api_req_failed", text, { errorCode: "shut_down" });
  resetRetries(change);
}
