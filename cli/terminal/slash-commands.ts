import { printable } from "../../client/printable/printable.ts";
import type { ClineMessage } from "../../machines/message/message.ts";
import { dottedPath } from "../../machines/message/states.ts";
import { profileNames, selectedModel } from "../../machines/task/profile.ts";
import type { QueuedMessage } from "../../machines/task/task.events.ts";
import type { Task } from "../../runtime/task/task.ts";
import { CliError, errorMessage } from "../error.ts";
import type { RunCommand } from "../run/settings.ts";
import { formatUsage } from "../show/format.ts";
import { suggestName } from "../suggestion.ts";
import { clearCommand, newCommand } from "./clear-command.ts";
import type { CompletableCommand } from "./completion.ts";
import { diffCommand } from "./diff-command.ts";
import { exportCommand } from "./export-command.ts";
import { forkCommand } from "./fork-command.ts";
import { initCommand } from "./init-command.ts";
import type { MenuItems } from "./input/menu.ts";
import { mcpCommand } from "./mcp-command.ts";
import { messageLine } from "./message-line.ts";
import { modelCommand } from "./model-command.ts";
import { permissionCandidates, permissionCommand } from "./permission-command.ts";
import { promptCommand, toSlashCommand } from "./prompt-command.ts";
import { resumeCommand } from "./resume-command.ts";
import { rewindCommand } from "./rewind-command.ts";
import type { SlashCommand, SlashContext } from "./slash-context.ts";
import { tasksCommand } from "./tasks-command.ts";
import { undoCommand } from "./undo-command.ts";
import { wakeCommand } from "./wake-command.ts";

/** Default number of messages that /messages shows. */
const MESSAGES_SHOWN = 10;
/** Maximum characters shown of a message's text. */
const MESSAGE_CHARS_MAX = 60;
/** Columns of a usage in the list of commands. */
const USAGE_WIDTH = 19;

/** The commands of the terminal, by name, in the order of the help. */
export const SLASH_COMMANDS: Readonly<Record<string, SlashCommand>> = {
  help: { usage: "/help", about: "list the commands", run: help },
  state: { usage: "/state", about: "state of the task, and its open ask", run: state },
  mode: {
    usage: "/mode [SLUG]",
    about: "list the modes, or switch to another",
    run: mode,
    candidates: ({ modes }) => modes.list.map(({ slug }) => slug),
  },
  model: {
    usage: "/model [NAME]",
    about: "list the models, or select a profile or PROVIDER/NAME",
    run: modelCommand,
    candidates: ({ task }) => profileNames(task().snapshot.context.profiles),
  },
  permissions: {
    usage: "/permissions [MODE]",
    about:
      "show the permissions, or select a permission mode; allow|ask|deny|remove RULE changes a rule of the session",
    run: permissionCommand,
    candidates: permissionCandidates,
  },
  queue: {
    usage: "/queue [N [TEXT]]",
    about: "list the queued messages, remove the one with this number, or change its text",
    run: queue,
  },
  tasks: tasksCommand,
  cost: { usage: "/cost", about: "tokens and cost, subtasks included", run: cost },
  compact: {
    usage: "/compact [TEXT]",
    about: "condense the conversation with the next request; TEXT: what to keep",
    run: compact,
  },
  messages: {
    usage: "/messages [N]",
    about: `the last ${MESSAGES_SHOWN} messages, or the last N`,
    run: messages,
  },
  diff: diffCommand,
  undo: undoCommand,
  rewind: rewindCommand,
  fork: forkCommand,
  clear: clearCommand,
  new: newCommand,
  resume: resumeCommand,
  mcp: mcpCommand,
  export: exportCommand,
  init: initCommand,
  pause: { usage: "/pause", about: "let the turn end, then rest until you resume the task", run: pause },
  wake: wakeCommand,
  cancel: { usage: "/cancel", about: "cancel the task, like Ctrl-C", run: ({ cancel }) => cancel() },
  quit: { usage: "/quit", about: "quit; the task can be resumed later", run: ({ quit }) => quit() },
  exit: { usage: "/exit", about: "the same as /quit", run: ({ quit }) => quit() },
};

/** The start of a line that names a command, and not a file. */
const IS_COMMAND = /^[\w:-]+$/;

