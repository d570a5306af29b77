import type { Effect, Outcome } from "../../machines/tool-call/call.ts";

/** The kinds of events that policies are about. */
export const EVENT_KINDS = ["prompt", "request", "mode", "call.started", "call.ended"] as const;
export type EventKind = (typeof EVENT_KINDS)[number];

/** The effects of tools. */
export const EFFECTS = [
  "reads",
  "writes",
  "executes",
  "delegates",
  "asks",
  "none",
] as const satisfies Effect[];

/** The outcomes of calls. */
export const OUTCOMES = [
  "done",
  "failed",
  "invalid",
  "denied",
  "skipped",
  "interrupted",
  "uncertain",
] as const satisfies Outcome["kind"][];

/** Who permitted a tool call. */
export type Approver = "person" | "policy";

/** One event of a task, as policies see it. */
export interface PolicyEvent {
  readonly kind: EventKind;
  /** The canonical name of the tool of a call. */
  readonly tool?: string;
  readonly effect?: Effect;
  /** The paths that a call names, relative to the workspace, as given and with symlinks followed. */
  readonly paths?: readonly string[];
  /** The command line of a call. */
  readonly command?: string;
  /** The hosts that a call sends requests to. */
  readonly hosts?: readonly string[];
  /** The values of a call's arguments by name: texts, numbers and booleans as texts. One with any other value is absent. */
  readonly arguments?: Readonly<Record<string, readonly string[]>>;
  /** The approver of a call. Absent where a log does not name one. */
  readonly by?: Approver;
  /** The outcome in `call.ended`. Absent where a log does not have it. */
  readonly outcome?: Outcome["kind"];
  /** The slug of the new mode in `mode`. */
  readonly mode?: string;
  /** Number of the journal's record, or of the log's entry. */
  readonly seq?: number;
  /** The id of the other task, if the event is from one. */
  readonly task?: string;
}

/** The values that two events can have in common, besides the values of an argument. */
export const VARIABLES = ["path", "host", "tool"] as const;
const ARGUMENT = "argument.";
/** `argument.NAME`: the values of this argument of a call. */
export type Variable = (typeof VARIABLES)[number] | `${typeof ARGUMENT}${string}`;

/** The name of the argument that a variable is about. */
export const argumentOf = (variable: Variable): string | undefined =>
  variable.startsWith(ARGUMENT) ? variable.slice(ARGUMENT.length) : undefined;

/** The values of a variable in an event. */
export function valuesOf(event: PolicyEvent, variable: Variable): readonly string[] {
  const { paths = [], hosts = [], tool, arguments: given = {} } = event;
  const name = argumentOf(variable);
  if (name !== undefined) return (Object.hasOwn(given, name) ? given[name] : undefined) ?? [];
  if (variable === "path") return paths;
  if (variable === "host") return hosts;
  return tool === undefined ? [] : [tool];
}

/** Whether the event is a call without the argument that the variable is about: it equals no other. */
export const isMissing = (event: PolicyEvent, variable: Variable): boolean =>
  argumentOf(variable) !== undefined &&
  (event.kind === "call.started" || event.kind === "call.ended") &&
  valuesOf(event, variable).length === 0;
