import type { Effect, Outcome } from "../../machines/tool-call/call.ts";
import type { Author } from "../../machines/tool-call/control.ts";

/** The kinds of events that policies are about. A control protocol decides at the events that are judged. */
export const EVENT_KINDS = [
  "prompt",
  "request",
  "mode",
  "response.judged",
  "call.judged",
  "call.started",
  "result.judged",
  "call.ended",
] as const;
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

/** The verdicts of control protocols. */
export const VERDICTS = ["pass", "deny", "modify", "replace", "resample", "audit", "shutDown"] as const;

/** The models that write what a control protocol judges. */
export const AUTHORS = ["untrusted", "trusted"] as const satisfies Author[];

/** Who permits a tool call. */
export const APPROVERS = ["person", "policy"] as const;
export type Approver = (typeof APPROVERS)[number];

/** A decision of the control protocol, as policies see it. */
export interface ProtocolDecision {
  readonly verdict?: string;
  /** The model that wrote what was judged. */
  readonly author?: Author;
  /** The scores of the monitors, from 0 to 1, by their names. */
  readonly scores?: Readonly<Record<string, number>>;
}

/** One event of a task, as policies see it. A call that starts or ends has the newest decision of the protocol about it. */
export interface PolicyEvent extends ProtocolDecision {
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
  /**
   * The values of a call's arguments by name: texts, numbers and booleans as texts. The names of nested arguments have dots.
   * An argument with any other value is absent.
   */
  readonly arguments?: Readonly<Record<string, readonly string[]>>;
  /** The names of the arguments with a value that is not compared: a long text, or a list with something else than texts. */
  readonly notCompared?: readonly string[];
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
/** Maximum characters of the name of an argument. */
export const ARGUMENT_NAME_MAX_CHARS = 200;
/** `argument.NAME`: the values of this argument of a call. */
export type Variable = (typeof VARIABLES)[number] | `${typeof ARGUMENT}${string}`;

/** The name of the argument that a variable is about. */
export const argumentOf = (variable: Variable): string | undefined =>
  variable.startsWith(ARGUMENT) ? variable.slice(ARGUMENT.length) : undefined;

/** The values of an argument of the call. None: it is missing, or not compared. */
export const valuesOfArgument = (
  { arguments: given = {} }: Pick<PolicyEvent, "arguments">,
  name: string,
): readonly string[] => (Object.hasOwn(given, name) ? given[name] : undefined) ?? [];

/** The values of a variable in an event. */
export function valuesOf(event: PolicyEvent, variable: Variable): readonly string[] {
  const { paths = [], hosts = [], tool } = event;
  const name = argumentOf(variable);
  if (name !== undefined) return valuesOfArgument(event, name);
  if (variable === "path") return paths;
  if (variable === "host") return hosts;
  return tool === undefined ? [] : [tool];
}

/** Whether the event is about a call. */
export const isAboutCall = ({ kind }: PolicyEvent): boolean =>
  kind === "call.judged" || kind === "call.started" || kind === "result.judged" || kind === "call.ended";

/** Whether the event is about a call whose argument the variable is about is missing or not compared: it equals no other. */
export function isMissing(event: PolicyEvent, variable: Variable): boolean {
  const name = argumentOf(variable);
  if (name === undefined || !isAboutCall(event)) return false;
  return valuesOf(event, variable).length === 0 || event.notCompared?.includes(name) === true;
}
