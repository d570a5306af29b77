import type { Policy } from "./policy.ts";

/** Everything is put to a person: this policy never decides. */
export function askAPerson(): Policy {
  return () => ({ kind: "ask" });
}

/** Allows every call, and the completions of subtasks. The top task's completion and questions are still put to a person. */
export function allowEverything(): Policy {
  return () => ({ kind: "allow", rule: "allow-everything" });
}

/** Denies every call, with this reason for the model, but for questions and completions: by these a task ends. */
export function denyEverything(reason = "No tool may be used here."): Policy {
  return ({ tool }) =>
    tool.effect === "asks" ? { kind: "ask" } : { kind: "deny", rule: "deny-everything", reason };
}

/** Allows what only reads and names nothing but paths inside the workspace that no ignore file closes. */
export function allowReadsInside(): Policy {
  return (call, { description: { paths } }) =>
    call.tool.group === "read" && call.tool.effect === "reads" && isInside(paths)
      ? { kind: "allow", rule: "allow-reads-inside" }
      : { kind: "ask" };
}

/** Allows what changes files and names nothing but paths inside the workspace that no ignore file closes. */
export function allowWritesInside(): Policy {
  return (call, { description: { paths } }) =>
    call.tool.group === "edit" && call.tool.effect === "writes" && isInside(paths)
      ? { kind: "allow", rule: "allow-writes-inside" }
      : { kind: "ask" };
}

/** Allows the model to keep its plan: nothing but the list itself changes. */
export function allowTodoList(): Policy {
  return (call) =>
    call.tool.name === "update_todo_list" && call.tool.effect === "none"
      ? { kind: "allow", rule: "allow-todo-list" }
      : { kind: "ask" };
}

/** Allows subtasks to be started, and their completions to be accepted. The top task's is still put to a person. */
export function allowSubtasks(): Policy {
  return ({ tool }, { subtask }) =>
    tool.effect === "delegates" || (tool.ask === "completion_result" && subtask === true)
      ? { kind: "allow", rule: "allow-subtasks" }
      : { kind: "ask" };
}

/**
 * The first policy that allows or denies decides; one that says `ask` abstains. Where all abstain, a person
 * is asked.
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

/** A call that names no path says nothing of where it reads: that is not "inside". */
function isInside(paths: readonly { readonly inside: boolean; readonly ignored: boolean }[]): boolean {
  return paths.length > 0 && paths.every((path) => path.inside && !path.ignored);
}
