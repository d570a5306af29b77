import { isPaneName, type PaneName } from "./panes.ts";

/** The content of a link to the page. */
export interface PageLocation {
  readonly task?: string | undefined;
  /** The event of the trace. Absent: the newest, following the trace. */
  readonly at?: number | undefined;
  /** Without `at`: the event of the record with this number. */
  readonly record?: number | undefined;
  /** Without `at`: the event that appended the message with this `ts`. */
  readonly message?: number | undefined;
  /** Without `at` and `message`: the event that approved, denied or ended the tool call with this id, or with this id of the model. */
  readonly call?: string | undefined;
  /** The pane that is shown. Absent: the transcript. */
  readonly pane?: PaneName | undefined;
  /** Whether the transcript is the conversation as the model saw it. Absent: the messages. */
  readonly asModel?: boolean | undefined;
  /** The task to compare with. */
  readonly comparedWith?: string | undefined;
  /**
   * `tasks`: the list of all tasks. `suite`: the measured control suite. `verification`: the verification of the
   * machine. Absent: the task.
   */
  readonly view?: "tasks" | "suite" | "verification" | undefined;
  /** A recorded trace or journal to load, relative to the page. */
  readonly file?: string | undefined;
  /** The query of the task list. */
  readonly query?: string | undefined;
  /** The query of the runs of the control suite. */
  readonly runs?: string | undefined;
}

/** The paths of views. A task has `/t/ID`. */
const PATHS = {
  tasks: "/tasks",
  suite: "/lab/suite",
  verification: "/lab/verification",
} as const satisfies Readonly<Record<NonNullable<PageLocation["view"]>, string>>;
const VIEWS = Object.keys(PATHS) as readonly (keyof typeof PATHS)[];
const TASK = "/t/";
/** The names of the transcript in an address: its messages, and the conversation as the model saw it. */
const MESSAGES = "messages";
const CONVERSATION = "conversation";

/**
 * Parse the fragment of an address: a path with fields, `#/t/ID?at=4`, or fields alone, `#task=ID&at=4`. Unknown and
 * invalid fields are ignored.
 */
export function parseLocation(hash: string): PageLocation {
  const text = hash.replace(/^#/, "");
  const [path = "", query = ""] = text.startsWith("/") ? cut(text) : ["", text];
  const fields = new URLSearchParams(query);
  const task = path.startsWith(TASK) ? decoded(path.slice(TASK.length)) : textIn(fields, "task");
  const pane = fields.get("pane") ?? "";
  const isAsModel = pane === CONVERSATION || fields.get("as") === "model";
  const view = VIEWS.find((name) => PATHS[name] === path || fields.get("view") === name);
  return withoutAbsent({
    task,
    at: numberIn(fields, "at"),
    record: numberIn(fields, "record"),
    message: numberIn(fields, "message"),
    call: textIn(fields, "call"),
    pane: paneNamed(pane),
    asModel: isAsModel || undefined,
    comparedWith: textIn(fields, "with"),
    view: view ?? (fields.get("q") ? "tasks" : undefined),
    file: textIn(fields, "file"),
    [view === "suite" ? "runs" : "query"]: textIn(fields, "q"),
  });
}

/** Format the fragment that {@link parseLocation} parses. */
export function formatLocation(place: PageLocation): string {
  const { task, at, record, message, call, comparedWith, view, file, query, runs } = place;
  const fields = new URLSearchParams();
  const given =
    view === undefined
      ? { at, record, message, call, ...shownPane(place), with: comparedWith }
      : { q: { tasks: query, suite: runs, verification: undefined }[view] };
  for (const [name, value] of Object.entries({ ...given, file }))
    if (value !== undefined && value !== "") fields.set(name, String(value));
  const path = view !== undefined ? PATHS[view] : task !== undefined ? TASK + encodeURIComponent(task) : "";
  const text = fields.toString();
  if (path === "") return text === "" ? "" : `#${text}`;
  return `#${path}${text === "" ? "" : `?${text}`}`;
}

/** The pane of a place: without one in the link, the transcript or, with a compared task, the comparison. */
export const paneIn = ({ pane, comparedWith }: PageLocation): PaneName =>
  pane ?? (comparedWith === undefined ? "transcript" : "compare");

function paneNamed(name: string): PaneName | undefined {
  if (name === MESSAGES || name === CONVERSATION) return "transcript";
  return isPaneName(name) ? name : undefined;
}

/** The fields of the pane, and of the transcript where it has a pane of its own. */
function shownPane({ pane, asModel }: PageLocation): Readonly<Record<string, string | undefined>> {
  if (pane === "transcript") return { pane: asModel === true ? CONVERSATION : MESSAGES };
  return { pane, as: asModel === true ? "model" : undefined };
}

/** Whether going from one place to the other is a step in the browser's history, and no detail of the same place. */
export const isOtherPlace = (one: PageLocation, other: PageLocation): boolean =>
  one.task !== other.task || one.view !== other.view || one.comparedWith !== other.comparedWith;

function cut(text: string): readonly [string, string] {
  const mark = text.indexOf("?");
  return mark < 0 ? [text, ""] : [text.slice(0, mark), text.slice(mark + 1)];
}

/** A part of a path. One that is not well encoded is taken as it is. */
function decoded(part: string): string | undefined {
  if (part === "") return undefined;
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

const textIn = (fields: URLSearchParams, name: string): string | undefined => fields.get(name) || undefined;

function numberIn(fields: URLSearchParams, name: string): number | undefined {
  const text = fields.get(name) ?? "";
  return /^\d+$/.test(text) ? Number(text) : undefined;
}

const withoutAbsent = (place: PageLocation): PageLocation =>
  Object.fromEntries(Object.entries(place).filter(([, value]) => value !== undefined));
