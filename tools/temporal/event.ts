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
  /** Of a call: the canonical name of its tool. */
  readonly tool?: string;
  readonly effect?: Effect;
  /** Of a call: the paths that it names, relative to the workspace, as given and with symlinks followed. */
  readonly paths?: readonly string[];
  /** Of a call: its command line. */
  readonly command?: string;
  /** Of a call: the hosts that it sends requests to. */
  readonly hosts?: readonly string[];
  /** Of a call: who permitted it. Absent where a log does not say it. */
  readonly by?: Approver;
  /** Of `call.ended`. Absent where a log does not say it. */
  readonly outcome?: Outcome["kind"];
  /** Of `mode`: the slug of the new mode. */
  readonly mode?: string;
  /** Number of the journal's record, or of the log's entry. */
  readonly seq?: number;
  /** Of an event of another task: its id. */
  readonly task?: string;
}

/** What two events can have in common. */
export const VARIABLES = ["path", "host", "tool"] as const;
export type Variable = (typeof VARIABLES)[number];

/** The values of a variable in an event. */
export function valuesOf(
  { paths = [], hosts = [], tool }: PolicyEvent,
  variable: Variable,
): readonly string[] {
  if (variable === "path") return paths;
  if (variable === "host") return hosts;
  return tool === undefined ? [] : [tool];
}
