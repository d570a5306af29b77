import {
  type Conversation,
  type Entry,
  escapeTag,
  memoize,
  type TextBlock,
  type UserBlock,
} from "../../machines/conversation/index.ts";
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
  /** The last file list of the conversation: an unchanged list is not repeated. */
  readonly lastFiles: string | undefined;
  /** The todo checklist. */
  readonly todos: string | undefined;
}

/** The `<environment_details>` block of a request. */
export function environmentDetails(facts: EnvironmentFacts): string {
  const { now, root, mode, cost, files, todos, lastFiles } = facts;
  const window = windowUse(facts);
  const listing =
    files === undefined ? lastFiles : escapeTag(TAG, section(`${FILES} (${oneLine(root)})`, fileList(files)));
  const sections = [
    section("Current time", new Date(now).toISOString()),
    section("Current mode", oneLine(mode)),
    ...(cost === null ? [] : [section("Current cost", `$${cost.toFixed(2)}`)]),
    ...(window === undefined ? [] : [section("Context window", window)]),
    ...(listing === undefined || listing === lastFiles ? [] : [listing]),
    ...(todos === undefined ? [] : [escapeTag(TAG, section(TODOS, todos))]),
  ];
  return `${OPENING}\n${sections.join("\n\n")}\n</${TAG}>`;
}

function windowUse({ contextTokens, contextWindow }: EnvironmentFacts): string | undefined {
  // Before the first response nothing is counted.
  if (contextWindow === undefined || contextTokens === 0) return undefined;
  const share = Math.round((100 * contextTokens) / contextWindow);
  return `${contextTokens} of ${contextWindow} tokens used (${share} %)`;
}

const TAG = "environment_details";
const OPENING = `<${TAG}>`;
const FILES = "Files in the workspace";
const FILES_SECTION = new RegExp(`^# ${FILES} [^]*?(?=\\n\\n# |\\n</environment_details>)`, "m");

/** The file list that the conversation last contained, as text. */
export function lastFileList(conversation: Conversation): string | undefined {
  for (let index = conversation.length - 1; index >= 0; index -= 1) {
    const entry = conversation.at(index);
    const files = entry === undefined ? undefined : filesIn(entry);
    if (files !== undefined) return files;
  }
  return undefined;
}

/** The todo list in the newest environment block: it stays where the call that set it was condensed. */
export function todoSection(conversation: Conversation): string | undefined {
  for (let index = conversation.length - 1; index >= 0; index -= 1) {
    const entry = conversation.at(index);
    if (entry?.role !== "user") continue;
    const environment = entry.content.findLast(isEnvironment);
    if (environment !== undefined) return TODO_SECTION.exec(environment.text)?.[1];
  }
  return undefined;
}

const isEnvironment = (block: UserBlock): block is TextBlock =>
  block.type === "text" && block.text.startsWith(OPENING);

const TODOS = "Todo list";
const TODO_SECTION = new RegExp(`^# ${TODOS}\\n([^]*?)(?=\\n\\n# |\\n</environment_details>)`, "m");

const filesIn = memoize((entry: Entry): string | undefined => {
  for (const block of entry.content) {
    if (block.type !== "text" || !block.text.startsWith(OPENING)) continue;
    const files = FILES_SECTION.exec(block.text)?.[0];
    if (files !== undefined) return files;
  }
  return undefined;
});

function section(title: string, body: string): string {
  return `# ${title}\n${body}`;
}

function fileList(files: Files): string {
  if ("problem" in files) return `(could not be listed: ${oneLine(files.problem)})`;
  if (files.names.length === 0) return "(none)";
  const lines = files.names.map(oneLine);
  if (files.cut) lines.push(`(the list was cut after ${files.names.length} names; list_files shows more)`);
  return lines.join("\n");
}
