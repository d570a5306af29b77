import type { Description } from "../tool.ts";
import type { Policy } from "./policy.ts";

/** Asks the user about every call. */
export function askAPerson(): Policy {
  return () => ({ kind: "ask" });
}

/** Allows every call and the completions of subtasks. The user is still asked questions and accepts the root task's completion. */
export function allowEverything(): Policy {
  return () => ({ kind: "allow", rule: "allow-everything" });
}

/** Denies every call, with this reason for the model. Questions and completions are still asked, so that a task can end. */
export function denyEverything(reason = "No tool may be used here."): Policy {
  return ({ tool }) =>
    tool.effect === "asks" ? { kind: "ask" } : { kind: "deny", rule: "deny-everything", reason };
}

/**
 * Allows tools that only read, if all paths are inside the workspace and not ignored. Skills, artifacts and the output of
 * background commands are allowed, too: they are read by name or id, and a task has only its own.
 */
export function allowReadsInside(): Policy {
  return (call, { description }) =>
    call.tool.effect === "reads" &&
    ((call.tool.group === "read" && isInside(description)) ||
      (description.paths.length === 0 && call.tool.requires !== undefined))
      ? { kind: "allow", rule: "allow-reads-inside" }
      : { kind: "ask" };
}

/** Allows tools that edit files, if all paths are inside the workspace and not ignored. */
export function allowWritesInside(): Policy {
  return (call, { description }) =>
    call.tool.group === "edit" && call.tool.effect === "writes" && isInside(description)
      ? { kind: "allow", rule: "allow-writes-inside" }
      : { kind: "ask" };
}

/** Allows updates of the todo list. */
export function allowTodoList(): Policy {
  return (call) =>
    call.tool.name === "update_todo_list" && call.tool.effect === "none"
      ? { kind: "allow", rule: "allow-todo-list" }
      : { kind: "ask" };
}

/** Allows starting subtasks and accepting their completions. The user still accepts the root task's completion. */
export function allowSubtasks(): Policy {
  return ({ tool }, { subtask }) =>
    tool.effect === "delegates" || (tool.ask === "completion_result" && subtask === true)
      ? { kind: "allow", rule: "allow-subtasks" }
      : { kind: "ask" };
}

/**
 * Combines policies: the first that allows or denies decides. If all return `ask`, the user is asked.
 *
 * @example
 * ```ts
 * import { allowCommands, allowReadsInside, askAPerson, firstOf } from "signalbox/tools";
 * const policy = firstOf(allowReadsInside(), allowCommands({ allow: ["npm test"], deny: ["git push"] }), askAPerson());
 * ```
 */
export function firstOf(...policies: readonly Policy[]): Policy {
  return async (call, facts) => {
    for (const policy of policies) {
      const verdict = await policy(call, facts);
      if (verdict.kind !== "ask") return verdict;
    }
    return { kind: "ask" };
  };
}

/** A call without paths may read anywhere, and is not inside. Neither is one that uses the web or a server. */
function isInside({ paths, fetches, mcp }: Description): boolean {
  if (fetches !== undefined || mcp !== undefined) return false;
  return paths.length > 0 && paths.every((path) => path.inside && !path.ignored);
}
