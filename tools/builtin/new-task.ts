import { z } from "zod";
import { memoize } from "../../machines/conversation/memoize.ts";
import { MODE_SLUG } from "../../machines/task/mode.ts";
import type { Restriction } from "../../machines/tool-call/restriction.ts";
import { defineTool } from "../define-tool.ts";
import { boundedDescriptor, PARTIAL_MAX_BYTES, textOf } from "../descriptor.ts";
import type { Tool } from "../tool.ts";
import { neverRuns } from "./asks.ts";
import type { JsonSchema } from "./result-schema.ts";
import {
  BACKGROUND_ARGUMENT,
  describeArguments,
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

const newTaskWith = <S extends z.ZodObject & z.ZodType<DescribedCall>>(
  inputSchema: S,
  description = DESCRIPTION,
): Tool =>
  defineTool({
    name: "new_task",
    displayName: "Start a subtask",
    group: "always",
    effect: "delegates",
    replayable: false,
    ask: "tool",
    description,
    inputSchema,
    partial: (raw) => {
      const message = textOf(raw, "message");
      if (message === undefined) return undefined;
      return descriptor({ mode: textOf(raw, "mode") ?? "", message }, PARTIAL_MAX_BYTES);
    },
    describe: (call) => descriptor(call),
    requestsBudget: (call) => requestedBudget(call),
    inBackground: ({ background }) => background === true,
    execute: neverRuns("new_task", "done by a subtask"),
  });

/** Delegates work to a subtask. */
export const newTask = newTaskWith(z.object(ARGUMENTS));

/** The arguments of new_task that only some tasks have. */
export interface SubtaskChoices {
  /** The profiles that are offered: a subtask can have one of them. */
  readonly profiles: readonly string[];
  /** Whether a subtask may work in the background. */
  readonly inBackground: boolean;
}

/** The tools of a task whose new_task has these arguments as well. Tasks with the same ones share one list. */
export function withChoices(tools: readonly Tool[], choices: SubtaskChoices): readonly Tool[] {
  if (choices.profiles.length === 0 && !choices.inBackground) return tools;
  const lists = listsOf(tools);
  const key = JSON.stringify([choices.profiles, choices.inBackground]);
  const list = lists.get(key) ?? tools.map((tool) => (tool === newTask ? newTaskFor(choices) : tool));
  lists.set(key, list);
  return list;
}

function newTaskFor({ profiles, inBackground }: SubtaskChoices): Tool {
  const all = z.object({ ...ARGUMENTS, profile: profileArgument(profiles), background: BACKGROUND_ARGUMENT });
  const own = all.omit({
    ...(profiles.length === 0 && { profile: true as const }),
    ...(!inBackground && { background: true as const }),
  });
  return newTaskWith(own, inBackground ? `${DESCRIPTION}${IN_BACKGROUND}` : DESCRIPTION);
}

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
