import type { NamedTest } from "./named-tests.ts";

/** A feature of Roo Code. */
export interface Feature {
  readonly feature: string;
  /** The files and folders that have it. */
  readonly places: readonly string[];
  readonly tests: readonly NamedTest[];
}

/** The features by the part of the product that has them. */
export const FEATURES: Readonly<Record<string, readonly Feature[]>> = {
  "The task": [
    {
      feature: "a task",
      places: ["runtime/", "machines/task/"],
      tests: ["test/runtime/main-scenario.test.ts: a task whose asks a person approves"],
    },
    {
      feature: "the agentic loop",
      places: ["machines/task/task.machine.ts"],
      tests: ["test/runtime/task/turn.test.ts: two allowed reads of one response run concurrently"],
    },
    {
      feature: "messages for people, entries for the model",
      places: ["machines/message/", "machines/conversation/"],
      tests: ["test/machines/task/laws.test.ts: the task machine under random events"],
    },
    {
      feature: "partial messages while a response streams",
      places: ["machines/task/stream.ts"],
      tests: ["test/machines/task/stream.test.ts: text that still grows stays partial"],
    },
    {
      feature: "asks and answers, each ask with an id",
      places: ["actors/ask/", "machines/task/approval.ts"],
      tests: ["test/runtime/task/answers.test.ts: an approval with feedback runs the call"],
    },
    {
      feature: "a result for each tool call",
      places: ["machines/conversation/"],
      tests: ["test/machines/conversation/pairing.test.ts: gives a call without an outcome an error"],
    },
    {
      feature: "cancel and resume",
      places: ["machines/task/lifecycle.ts"],
      tests: ["test/runtime/task/cancel.test.ts: a cancel settles the task"],
    },
    {
      feature: "persistence",
      places: ["store/"],
      tests: ["test/machines/task/laws.test.ts: recovers and continues from every prefix"],
    },
    {
      feature: "history of tasks",
      places: ["runtime/task-history/"],
      tests: ["test/runtime/task-history.test.ts: a task is listed while it runs"],
    },
    {
      feature: "queued messages",
      places: ["machines/task/"],
      tests: ["test/runtime/task/queue.test.ts: are sent as they were edited"],
    },
    {
      feature: "subtasks, several at once; the parent waits, or goes on",
      places: ["runtime/subtasks/", "actors/subtask/"],
      tests: ["test/runtime/subtasks/subtasks.test.ts: that completes gives its parent the result once"],
    },
    {
      feature: "retries of failed requests",
      places: ["machines/task/"],
      tests: ["test/runtime/failures.test.ts: is retried; each attempt has its own message"],
    },
    {
      feature: "limits, detection of repetition",
      places: ["machines/task/limits.ts"],
      tests: ["test/runtime/loop-guards.test.ts: that alternates between two calls is refused"],
    },
  ],
  "What the model knows": [
    {
      feature: "system prompt, project rules, skills",
      places: ["actors/context/", "adapters/instructions/"],
      tests: ["test/actors/context/system-prompt.test.ts: has a line of tool names for each group"],
    },
    {
      feature: "mentions",
      places: ["actors/context/"],
      tests: ["test/runtime/mentions.test.ts: the files and images that the prompt mentions"],
    },
    {
      feature: "environment details",
      places: ["actors/context/"],
      tests: ["test/runtime/environment.test.ts: a request lists the background commands"],
    },
    {
      feature: "`.rooignore`",
      places: ["adapters/workspace/"],
      tests: ["test/machines/task/review.test.ts: shows the path that .rooignore denies"],
    },
    {
      feature: "condensation and sliding window",
      places: ["machines/conversation/", "actors/llm/"],
      tests: ["test/runtime/condensing.test.ts: keeps its todo list"],
    },
    {
      feature: "unsaved buffers, diagnostics, open files of an editor",
      places: ["actors/context/editor/"],
      tests: ["test/runtime/editors.test.ts: reads unsaved text"],
    },
  ],
  "Modes, tools and permissions": [
    {
      feature: "intents: `select_active_intent`, `owned_scope`, `<intent_context>`",
      places: ["settings/intents.ts", "tools/intents/", "machines/task/intent.ts"],
      tests: ["test/runtime/intents.test.ts: another one can be selected"],
    },
    {
      feature: "modes, custom modes, `.roomodes`",
      places: ["tools/modes/", "settings/modes/"],
      tests: ["test/cli/modes.test.ts: are the modes of its tasks"],
    },
    {
      feature: "XML tool protocol",
      places: ["adapters/xml-tools/"],
      tests: ["test/adapters/xml-tools/parser.test.ts: cuts a call at each place"],
    },
    {
      feature: "validation of a tool call against its mode",
      places: ["tools/modes/validate-tool-use.ts"],
      tests: ["test/tools/modes/validate-tool-use.test.ts: applies only the rules of the start"],
    },
    {
      feature: "a profile for each mode; `providerProfileChanged`",
      places: ["machines/task/", "settings/"],
      tests: ["test/runtime/profiles.test.ts: a mode selects its profile"],
    },
    {
      feature: "models of other providers",
      places: ["adapters/providers/", "cli/settings/"],
      tests: ["test/cli/endpoint.test.ts: runs a task with its key"],
    },
    {
      feature: "another profile while an endpoint fails",
      places: ["machines/task/"],
      tests: ["test/runtime/fallback.test.ts: is replaced by the next one of its list"],
    },
    {
      feature: "requests for input (MCP elicitation)",
      places: ["machines/task/", "actors/", "adapters/mcp/"],
      tests: ["test/runtime/elicitation.test.ts: waits for a person"],
    },
    {
      feature: "edits of files",
      places: ["tools/builtin/", "tools/diff/"],
      tests: [
        "test/tools/builtin/edit-file.test.ts: names the lines of several places",
        "test/tools/builtin/apply-patch.test.ts: adds, changes, moves and deletes files",
      ],
    },
    {
      feature: "searches",
      places: ["tools/builtin/"],
      tests: ["test/tools/builtin/search-tools.test.ts: gives one path a line"],
    },
    {
      feature: "commands",
      places: ["tools/builtin/", "actors/calls/"],
      tests: ["test/runtime/background-commands.test.ts: ends its call with an id, goes on"],
    },
    {
      feature: "prompts of MCP servers as slash commands",
      places: ["adapters/mcp/", "cli/run/", "cli/terminal/"],
      tests: ["test/cli/terminal/prompt-command.test.ts: are commands that are completed"],
    },
    {
      feature: "tools and resources of MCP servers",
      places: ["adapters/mcp/"],
      tests: ["test/runtime/mcp.test.ts: that its server changes after an approval is asked about again"],
    },
    {
      feature: "logins to MCP servers by OAuth",
      places: ["adapters/mcp/", "cli/commands/"],
      tests: ["test/cli/mcp.test.ts: is used after it"],
    },
    {
      feature: "web pages",
      places: ["tools/web/"],
      tests: ["test/tools/builtin/web-fetch.test.ts: gives a page over HTTPS as Markdown"],
    },
    {
      feature: "edits of a proposed diff",
      places: ["tools/builtin/", "cli/terminal/edited-proposal.ts"],
      tests: ["test/cli/terminal/edited-proposal.test.ts: again opens the edited content"],
    },
    {
      feature: "a browser",
      places: ["adapters/browser/", "tools/builtin/"],
      tests: ["test/runtime/browser.test.ts: asks about a launch"],
    },
    {
      feature: "auto-approval, as rules (docs/guide/policies.md)",
      places: ["tools/policy/"],
      tests: ["test/tools/policy/permissions.test.ts: no mode overrides a rule that denies"],
    },
    {
      feature: "hooks around requests and tool calls",
      places: ["machines/task/", "actors/hooks/"],
      tests: ["test/runtime/hooks/before-tool.test.ts: sees the arguments as a person amended them"],
    },
    {
      feature: "hooks that are commands",
      places: ["adapters/hooks/", "settings/"],
      tests: [
        "test/adapters/hooks/command-hook.test.ts: a command that hangs is terminated",
        "test/settings/hooks.test.ts: of a project never replace the user's hooks",
      ],
    },
    {
      feature: "hooks that replace a result",
      places: ["actors/hooks/", "machines/task/"],
      tests: [
        "test/runtime/hooks/replaced-result.test.ts: is all that the model, the journal, the stream and an export have",
      ],
    },
    {
      feature: "hooks when a task settles",
      places: ["runtime/features/rest-hooks.ts"],
      tests: ["test/runtime/hooks/at-rest.test.ts: is awaited when the task is closed"],
    },
    {
      feature: "checkpoints",
      places: ["adapters/checkpoints/"],
      tests: ["test/adapters/checkpoints/checkpoints.test.ts: restores changed and deleted files"],
    },
    {
      feature: "the trace of each change",
      places: ["tools/recorded-writes.ts", "store/ledger/"],
      tests: ["test/runtime/ledger.test.ts: has each committed write of a task once"],
    },
  ],
  "A client": [
    {
      feature: "state from messages",
      places: ["machines/message/"],
      tests: ["test/machines/message/detect.test.ts: equals the recorded state at every prefix of"],
    },
    {
      feature: "`ExtensionClient`, `StateStore`, `MessageProcessor`",
      places: ["client/roo/extension/"],
      tests: [
        "test/client/roo/extension/extension-client.test.ts: modeChanged, queueChanged, stateChange, waitingForInput",
      ],
    },
    {
      feature: "`AskDispatcher`, `OutputManager`, `PromptManager`",
      places: ["client/roo/console/"],
      tests: ["test/client/roo/console/ask-dispatcher.test.ts: asks a person about each ask once"],
    },
    {
      feature: "buttons and answers of each ask",
      places: ["machines/message/"],
      tests: ["test/machines/message/derivation-page.test.ts: has the buttons of"],
    },
    {
      feature: "events of a task and of its provider",
      places: ["client/lifecycle/"],
      tests: ["test/client/lifecycle/lifecycle.test.ts: is emitted in order"],
    },
    {
      feature: "slash commands",
      places: ["cli/terminal/"],
      tests: ["test/cli/terminal/slash-commands.test.ts: shows what changes, restores after a yes"],
    },
    {
      feature: "command files of a project and of the user",
      places: ["settings/commands/"],
      tests: ["test/cli/terminal/prompt-command.test.ts: of a trusted project send their prompt"],
    },
    {
      feature: "input of several lines, pasted text",
      places: ["cli/terminal/input/"],
      tests: ["test/cli/terminal/multi-line.test.ts: a pasted text of three lines is one message"],
    },
    {
      feature: "sessions of an editor (ACP)",
      places: ["cli/acp/"],
      tests: ["test/cli/acp/interruptions.test.ts: a cancel at every message of a turn is answered"],
    },
    {
      feature: "the terminals and MCP servers of an editor, forks of its sessions",
      places: ["cli/acp/"],
      tests: ["test/cli/acp/client-terminals.test.ts: is killed by a cancel"],
    },
    {
      feature: "policies over time, before a call starts",
      places: ["tools/temporal/", "runtime/task-policies/"],
      tests: ["test/runtime/task-policies.test.ts: denies a call before it starts"],
    },
    {
      feature: "policies over time of recorded logs",
      places: ["cli/log/"],
      tests: ["test/cli/verify-log.test.ts: names the clause that a conversation of any agent breaks"],
    },
    {
      feature: "debug log",
      places: ["cli/run/debug-log.ts"],
      tests: ["test/cli/run/debug-log.test.ts: logs each state and each waiting ask"],
    },
  ],
};
