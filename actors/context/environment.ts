import type { Conversation } from "../../machines/conversation/conversation.ts";
import {
  CURRENT_MODE,
  CURRENT_TIME,
  type EnvironmentSection,
  environmentOf,
  environmentSection,
  environmentText,
  TODO_LIST,
} from "../../machines/conversation/environment.ts";
import { oneLine } from "./element.ts";

/** The workspace's files, or the reason why they could not be listed. */
export type Files =
  | { readonly names: readonly string[]; readonly cut: boolean }
  | { readonly problem: string };

/** The environment at the time of a request. */
export interface EnvironmentFacts {
  /** Milliseconds since 1970. */
  readonly now: number;
  readonly root: string;
  /** The slug of the mode. */
  readonly mode: string;
  /** Cost of the task so far, in US dollars; null: unknown. */
  readonly cost: number | null;
  /** Tokens of the conversation before this request. */
  readonly contextTokens: number;
  /** Undefined: unknown. */
  readonly contextWindow: number | undefined;
  /** Undefined for a request without a user message: the model knows what its tools did. */
  readonly files: Files | undefined;
  /** The todo checklist, which may be empty. Undefined: it is as the conversation says. */
  readonly todos: string | undefined;
  /** The commands in the background. Undefined: none. */
  readonly commands: string | undefined;
  /** The sections of the editor. */
  readonly editor: readonly EnvironmentState[];
  /** Sections that only this request has. */
  readonly news: readonly EnvironmentSection[];
}

/** A section as it is now. */
export interface EnvironmentState {
  readonly title: string;
  /** Undefined: there is nothing to say. */
  readonly body: string | undefined;
  /** The body that takes back an earlier one. */
  readonly none: string;
}

export const UNKNOWN = "(unknown)";
export const EMPTY = "(none)";

/** The `<environment_details>` block of a request: the time, and what the conversation does not say already. */
export function environmentDetails(conversation: Conversation, facts: EnvironmentFacts): string {
  const { now, root, mode, cost, files, todos, commands, editor, news } = facts;
  const known = environmentOf(conversation);
  const states: readonly EnvironmentState[] = [
    { title: CURRENT_MODE, body: oneLine(mode), none: UNKNOWN },
    { title: "Current cost", body: cost === null ? undefined : `$${cost.toFixed(2)}`, none: UNKNOWN },
    { title: "Context window", body: windowUse(facts), none: UNKNOWN },
    ...(files === undefined ? [] : [fileState(root, files)]),
    ...(todos === undefined ? [] : [{ title: TODO_LIST, body: todos || undefined, none: EMPTY }]),
    { title: "Background commands", body: commands, none: EMPTY },
    ...editor,
  ];
  return environmentText([
    environmentSection(CURRENT_TIME, new Date(now).toISOString()),
    ...states.flatMap((state) => changed(known, state)),
    ...news,
  ]);
}

function changed(
  known: ReadonlyMap<string, EnvironmentSection>,
  { title, body, none }: EnvironmentState,
): readonly EnvironmentSection[] {
  const section = environmentSection(title, body ?? none);
  const before = known.get(section.name);
  if (before === undefined) return body === undefined ? [] : [section];
  return before.text === section.text ? [] : [section];
}

function windowUse({ contextTokens, contextWindow }: EnvironmentFacts): string | undefined {
  // Before the first response nothing is counted.
  if (contextWindow === undefined || contextTokens === 0) return undefined;
  const share = Math.round((100 * contextTokens) / contextWindow);
  return `${contextTokens} of ${contextWindow} tokens used (${share} %)`;
}

const fileState = (root: string, files: Files): EnvironmentState => ({
  title: `Files in the workspace (${oneLine(root)})`,
  body: fileList(files),
  none: EMPTY,
});

function fileList(files: Files): string {
  if ("problem" in files) return `(could not be listed: ${oneLine(files.problem)})`;
  if (files.names.length === 0) return EMPTY;
  const lines = files.names.map(oneLine);
  if (files.cut) lines.push(`(the list was cut after ${files.names.length} names; list_files shows more)`);
  return lines.join("\n");
}
