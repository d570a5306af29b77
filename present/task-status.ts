import type { AskType } from "../machines/message/asks.ts";
import { type EndError, endErrorOf } from "../machines/message/end-error.ts";
import type { AgentLoopState } from "../machines/message/states.ts";
import type { RestReason } from "../wire/rest-reason.ts";
import { askReason } from "./ask-reason.ts";
import { formatLimit } from "./limit.ts";
import { oneLine } from "./one-line.ts";

/** The groups of a list of tasks, the most urgent first. */
export const TASK_GROUPS = ["needs_you", "failed", "running", "done"] as const;

/**
 * The group of a task. `needs_you`: it waits for a person. `failed`: it stopped without a result, and no person stopped
 * it. `done`: it completed, or a person stopped it.
 */
export type TaskGroup = (typeof TASK_GROUPS)[number];

export const TASK_GROUP_LABELS: Readonly<Record<TaskGroup, string>> = {
  needs_you: "Needs you",
  failed: "Failed",
  running: "Running",
  done: "Done",
};

/** Each status: its group. */
export const STATUSES = {
  /** It is open in a process, and needs an answer. */
  waiting: "needs_you",
  /** A breakpoint holds its events. */
  held: "needs_you",
  /** A request failed. */
  failed: "failed",
  /** A hook denied a request. */
  denied: "failed",
  /** It reached a limit of requests or cost. */
  limited: "failed",
  /** It reached the limit of consecutive errors. */
  mistaken: "failed",
  /** Its process ended before it settled. */
  interrupted: "failed",
  /** Its control protocol ended it: `ended by its protocol`. */
  ended: "failed",
  /** Its journal is unusable after some record, or entirely. */
  damaged: "failed",
  /** It is open in a process, and works. */
  running: "running",
  /** It is open in a process, and receives a response. */
  streaming: "running",
  /** It completed. */
  completed: "done",
  /** A person stopped it. */
  cancelled: "done",
  /** A person paused it. */
  paused: "done",
  /** Nothing has happened yet. */
  new: "done",
} as const satisfies Readonly<Record<string, TaskGroup>>;

export type TaskStatusName = keyof typeof STATUSES;

/** The names of all statuses, by group. */
export const TASK_STATUS_NAMES: readonly string[] = Object.keys(STATUSES);

/** The status of a task, in words. */
export interface TaskStatus {
  readonly name: TaskStatusName;
  readonly group: TaskGroup;
  /** The name as a person reads it: `ended by its protocol`. */
  readonly word: string;
  /** The event that led to it, on one line: `401 invalid x-api-key`. Empty: there is nothing to add. */
  readonly reason: string;
}

/** The facts that determine the status of a task. */
export interface StatusFacts {
  readonly state: AgentLoopState;
  /** The machine's state as a dotted path, where it is known. */
  readonly path?: string;
  readonly rest?: RestReason;
  /** Whether its process ended before it settled. */
  readonly isInterrupted?: boolean;
  /** Whether a cancel brought it to rest. */
  readonly isCancelled?: boolean;
  /** The ask that it waits for or rests on, by the name of its message. */
  readonly ask?: { readonly kind: string; readonly text: string; readonly errorCode?: string };
  /** Whether it is a subtask at rest on an open ask: its parent waits until a person answers. */
  readonly isAwaited?: boolean;
  /** The ask that was open when it was interrupted, and withdrawn. */
  readonly stoppedAsk?: { readonly kind: string; readonly text: string };
  /** The error that ended its last run. Default: the error of its ask. */
  readonly error?: { readonly code: string; readonly message: string };
  /** While its events are held: their types. */
  readonly held?: readonly string[];
  /** The broken law for which they are held. */
  readonly broken?: { readonly law: string; readonly reason: string };
  /** The unusable part of its journal. A torn end is repaired when the task is opened. */
  readonly problem?: { readonly kind: "torn" | "damaged" | "unreadable"; readonly reason: string };
}

/** The status of a task: its group, a word for it, and the reason. */
export function taskStatus(facts: StatusFacts): TaskStatus {
  const [name, reason] = nameAndReason(facts);
  const word = name === "ended" ? "ended by its protocol" : name;
  const group = facts.isAwaited === true ? "needs_you" : STATUSES[name];
  return { name, group, word, reason: shortReason(reason) };
}

type NameAndReason = readonly [name: TaskStatusName, reason: string];

