import type { Define } from "./command.ts";

/** A command as `--help` lists it. */
interface CommandEntry {
  /** Its options and arguments in short. Absent: it has commands of its own. */
  readonly takes?: string;
  readonly summary: string;
  readonly alias?: string;
  /** Its module, which is loaded when it is called: help and a misspelled name are fast. */
  readonly load: () => Promise<{ readonly define: Define }>;
}

/** The commands of `signalbox`, in the order of its help. */
export const COMMANDS: Readonly<Record<string, CommandEntry>> = {
  run: {
    takes: "[options] [prompt]",
    summary: "run or resume a task in this folder (the default command)",
    load: () => import("./run.ts"),
  },
  list: {
    takes: "[options] [what]",
    summary:
      "list the task history, newest first (docs/guide/task-history.md), or sessions (root tasks), commands, modes, or models with a known price",
    load: () => import("./list.ts"),
  },
  show: {
    takes: "[options] <id>",
    summary:
      "show a task of the task history: its messages, and how to resume it (docs/guide/task-history.md)",
    load: () => import("./show.ts"),
  },
  fork: {
    takes: "[options] <id>",
    summary: "create a task from the first records of another",
    load: () => import("./fork.ts"),
  },
  rename: {
    takes: "[options] <id> <name>",
    summary: "rename a task",
    load: () => import("./rename.ts"),
  },
  delete: {
    takes: "[options] <id>",
    summary: "delete a task permanently",
    load: () => import("./delete.ts"),
  },
  mock: {
    takes: "[options]",
    summary: "serve the Messages API from a script, on 127.0.0.1 (docs/reference/mock.md)",
    load: () => import("./mock.ts"),
  },
  serve: {
    takes: "[options]",
    summary: "serve tasks to browsers and other programs (docs/reference/server.md)",
    load: () => import("./serve.ts"),
  },
  worker: {
    takes: "[options]",
    summary: "work on the tasks of a database, beside other workers (docs/guide/cluster.md)",
    load: () => import("./worker.ts"),
  },
  inspect: {
    takes: "[options] [id]",
    summary:
      "open the visual debugger in a browser, on the data folder, a task, a journal, runs, or sessions of other agents (docs/guide/debugger.md)",
    load: () => import("./inspect.ts"),
  },
  acp: {
    takes: "[options]",
    summary: "serve an editor that speaks the Agent Client Protocol, on stdin and stdout (docs/guide/acp.md)",
    load: () => import("./acp.ts"),
  },
  import: {
    takes: "[options] <dir>",
    summary: "import a Roo Code task folder (docs/guide/import-export.md)",
    load: () => import("./import.ts"),
  },
  export: {
    takes: "[options] <id> <path>",
    summary: "export a task as a Roo Code task folder or a log of Inspect (docs/guide/import-export.md)",
    load: () => import("./export.ts"),
  },
  diagram: {
    takes: "[options]",
    summary: "draw the task machine",
    load: () => import("./diagram.ts"),
  },
  restore: {
    takes: "[options] <id>",
    summary: "restore the workspace's files to a checkpoint of a task (docs/guide/checkpoints.md)",
    load: () => import("./restore.ts"),
  },
  worktrees: {
    summary:
      "list, merge and drop the files of tasks that work in a worktree or copy (docs/guide/isolated-files.md)",
    load: () => import("./worktrees.ts"),
  },
  verify: {
    takes: "[options]",
    summary: "explore the task machine and check its laws (docs/internals/verification.md)",
    load: () => import("./verify.ts"),
  },
  simulate: {
    takes: "[options]",
    summary:
      "run whole tasks on a simulated clock with injected faults, checking the laws (docs/guide/simulation.md)",
    load: () => import("./simulate.ts"),
  },
  control: {
    summary:
      "run control protocols in settings (docs/guide/measuring-control.md), report and replay them (docs/guide/control-report.md), and compute their worst case (docs/guide/worst-case.md)",
    load: () => import("./control.ts"),
  },
  ledger: {
    summary: "show and verify what agents wrote in a workspace (docs/guide/ledger.md)",
    load: () => import("./ledger.ts"),
  },
  db: {
    summary: "prepare and check a database of tasks, and move tasks to it (docs/guide/postgres.md)",
    load: () => import("./db.ts"),
  },
  cluster: {
    summary: "start tasks on several processes of this machine, with their database (docs/guide/cluster.md)",
    load: () => import("./cluster.ts"),
  },
  config: {
    summary: "show settings, and trust a project's settings (docs/guide/settings.md)",
    load: () => import("./config.ts"),
  },
  permissions: {
    summary:
      "explain what the rules decide, and what others would have decided (docs/guide/change-permissions.md)",
    load: () => import("./permissions.ts"),
  },
  mcp: {
    summary: "the MCP servers whose tools a task has (docs/guide/mcp.md)",
    load: () => import("./mcp.ts"),
  },
  doctor: {
    takes: "[options]",
    summary:
      "show what a run would use: keys, model, settings, MCP servers, files; and what prevents it (exit code 1)",
    alias: "status",
    load: () => import("./doctor.ts"),
  },
};

/** The command that takes a prompt without its name. */
export const DEFAULT_COMMAND = "run";

/** `signalbox-roo` has the flags and the defaults of Roo Code's command. */
export const ROO_RUN: CommandEntry = {
  takes: "[options] [prompt]",
  summary: "run a task in this folder; everything is approved unless -a is given",
  load: () => import("./roo.ts"),
};
