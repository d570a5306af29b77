import type { Conversation } from "../../machines/conversation/conversation.ts";
import type { Entry } from "../../machines/conversation/entry.ts";
import { memoize } from "../../machines/conversation/memoize.ts";
import { editedTodos, parseTodos } from "../../tools/builtin/update-todo-list.ts";
import { shortened } from "./element.ts";

const TODO_TOOL = "update_todo_list";
const MARKS = { pending: " ", in_progress: "-", completed: "x" } as const;

/** Limits of the todo list in a request. */
export interface TodoLimits {
  readonly todoItems: number;
  readonly todoItemChars: number;
}

/**
 * The todo list of the newest successful call that set it, as a bounded checklist; it may be empty. Undefined: there is
 * none, or the call was condensed, and the conversation has its checklist.
 */
export function todoChecklist(conversation: Conversation, bounds: TodoLimits): string | undefined {
  const todos = newestTodos(conversation);
  if (todos === undefined) return undefined;
  const items = parseTodos(todos);
  const lines = items
    .slice(0, bounds.todoItems)
    .map(({ status, content }) => `- [${MARKS[status]}] ${shortened(content, bounds.todoItemChars)}`);
  if (items.length > lines.length) lines.push(`(${items.length - lines.length} more items are not shown)`);
  return lines.join("\n");
}

function newestTodos(conversation: Conversation): string | undefined {
  let position = conversation.length;
  for (const entries of [...conversation.leaves()].reverse()) {
    position -= entries.length;
    for (const { offset, id, todos } of todoCalls(entries)) {
      const results = conversation.at(position + offset + 1);
      const result = results?.content.find((block) => isSuccess(block, id));
      if (result !== undefined) return editedIn(result) ?? todos;
    }
  }
  return undefined;
}

/** The tool calls that set the todo list, last first, with the offset of their entry. */
const todoCalls = memoize((entries: readonly Entry[]) =>
  entries
    .flatMap(({ content }, offset) =>
      content.flatMap((block) =>
        block.type === "tool_use" && block.name === TODO_TOOL && typeof block.input.todos === "string"
          ? [{ offset, id: block.id, todos: block.input.todos }]
          : [],
      ),
    )
    .reverse(),
);

/** The list that the user put in place of the model's. */
function editedIn(result: Entry["content"][number]): string | undefined {
  if (result.type !== "tool_result") return undefined;
  const texts = result.content.flatMap((block) => (block.type === "text" ? [editedTodos(block.text)] : []));
  return texts.find((text) => text !== undefined);
}

const isSuccess = (block: Entry["content"][number], id: string): boolean =>
  block.type === "tool_result" && block.tool_use_id === id && block.is_error !== true;
