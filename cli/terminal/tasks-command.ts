import { printable } from "../../client/printable/printable.ts";
import { dottedPath } from "../../machines/message/states.ts";
import { unendedSubtasks } from "../../machines/task/background-subtasks.ts";
import { profileInUse, selectedModel } from "../../machines/task/profile.ts";
import { askView } from "../../present/asks.ts";
import { IN_BACKGROUND } from "../../present/subtask-name.ts";
import type { Ask } from "../../runtime/task/ask.ts";
import type { Task } from "../../runtime/task/task.ts";
import { CliError } from "../error.ts";
import { subtaskLabel, subtaskNumber } from "../run/subtasks.ts";
import { formatCost } from "../show/format.ts";
import { alignColumns } from "./columns.ts";
import { messageLine } from "./message-line.ts";
import { formatTarget } from "./questions.ts";
import type { SlashCommand, SlashContext } from "./slash-context.ts";
import { formatElapsed, formatState } from "./status-line.ts";
import { taskName } from "./task-views.ts";

/** Maximum characters shown of an ask. */
const ASK_CHARS_MAX = 60;
/** The most cells of the name of a task, of its mode and of its model. */
const COLUMN_WIDTHS_MAX = [40, 20, 40];

/** Lists the task and its subtasks with the commands in their background. A subtask is chosen or canceled by its number. */
export const tasksCommand: SlashCommand = {
  usage: "/tasks [[cancel] N]",
  about: "the subtasks, and commands in the background; N: choose the subtask that you talk to, 0 for none",
  run: tasks,
  candidates: (context) => subtasksAtWork(context).map(subtaskNumber),
};

function tasks(context: SlashContext, argument: string): void {
  const [, cancel, number] = /^(?:(cancel)\s+)?([\d.]*)$/.exec(argument.trim()) ?? [];
  if (number === undefined || (cancel !== undefined && number === ""))
    throw new CliError(
      `Expected the number of a subtask, or cancel and its number, received '${printable(argument)}'.`,
    );
  if (number === "") list(context);
  else if (cancel === undefined) choose(context, number);
  else cancelSubtask(context, number);
}

function list(context: SlashContext): void {
  const tasks = context.tasks().toSorted(inTree);
  const inBackground = new Set(
    tasks.flatMap(({ snapshot }) => unendedSubtasks(snapshot.context).map(({ childId }) => childId)),
  );
  const lines = alignColumns(
    tasks.map((task) => cellsOf(task, inBackground.has(task.id), context)),
    COLUMN_WIDTHS_MAX,
  );
  for (const [index, task] of tasks.entries()) {
    context.say(lines[index] ?? "");
    for (const command of backgroundCommands([task])) context.say(`${indentOf(task)}  $ ${command}`);
  }
}

/** The tasks of a tree, each after its parent, by their numbers. */
function inTree(one: Task, other: Task): number {
  const [numbers, others] = [numbersOf(one), numbersOf(other)];
  const at = numbers.findIndex((number, index) => number !== others[index]);
  return at < 0 ? numbers.length - others.length : (numbers[at] ?? 0) - (others[at] ?? 0);
}

const numbersOf = (task: Task): readonly number[] =>
  task.parent === undefined ? [] : subtaskNumber(task).split(".").map(Number);

const indentOf = (task: Task): string => "  ".repeat(numbersOf(task).length);

/** The name of a task, its mode, its model, and the rest of its line. */
function cellsOf(task: Task, isInBackground: boolean, { task: focus, now }: SlashContext): readonly string[] {
  const { context } = task.snapshot;
  const begun = task.log.at(0)?.ts ?? now();
  const isAtWork = task.isOpen && task.isWorking;
  const parts = [
    isInBackground ? IN_BACKGROUND : undefined,
    stateOf(task),
    formatCost(context.total),
    formatElapsed((isAtWork ? now() : (task.log.at(-1)?.ts ?? begun)) - begun),
    task === focus() ? "(yours)" : undefined,
  ];
  return [
    `${indentOf(task)}${taskName(task)}`,
    printable(context.mode),
    printable(modelOf(task)),
    parts.filter((part) => part !== undefined).join(" · "),
  ];
}

/** The model of a task: the id, after the name of a profile that is not the standard one. */
function modelOf({ snapshot: { context } }: Task): string {
  const id = selectedModel(context)?.id ?? "";
  const profile = profileInUse(context);
  return profile === null ? id : `${profile} ${id}`.trimEnd();
}

/** The state of a task, and what it waits for. */
function stateOf(task: Task): string {
  if (!task.isOpen) return "ended";
  const { value, context } = task.snapshot;
  if (dottedPath(value) === "running.delegated") return `waits for ${subtasksAwaited(task)}`;
  const ask = task.asks.find(({ kind }) => kind !== "command_output");
  if (task.parent !== undefined && ask?.kind === "completion") return "asks whether its result is accepted";
  const { errorCode, reason } = task.log.at(-1) ?? {};
  const state = formatState({ state: task.state.state, ask: context.ask?.ask, errorCode, reason });
  if (ask === undefined || task.state.state !== "waiting_for_input") return state;
  return `asks: ${messageLine(aboutOf(ask), ASK_CHARS_MAX)}`;
}

function aboutOf(ask: Ask): string {
  if (ask.kind === "question") return ask.question;
  return "rules" in ask ? formatTarget(ask) : askView(ask.type, ask).about;
}

function subtasksAwaited({ snapshot: { context } }: Task): string {
  const delegated = context.turn.calls.filter(({ phase }) => phase === "delegated").length;
  const length = delegated === 0 ? unendedSubtasks(context).length : delegated;
  return length === 1 ? "a subtask" : `${length} subtasks`;
}

/** The subtasks that can be chosen. */
const subtasksAtWork = ({ tasks: all, root, isAwaited }: SlashContext): readonly Task[] =>
  all()
    .filter((task) => task !== root && task.isOpen && isAwaited(task))
    .toSorted(inTree);

function subtaskOf(context: SlashContext, number: string): Task {
  const subtasks = subtasksAtWork(context);
  const found = subtasks.find((task) => subtaskNumber(task) === number);
  if (found !== undefined) return found;
  const numbers = subtasks.map(subtaskNumber).join(", ");
  throw new CliError(
    numbers === ""
      ? "No subtask works."
      : `Expected the number of a subtask that works: ${numbers}, received '${number}'.`,
  );
}

function choose(context: SlashContext, number: string): void {
  const isNone = number === "0";
  const chosen = isNone ? context.root : subtaskOf(context, number);
  context.chooseTask(chosen);
  context.say(
    isNone
      ? "Messages and commands are for the subtask that asks or works."
      : `Messages and commands are for ${subtaskLabel(chosen)} until it ends. /tasks 0 undoes this.`,
  );
}

function cancelSubtask(context: SlashContext, number: string): void {
  const subtask = subtaskOf(context, number);
  subtask.cancel();
  context.say(`${taskName(subtask)} is cancelled, and its parent goes on.`);
}

/** The commands that run in the background, each on one line. */
export const backgroundCommands = (all: readonly Task[]): readonly string[] =>
  all
    .flatMap(({ snapshot }) => snapshot.context.background)
    .map(({ command }) => printable(command).replaceAll("\n", " "));
