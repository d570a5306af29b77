import { createHash } from "node:crypto";
import { z } from "zod";
import type { Amendment } from "../../machines/tool-call/call.ts";
import { type Amended, defineTool } from "../define-tool.ts";
import { boundedDescriptor, PARTIAL_MAX_BYTES, textOf } from "../descriptor.ts";
import { ToolError } from "../error.ts";
import type { Description } from "../tool.ts";

/** An item of the todo list. */
export interface TodoItem {
  readonly id: string;
  readonly content: string;
  readonly status: "pending" | "in_progress" | "completed";
}

const TODOS_MAX_CHARS = 50_000;
const ITEM = /^\s*(?:[-*+]\s+)?\[( |x|X|-|~)\]\s+(.*\S)\s*$/;

/** Parse a markdown checklist: `[ ]` pending, `[-]` or `[~]` in progress, `[x]` completed. Other lines are ignored. */
export function parseTodos(markdown: string): readonly TodoItem[] {
  const seen = new Map<string, number>();
  const items: TodoItem[] = [];
  for (const line of markdown.split(/\r?\n/)) {
    const [, mark, content] = ITEM.exec(line) ?? [];
    if (mark === undefined || content === undefined) continue;
    const nth = seen.get(content) ?? 0;
    seen.set(content, nth + 1);
    // An item keeps its id when its status changes.
    const id = createHash("sha256").update(`${nth} ${content}`).digest("hex").slice(0, 16);
    items.push({ id, content, status: statusOf(mark) });
  }
  return items;
}

function statusOf(mark: string): TodoItem["status"] {
  if (mark === " ") return "pending";
  return mark === "-" || mark === "~" ? "in_progress" : "completed";
}

const input = z.object({ todos: z.string().max(TODOS_MAX_CHARS).describe("The complete checklist.") });

/** Replaces the todo list. */
export const updateTodoList = defineTool({
  name: "update_todo_list",
  displayName: "Update todo list",
  group: "always",
  effect: "none",
  description:
    "Replaces the todo list with a markdown checklist, one item per line: '[ ] pending', '[-] in progress', '[x] completed'.",
  inputSchema: input,
  partial: (raw) => {
    const todos = textOf(raw, "todos");
    return todos === undefined ? undefined : descriptor(parseTodos(todos), PARTIAL_MAX_BYTES);
  },
  describe: ({ todos }) => description(todos),
  amend: (_, amendment) => editedList(amendment),
  execute: ({ todos }) => {
    validate(todos);
    return "Todo list updated successfully.";
  },
});

const description = (todos: string): Description => ({
  text: descriptor(validate(todos)),
  paths: [],
  proposal: { kind: "todos", after: todos },
});

/** The list that a person wrote in place of the proposed one. */
function editedList(amendment: Amendment): Amended {
  const parsed = input.strict().safeParse(amendment);
  if (!parsed.success) {
    throw new ToolError(
      "ARGUMENTS_INVALID",
      `expected { "todos": the complete checklist, at most ${TODOS_MAX_CHARS} characters }.`,
    );
  }
  const { todos } = parsed.data;
  const items = validate(todos);
  return {
    input: { todos },
    describe: async () => ({
      ...description(todos),
      edit: { say: "user_edit_todos", text: descriptor(items) },
    }),
    execute: async () => ({ content: [{ type: "text", text: `${EDITED}${checklist(items)}` }] }),
  };
}

const EDITED = "User edits todo:\n\n";

/** The checklist in the result of a call whose list a person edited. */
export const editedTodos = (result: string): string | undefined =>
  result.startsWith(EDITED) ? result.slice(EDITED.length) : undefined;

const MARKS = { pending: " ", in_progress: "-", completed: "x" } as const satisfies Record<
  TodoItem["status"],
  string
>;

const checklist = (items: readonly TodoItem[]): string =>
  items.length === 0
    ? "(the list is empty)"
    : items.map(({ content, status }) => `[${MARKS[status]}] ${content}`).join("\n");

function descriptor(todos: readonly TodoItem[], maxBytes?: number): string {
  return boundedDescriptor({ tool: "updateTodoList", todos }, maxBytes);
}

function validate(todos: string): readonly TodoItem[] {
  const items = parseTodos(todos);
  if (items.length === 0 && todos.trim() !== "") {
    throw new ToolError(
      "ARGUMENTS_INVALID",
      "'todos' has no item: expected lines such as '[ ] write the test', '[-] in progress' or '[x] done'.",
    );
  }
  return items;
}
