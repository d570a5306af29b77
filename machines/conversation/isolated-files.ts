/** The files of a subtask that works apart from its parent: in a git worktree, or in a copy. A copy is stricter. */
export type IsolatedFiles = "worktree" | "copy";