/**
 * Run a line that is a slash command, and return whether it was one. An unknown one, and the slash alone that opens the
 * menu, are rejected with a hint, so that they answer no question. Any other line, also one with a path or a leading space, is for the agent.
 */
export function runSlashCommand(line: string, means: SlashContext): boolean {
  const [, name, argument = ""] = /^\/([\w:-][\w.:-]*|\??)(?:\s+(.*))?$/s.exec(line.trimEnd()) ?? [];
  if (name === undefined) return false;
  const command = Object.hasOwn(SLASH_COMMANDS, name)
    ? SLASH_COMMANDS[name]
    : promptCommand(name, means.commands);
  if (command !== undefined) void runCommand(command, means, argument);
  else if (argument !== "" && !IS_COMMAND.test(name)) return false;
  else means.say(`Unknown command /${name}. ${formatAdvice(name, means)}`);
  return true;
}

/** The commands for completion, and those that send a prompt. */
export function completableCommands(context: SlashContext): readonly CompletableCommand[] {
  const builtIn = Object.entries(SLASH_COMMANDS).map(([name, { candidates }]) => ({
    name,
    ...(candidates !== undefined && { candidates: () => candidates(context) }),
  }));
  const prompts = context.commands.list.filter(({ name }) => !Object.hasOwn(SLASH_COMMANDS, name));
  return [...builtIn, ...prompts.map(({ name }) => ({ name }))];
}

/** The commands whose names begin with what is typed. Undefined for a text that is no start of one. */
export function commandMenu(head: string, { commands }: SlashContext): MenuItems | undefined {
  if (!/^\/[\w:-]*$/.test(head)) return undefined;
  const prompts = commands.list
    .filter(({ name }) => !Object.hasOwn(SLASH_COMMANDS, name))
    .map(toSlashCommand);
  const items = [...Object.values(SLASH_COMMANDS), ...prompts]
    .filter(({ usage }) => usage.startsWith(head))
    .map(({ usage, about }) => ({
      text: usage.split(" ", 1).join(),
      row: printable(`${usage.padEnd(USAGE_WIDTH)} ${about}`),
    }));
  return { word: head, items };
}

/** Run a command. Its error is shown. */
async function runCommand(command: SlashCommand, context: SlashContext, argument: string): Promise<void> {
  try {
    await command.run(context, argument);
  } catch (error) {
    context.say(printable(errorMessage(error)));
  }
}

function formatAdvice(name: string, { commands }: SlashContext): string {
  if (commands.untrusted.includes(name))
    return "Its file is ignored, as the folder is not trusted. To trust it, quit, and run in it: signalbox config trust";
  const meant = suggestName(name, [
    ...Object.keys(SLASH_COMMANDS),
    ...commands.list.map((each) => each.name),
  ]);
  return meant === undefined
    ? "/help lists the commands. To send the line to the agent, start it with a space."
    : `Did you mean /${meant}?`;
}

function help({ say, commands }: SlashContext): void {
  for (const { usage, about } of Object.values(SLASH_COMMANDS)) say(`${usage.padEnd(USAGE_WIDTH)} ${about}`);
  const isHidden = ({ name }: RunCommand): boolean => Object.hasOwn(SLASH_COMMANDS, name);
  for (const { usage, about } of commands.list.filter((each) => !isHidden(each)).map(toSlashCommand))
    say(printable(`${usage.padEnd(USAGE_WIDTH)} ${about}`));
  for (const { name, origin } of commands.list.filter(isHidden))
    say(printable(`${origin}: /${name} is a built-in command. Rename the file.`));
  for (const problem of commands.problems) say(printable(problem));
  say(
    "Up and down recall earlier input, and Ctrl-R searches it. Ctrl-C cancels the task; a second Ctrl-C quits.",
  );
  say("Shift+Tab selects the next permission mode: plan, ask, auto-edit, auto.");
  say("!COMMAND runs a command here. Its output goes to the model with your next message; ! alone drops it.");
  say("Text typed while the agent works is queued for its next request.");
}

