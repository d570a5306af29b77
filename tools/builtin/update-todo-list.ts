import { createHash } from "node:crypto";
import { z } from "zod";
import { defineTool } from "../define-tool.ts";
import { boundedDescriptor, PARTIAL_MAX_BYTES, textOf } from "../descriptor.ts";
import { ToolError } from "../error.ts";

/** One item of the model's plan. */
export interface TodoItem {
  readonly id: string;
  readonly content: string;
  readonly status: "pending" | "in_progress" | "completed";
}

const TODOS_MAX_CHARS = 50_000;
const ITEM = /^\s*(?:[-*+]\s+)?\[( |x|X|-|~)\]\s+(.*\S)\s*$/;

/** Items of a markdown checklist: `[ ]` is pending, `[-]` or `[~]` in progress, `[x]` completed; other lines are left out. */
export function parseTodos(markdown: string): readonly TodoItem[] {
  const seen = new Map<string, number>();
  const items: TodoItem[] = [];
  for (const line of markdown.split(/\r?\n/)) {
    const [, mark, content] = ITEM.exec(line) ?? [];
    if (mark === undefined || content === undefined) continue;
    const nth = seen.get(content) ?? 0;
    seen.set(content, nth + 1);
    // The same item keeps its id when its status changes.
    const id = createHash("sha256").update(`${nth} ${content}`).digest("hex").slice(0, 16);
    items.push({ id, content, status: statusOf(mark) });
  }
  return items;
}

function statusOf(mark: string): TodoItem["status"] {
  if (mark === " ") return "pending";
  return mark === "-" || mark === "~" ? "in_progress" : "completed";
}

/** Replaces the model's plan, which is shown to the person. */
export const updateTodoList = defineTool({
  name: "update_todo_list",
  displayName: "Update todo list",
  group: "always",
  effect: "none",
  description:
    "Replaces the todo list by a markdown checklist with one item a line: '[ ] pending', '[-] in progress', '[x] completed'.",
  input: z.object({ todos: z.string().max(TODOS_MAX_CHARS).describe("The whole checklist.") }),
  partial: (raw) => {
    const todos = textOf(raw, "todos");
    return todos === undefined ? undefined : descriptor(parseTodos(todos), PARTIAL_MAX_BYTES);
  },
  describe: ({ todos }) => descriptor(checked(todos)),
  run: ({ todos }) => {
    checked(todos);
    return "Todo list updated successfully.";
  },
});

function descriptor(todos: readonly TodoItem[], maxBytes?: number): string {
  return boundedDescriptor({ tool: "updateTodoList", todos }, maxBytes);
}

function checked(todos: string): readonly TodoItem[] {
  const items = parseTodos(todos);
  if (items.length === 0 && todos.trim() !== "") {
    throw new ToolError(
      "bad_arguments",
      "The argument 'todos' holds no item: expected lines such as '[ ] write the test', '[-] under way' or '[x] done'.",
    );
  }
  return items;
}
