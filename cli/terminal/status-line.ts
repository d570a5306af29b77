import stringWidth from "string-width";
import { printable } from "../../client/printable/printable.ts";
import type { AskType } from "../../machines/message/asks.ts";
import type { AgentLoopState } from "../../machines/message/states.ts";
import type { Usage } from "../../machines/task/task.events.ts";
import type { PermissionMode } from "../../machines/tool-call/permissions.ts";
import { type AskCause, askView } from "../../present/asks.ts";
import { formatCost, formatTokens } from "../show/format.ts";
import type { Style } from "../show/style.ts";

/** The content of the status line. */
export interface Status extends AskCause {
  readonly state: AgentLoopState;
  /** The open ask of a task at rest. */
  readonly ask?: AskType | undefined;
  readonly mode: string;
  readonly permissionMode: PermissionMode;
  /** The permission mode after the answer to the open question. */
  readonly pendingMode?: PermissionMode | undefined;
  readonly model: string;
  readonly usage: Usage;
  /** Completed items of the todo list, and all of them. */
  readonly todos: { readonly done: number; readonly all: number } | undefined;
  /** Since the start of the run, in milliseconds. */
  readonly elapsedMs: number;
  /** Messages in the queue. */
  readonly queued: number;
  /** Subtasks that work, or wait for a person. */
  readonly subtasks?: number;
  /** Commands that run in the background. */
  readonly background?: number;
  /** Used share of the context window, 0..1; undefined: unknown. */
  readonly windowShare: number | undefined;
  /** Whether the next request condenses the conversation. */
  readonly isCompacting: boolean;
}

/** Format the status line in at most `width` cells; the least important parts are left out first. */
export function formatStatusLine(status: Status, width: number, style: Style): string {
  const { state, mode, permissionMode, pendingMode, model, usage, todos, queued } = status;
  const { subtasks = 0, background = 0 } = status;
  const cost = formatCost(usage);
  const window = formatWindow(status);
  const parts = [
    { text: formatState(status), paint: paintOf(state, style), rank: 0 },
    { text: printable(mode), paint: style.cyan, rank: 4 },
    // The standard one is not shown.
    ...(permissionMode === "ask" && pendingMode === undefined
      ? []
      : [{ text: permissionMode, paint: permissionMode === "bypass" ? style.red : style.yellow, rank: 1 }]),
    ...(pendingMode === undefined ? [] : [{ text: `${pendingMode} pending`, paint: style.yellow, rank: 1 }]),
    { text: printable(model), paint: style.dim, rank: 8 },
    ...(todos === undefined ? [] : [{ text: `${todos.done}/${todos.all} done`, paint: style.dim, rank: 5 }]),
    ...(subtasks === 0
      ? []
      : [{ text: `${subtasks} subtask${subtasks === 1 ? "" : "s"}`, paint: style.cyan, rank: 3 }]),
    ...(queued === 0 ? [] : [{ text: `${queued} queued`, paint: style.yellow, rank: 6 }]),
    ...(background === 0 ? [] : [{ text: `${background} in the background`, paint: style.yellow, rank: 6 }]),
    { text: formatTokens(usage), paint: style.dim, rank: 7 },
    ...(window === "" ? [] : [{ text: window, paint: style.dim, rank: 3 }]),
    ...(cost === undefined ? [] : [{ text: cost, paint: style.dim, rank: 2 }]),
    { text: formatElapsed(status.elapsedMs), paint: style.dim, rank: 1 },
  ];
  for (let most = LEAST; most > 0; most -= 1) {
    const left = parts.filter(({ rank }) => rank <= most);
    if (stringWidth(left.map(({ text }) => text).join(SEPARATOR)) <= width)
      return left.map(({ text, paint }) => paint(text)).join(style.dim(SEPARATOR));
  }
  return paintOf(state, style)(formatState(status).slice(0, width));
}

/** The state of a task or, if an ask is open, the status of the ask. */
export function formatState({
  state,
  ask,
  ...cause
}: Pick<Status, "state" | "ask" | keyof AskCause>): string {
  const view = ask === undefined ? undefined : askView(ask, cause);
  return view?.status ?? state;
}

/** The rank of the part that is left out first. */
const LEAST = 8;
const SEPARATOR = " · ";

/** `23 % of context, condensing next`. */
function formatWindow({ windowShare, isCompacting }: Status): string {
  const share = windowShare === undefined ? [] : [`${Math.round(100 * windowShare)} % of context`];
  return [...share, ...(isCompacting ? ["condensing next"] : [])].join(", ");
}

/** `0:07`, `12:34`, `1:02:03`. */
export function formatElapsed(ms: number): string {
  const seconds = Math.max(0, Math.floor(ms / 1_000));
  const two = (value: number): string => String(value).padStart(2, "0");
  const hours = Math.floor(seconds / 3_600);
  const minutes = Math.floor(seconds / 60) % 60;
  const tail = two(seconds % 60);
  return hours > 0 ? `${hours}:${two(minutes)}:${tail}` : `${minutes}:${tail}`;
}

function paintOf(state: AgentLoopState, style: Style): (text: string) => string {
  if (state === "waiting_for_input") return (text) => style.bold(style.yellow(text));
  if (state === "running" || state === "streaming") return (text) => style.bold(style.green(text));
  return style.bold;
}