function state({ task, say }: SlashContext): void {
  const { state, description, currentAsk, requiredAction } = task().state;
  const { value, context } = task().snapshot;
  const asked = currentAsk === undefined ? "" : `, ask ${printable(currentAsk)}`;
  const action = requiredAction === "none" ? "" : `, needs ${requiredAction}`;
  say(`${state}${asked}${action}. ${description}`);
  say(`Machine: ${dottedPath(value)}; ${task().log.length} messages; ${context.queue.length} in the queue`);
  say(`Context: ${formatContext(context)}`);
}

function formatContext(context: Task["snapshot"]["context"]): string {
  const { contextTokens, compaction } = context;
  const window = selectedModel(context)?.contextWindow;
  const use =
    window === undefined
      ? `${contextTokens} tokens`
      : `${contextTokens} of ${window} tokens (${Math.round((100 * contextTokens) / window)} %)`;
  return compaction?.state === "requested" ? `${use}; condensed with the next request` : use;
}

function mode({ task, modes, say }: SlashContext, slug: string): void {
  if (slug === "") {
    const current = task().snapshot.context.mode;
    say(`The mode is ${printable(current)}.`);
    for (const each of modes.list)
      say(
        printable(
          `${each.slug === current ? ">" : " "} ${each.slug}  ${each.name.replaceAll(/\s+/g, " ")}  (${each.origin ?? "built in"})`,
        ),
      );
    return;
  }
  const result = task().switchMode(slug);
  say(
    printable(
      result.ok
        ? `The mode is ${slug}. Open asks are judged again now; the model sees it with the next request.`
        : result.message,
    ),
  );
}

function pause({ root, say }: SlashContext): void {
  const result = root.pause();
  say(result.ok ? "The task rests before its next request." : printable(result.message));
}

function compact({ task, say }: SlashContext, instructions: string): void {
  const result = task().compact(instructions);
  say(printable(result.ok ? "The next request condenses the conversation." : result.message));
}

async function queue(context: SlashContext, argument: string): Promise<void> {
  const { root, say } = context;
  const { queue: items } = root.snapshot.context;
  if (items.length === 0) return say("No message is queued.");
  if (argument === "") {
    for (const [index, { text }] of items.entries())
      say(`${String(index + 1).padStart(2)}. ${messageLine(text, MESSAGE_CHARS_MAX)}`);
    return;
  }
  const [, number = argument, text] = /^(\d+)\s+(.+)$/s.exec(argument) ?? [];
  const item = items[Number(number) - 1];
  if (item === undefined)
    throw new CliError(`Expected a number from 1 to ${items.length}, received '${printable(number)}'.`);
  await (text === undefined ? removeQueued(context, item) : changeQueued(context, item.id, text));
}

async function removeQueued({ root, say }: SlashContext, { id, text }: QueuedMessage): Promise<void> {
  root.unqueue(id);
  await root.flushed();
  say(`Removed from the queue: ${messageLine(text, MESSAGE_CHARS_MAX)}`);
}

/** Change the text of a queued message, which keeps its images. */
async function changeQueued({ root, say }: SlashContext, id: string, text: string): Promise<void> {
  const result = root.editQueued(id, text);
  await root.flushed();
  say(
    result.ok ? `Changed in the queue: ${messageLine(text, MESSAGE_CHARS_MAX)}` : printable(result.message),
  );
}

async function cost({ root, say }: SlashContext): Promise<void> {
  say(`Total: ${formatUsage(await root.totalUsage())}`);
}

function messages({ task, say }: SlashContext, argument: string): void {
  if (!/^(?:[1-9]\d{0,3})?$/.test(argument)) {
    say(printable(`Expected /messages or a number from 1 to 9999 after it, received '${argument}'.`));
    return;
  }
  const count = argument === "" ? MESSAGES_SHOWN : Number(argument);
  const { log } = task();
  const rows = log.toArray().slice(-count);
  say(`${log.length} messages${rows.length < log.length ? `, the last ${rows.length}` : ""}:`);
  for (const [index, row] of rows.entries())
    say(`  ${log.length - rows.length + index + 1}. ${formatMessageLine(row)}`);
}

const formatMessageLine = ({ type, ask, say, text, partial }: ClineMessage): string =>
  `${type}:${(type === "ask" ? ask : say) ?? "?"}${partial === true ? " (partial)" : ""} ${messageLine(text ?? "", MESSAGE_CHARS_MAX)}`;