function nameAndReason(facts: StatusFacts): NameAndReason {
  const { state, path = "", isInterrupted, ask, held, broken, problem } = facts;
  if (problem !== undefined && problem.kind !== "torn") return ["damaged", problem.reason];
  if (held !== undefined) return ["held", heldReason(held, broken)];
  if (isInterrupted === true) return ["interrupted", interruptedReason(ask)];
  switch (state) {
    case "no_task":
      return ["new", ""];
    case "waiting_for_input":
      return ["waiting", ask === undefined ? "" : askReason(ask.kind, ask.text)];
    case "running":
    case "streaming":
      return [state, ACTIVITIES[path] ?? ""];
    default:
      return restStatus(facts);
  }
}

function heldReason(held: readonly string[], broken: StatusFacts["broken"]): string {
  if (broken !== undefined) return `breaks ${broken.law}: ${broken.reason}`;
  return held[0] === undefined ? "holds the next event" : `holds ${held[0]}`;
}

const interruptedReason = (ask: StatusFacts["ask"]): string =>
  ask === undefined
    ? "its process ended"
    : `its process ended while it waited: ${askReason(ask.kind, ask.text)}`;

/** The reason of a task that was stopped by its process: `` while it asked to run `npm test` ``. */
function stoppedReason(ask: StatusFacts["stoppedAsk"]): string {
  if (ask === undefined) return "";
  const reason = askReason(ask.kind, ask.text);
  return reason.startsWith("asks")
    ? `while it asked${reason.slice("asks".length)}`
    : `while it waited: ${reason}`;
}

function restStatus({
  rest,
  path,
  isCancelled,
  isAwaited,
  ask,
  stoppedAsk,
  error = ask && errorOf(ask),
}: StatusFacts): NameAndReason {
  if (rest === "completed" && isAwaited === true && ask !== undefined)
    return ["waiting", askReason(ask.kind, ask.text)];
  if (rest === "completed") return ["completed", path === "idle.declined" ? "its result was declined" : ""];
  if (error !== undefined) return errorStatus(error, ask);
  if (isCancelled === true) return ["cancelled", ""];
  switch (rest) {
    case "failed":
    case "limited":
    case "ended":
    case "paused":
      return [rest, ""];
    default:
      return ["interrupted", stoppedReason(stoppedAsk)];
  }
}

const errorOf = ({ kind, text, errorCode }: NonNullable<StatusFacts["ask"]>): EndError | undefined =>
  endErrorOf([{ ts: 0, type: "ask", ask: kind, text, ...(errorCode !== undefined && { errorCode }) }]);

/** The status of a task that rests on an error. A limit's text is JSON in its ask, and a sentence in its error. */
function errorStatus({ code, message }: EndError, ask: StatusFacts["ask"]): NameAndReason {
  switch (code) {
    case "mistake_limit":
      return ["mistaken", mistakesReason(message)];
    case "request_limit":
    case "cost_limit":
    case "budget_spent":
      return ["limited", ask?.kind === LIMIT_ASK ? `reached ${formatLimit(ask.text)}` : message];
    case "request_denied":
      return ["denied", message];
    case "shut_down":
      return ["ended", message];
    default:
      return ["failed", inSentences(message)];
  }
}

/** The lines of a failure: what happened, then what to do. */
const inSentences = (message: string): string => message.replace(/([^\s.:!?])\s*\n\s*/g, "$1. ");

const LIMIT_ASK: AskType = "auto_approval_max_req_reached";

function mistakesReason(message: string): string {
  const [, count] = /^(\d+) consecutive errors/.exec(message) ?? [];
  return count === undefined ? message : `made ${count} errors in a row`;
}

/** The activity of a task in each state of the machine. */
const ACTIVITIES: Readonly<Record<string, string>> = {
  "running.starting": "opens its workspace",
  "running.requesting": "prepares a request",
  "running.hooking": "runs a hook",
  "running.calling": "runs a tool",
  "running.commanding": "runs a command",
  "running.delegated": "waits for its subtasks",
  "running.checkpointing": "saves a checkpoint",
  "running.pacing": "waits for the rate limit",
  "running.retrying": "waits to try again",
  "streaming.preparing": "prepares a request",
  "streaming.measuring": "prepares a request",
  "streaming.hooking": "runs a hook",
  "streaming.receiving": "receives a response",
  "streaming.finishing": "finishes a response",
  "streaming.condensing": "condenses its conversation",
};

/** Maximum characters of a reason: a list shows one line of it. */
const REASON_CHARS_MAX = 240;

function shortReason(text: string): string {
  const line = oneLine(text);
  return line.length <= REASON_CHARS_MAX ? line : `${line.slice(0, REASON_CHARS_MAX - 1).trimEnd()}…`;
}
