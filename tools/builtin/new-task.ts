import { z } from "zod";
import type { IsolatedFiles } from "../../machines/conversation/isolated-files.ts";
import { memoize } from "../../machines/conversation/memoize.ts";
import { MODE_SLUG } from "../../machines/task/mode.ts";
import type { Restriction } from "../../machines/tool-call/restriction.ts";
import { atLeastAsStrict, type IsolationKind, stricterKind } from "../../ports/subtask-files.ts";
import { defineTool } from "../define-tool.ts";
import { boundedDescriptor, PARTIAL_MAX_BYTES, textOf } from "../descriptor.ts";
import type { Tool } from "../tool.ts";
import { neverRuns } from "./asks.ts";
import type { JsonSchema } from "./result-schema.ts";
import {
  BACKGROUND_ARGUMENT,
  describeArguments,
  isolationArgument,
  profileArgument,
  requestedBudget,
  restrictionOf,
  SUBTASK_ARGUMENTS,
  type SubtaskArguments,
} from "./subtask-arguments.ts";

const MESSAGE_MAX_CHARS = 200_000;
const TODOS_MAX_CHARS = 50_000;

const ARGUMENTS = {
  mode: z
    .string()
    .regex(MODE_SLUG, "expected the slug of a mode, such as code, ask or architect")
    .describe("The slug of the subtask's initial mode, such as code, ask or architect."),
  message: z
    .string()
    .min(1)
    .max(MESSAGE_MAX_CHARS)
    .describe("The subtask's work, with everything it must know: it does not see this conversation."),
  todos: z
    .string()
    .max(TODOS_MAX_CHARS)
    .nullish()
    .describe("Its first todo list, as a markdown checklist with one item a line."),
  ...SUBTASK_ARGUMENTS,
};

const input = z.object({ ...ARGUMENTS, profile: z.string().nullish() });

const DESCRIPTION =
  "Starts a subtask with its own message and waits for its result. Several in one response work at the same time. Other calls after it in the response are not executed.";
const IN_BACKGROUND = " With background: true it does not wait, and calls after it are executed.";

const NO_CHOICES = { inBackground: false };

const newTaskWith = <S extends z.ZodObject & z.ZodType<DescribedCall>>(
  inputSchema: S,
  { inBackground, isolation }: Omit<SubtaskChoices, "profiles"> = NO_CHOICES,
): Tool => {
  const tool = defineTool({
    name: "new_task",
    displayName: "Start a subtask",
    group: "always",
    effect: "delegates",
    replayable: false,
    ask: "tool",
    description: inBackground ? `${DESCRIPTION}${IN_BACKGROUND}` : DESCRIPTION,
    inputSchema,
    partial: (raw) => {
      const message = textOf(raw, "message");
      if (message === undefined) return undefined;
      return descriptor({ mode: textOf(raw, "mode") ?? "", message }, PARTIAL_MAX_BYTES);
    },
    describe: (call) => descriptor(call),
    requestsBudget: (call) => requestedBudget(call),
    inBackground: ({ background }) => background === true,
    isolates: (call) => ownFiles(stricterKind(isolation ?? "shared", call.isolation ?? "shared")),
    execute: neverRuns("new_task", "done by a subtask"),
  });
  const absent = Object.entries(SETTING_OF).filter(([name]) => !Object.hasOwn(inputSchema.shape, name));
  return {
    ...tool,
    prepare(given) {
      const prepared = tool.prepare(given);
      const named = absent.filter(([name]) => Object.hasOwn(given, name));
      if (prepared.ok || named.length === 0) return prepared;
      const reasons = named.map(([name, setting]) => `'${name}' is only for tasks with ${setting}.`);
      return { ok: false, error: [prepared.error, ...reasons].join(" ") };
    },
  };
};

/** The settings that permit the arguments of only some tasks. */
const SETTING_OF = {
  profile: "several profiles in the settings (option models)",
  background: "the setting backgroundSubtasks",
  isolation: "the setting isolation, at most worktree",
} as const satisfies Partial<Record<keyof SubtaskArguments, string>>;

/** Delegates work to a subtask. */
export const newTask = newTaskWith(z.object(ARGUMENTS));

/** The arguments of new_task that only some tasks have. */
export interface SubtaskChoices {
  /** The profiles that are offered: a subtask can have one of them. */
  readonly profiles: readonly string[];
  /** Whether a subtask may work in the background. */
  readonly inBackground: boolean;
  /** The files of a subtask, unless its call chooses stricter ones. Undefined: the files of the task, without a choice. */
  readonly isolation?: IsolationKind | undefined;
}

/** The tools of a task whose new_task has these arguments as well. Tasks with the same ones share one list. */
export function withChoices(tools: readonly Tool[], choices: SubtaskChoices): readonly Tool[] {
  const { profiles, inBackground, isolation } = choices;
  if (profiles.length === 0 && !inBackground && isolation === undefined) return tools;
  const lists = listsOf(tools);
  const key = JSON.stringify([profiles, inBackground, isolation]);
  const list = lists.get(key) ?? tools.map((tool) => (tool === newTask ? newTaskFor(choices) : tool));
  lists.set(key, list);
  return list;
}

function newTaskFor({ profiles, ...choices }: SubtaskChoices): Tool {
  const { inBackground, isolation } = choices;
  const kinds = isolation === undefined ? [] : atLeastAsStrict(isolation);
  const all = z.object({
    ...ARGUMENTS,
    profile: profileArgument(profiles),
    background: BACKGROUND_ARGUMENT,
    isolation: isolationArgument(kinds),
  });
  const own = all.omit({
    ...(profiles.length === 0 && { profile: true as const }),
    ...(!inBackground && { background: true as const }),
    ...(kinds.length < 2 && { isolation: true as const }),
  });
  return newTaskWith(own, choices);
}

const ownFiles = (kind: IsolationKind): IsolatedFiles | undefined => (kind === "shared" ? undefined : kind);

const listsOf = memoize((_: readonly Tool[]) => new Map<string, readonly Tool[]>());

interface DescribedCall extends SubtaskArguments {
  readonly mode: string;
  readonly message: string;
  readonly todos?: string | null | undefined;
}

function descriptor({ mode, message, todos, ...given }: DescribedCall, maxBytes?: number): string {
  const fields = { tool: "newTask", mode, content: message, todos: todos ?? "", ...describeArguments(given) };
  return boundedDescriptor(fields, maxBytes);
}

/** A subtask as a new_task call asks for it. */
export interface SubtaskRequest {
  /** The slug of its first mode. */
  readonly mode: string;
  readonly prompt: string;
  readonly name?: string;
  readonly profile?: string;
  readonly restriction?: Restriction;
  /** Accepts its result. Absent: the result is a text. */
  readonly resultSchema?: JsonSchema;
}

/** The subtask that a new_task call starts. Undefined if the arguments are invalid. */
export function subtaskOf(call: unknown): SubtaskRequest | undefined {
  const parsed = input.safeParse(call);
  if (!parsed.success) return undefined;
  const { mode, message, todos, name, profile, result } = parsed.data;
  const hasTodos = todos != null && todos.trim() !== "";
  const restriction = restrictionOf(parsed.data);
  return {
    mode,
    prompt: hasTodos ? `${message}\n\nTodo list:\n${todos}` : message,
    ...(name != null && { name }),
    ...(profile != null && { profile }),
    ...(restriction !== undefined && { restriction }),
    ...(result != null && { resultSchema: result }),
  };
}
