import type { ClineMessage } from "../../machines/message/index.ts";
import type { Task } from "../../runtime/index.ts";
import { meantBy } from "../near.ts";
import { printable, sayUsage } from "../show/index.ts";

/** The rows that /messages shows unless it is told another number. */
const MESSAGES_SHOWN = 10;
/** The most characters of a row's text that it shows. */
const MESSAGE_CHARS_MAX = 60;

/** What the commands need of the run. */
export interface SlashMeans {
  /** The task that a person deals with now: the one that is run, or its subtask. */
  task(): Task;
  /** The task that is run. */
  readonly root: Task;
  say(line: string): void;
  cancel(): void;
  quit(): void;
}

interface SlashCommand {
  readonly usage: string;
  readonly about: string;
  run(means: SlashMeans, argument: string): void;
}

const COMMANDS: Readonly<Record<string, SlashCommand>> = {
  help: { usage: "/help", about: "these commands", run: help },
  state: { usage: "/state", about: "what the task does, and what it waits for", run: state },
  mode: { usage: "/mode [SLUG]", about: "the mode that it works in, or another one", run: mode },
  cost: { usage: "/cost", about: "tokens and dollars, with those of subtasks", run: cost },
  messages: { usage: "/messages [N]", about: `its last rows, ${MESSAGES_SHOWN} or N`, run: messages },
  cancel: { usage: "/cancel", about: "bring it to rest, as Ctrl-C does", run: ({ cancel }) => cancel() },
  quit: { usage: "/quit", about: "leave; the task can go on later", run: ({ quit }) => quit() },
};

/**
 * Obeys a line that is one of our commands, and says whether it was one. A word that begins with a slash and is no
 * command is told so; any other line, a path in a sentence too, is for the agent. So is one with a blank before it.
 */
export function obey(line: string, means: SlashMeans): boolean {
  const [, name = "", argument = ""] = /^\/([a-z]+)(?:\s+(.*))?$/.exec(line.trimEnd()) ?? [];
  if (name === "") return false;
  const command = Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined;
  if (command !== undefined) command.run(means, argument);
  else if (argument !== "") return false;
  else means.say(`There is no command /${name}. ${adviceFor(name)}`);
  return true;
}

function adviceFor(name: string): string {
  const meant = meantBy(name, Object.keys(COMMANDS));
  return meant === undefined
    ? "/help tells them. To say it to the agent, put a blank before it."
    : `Did you mean /${meant}?`;
}

function help({ say }: SlashMeans): void {
  for (const { usage, about } of Object.values(COMMANDS)) say(`${usage.padEnd(14)} ${about}`);
  say("Up and down find what you typed before. Ctrl-C brings the task to rest; once more leaves.");
  say("Words that you type while the agent works go along with its next request.");
}

function state({ task, say }: SlashMeans): void {
  const { state, description, currentAsk, requiredAction } = task().state;
  const { value, context } = task().snapshot;
  const asked = currentAsk === undefined ? "" : `, ask ${printable(currentAsk)}`;
  const action = requiredAction === "none" ? "" : `, needs ${requiredAction}`;
  say(`${state}${asked}${action}. ${description}`);
  say(`Machine: ${pathOf(value)}; ${task().log.length} messages; ${context.queue.length} in the queue`);
}

const pathOf = (value: unknown): string =>
  typeof value === "string"
    ? value
    : Object.entries(value ?? {})
        .map(([key, inner]) => `${key}.${pathOf(inner)}`)
        .join(", ");

function mode({ task, say }: SlashMeans, slug: string): void {
  if (slug === "") {
    say(`The mode is ${printable(task().snapshot.context.mode)}.`);
    return;
  }
  try {
    const result = task().switchMode(slug);
    say(result.switched ? `The mode is ${slug} from the next request on.` : printable(result.message));
  } catch (error) {
    say(printable(error instanceof Error ? error.message : String(error)));
  }
}

function cost({ root, say }: SlashMeans): void {
  root.familyUsage().then(
    (usage) => say(`Used in all: ${sayUsage(usage)}${usage.cost > 0 ? "" : " (no price is known)"}`),
    (error: unknown) => say(`What subtasks used can't be read: ${printable(String(error))}`),
  );
}

function messages({ task, say }: SlashMeans, argument: string): void {
  const count = /^\d{1,4}$/.test(argument) ? Number(argument) : MESSAGES_SHOWN;
  const { log } = task();
  const rows = log.toArray().slice(-count);
  say(`${log.length} messages${rows.length < log.length ? `, the last ${rows.length}` : ""}:`);
  for (const [index, row] of rows.entries()) say(`  ${log.length - rows.length + index + 1}. ${sayRow(row)}`);
}

function sayRow({ type, ask, say, text, partial }: ClineMessage): string {
  const words = printable(text ?? "").replaceAll("\n", " ");
  const cut = words.length > MESSAGE_CHARS_MAX ? `${words.slice(0, MESSAGE_CHARS_MAX)}...` : words;
  return `${type}:${(type === "ask" ? ask : say) ?? "?"}${partial === true ? " (partial)" : ""} ${cut}`;
}
