import { Command, InvalidArgumentError, Option } from "commander";
import type { QueueDelivery } from "../../machines/task/task.context.ts";
import type { Completion } from "../../machines/task/task.events.ts";
import { PERMISSION_MODES, type PermissionMode } from "../../machines/tool-call/permissions.ts";
import { repeatable } from "../arguments.ts";
import { DATA_DIR } from "../options.ts";
import { RUN_PROVIDERS, type RunProvider } from "../providers.ts";
import type { RunSettings } from "../run/settings.ts";

/** The same as of `adapters/anthropic`, which is not imported here: its SDK takes 0.4 s to load. A test compares. */
const DEFAULT_MODEL = "claude-sonnet-4-6";
/** No default values: a resumed task keeps the values that the flags leave out. */
const or = (value: string): string => `(default: the resumed task's value, or ${value})`;
export const OUTPUT_FORMATS = ["text", "json", "stream-json"] as const;
export type OutputFormat = (typeof OUTPUT_FORMATS)[number];
const REASONING_EFFORTS = [
  "unspecified",
  "disabled",
  "none",
  "minimal",
  "low",
  "medium",
  "high",
  "xhigh",
] as const;
export type ReasoningEffort = (typeof REASONING_EFFORTS)[number];

/** Parsed flags of `run`. */
export interface RunFlags {
  readonly workspace?: string;
  readonly print?: true;
  readonly yes?: true;
  readonly requireApproval?: true;
  readonly permissionMode?: PermissionMode;
  readonly profile?: string;
  readonly model?: string;
  readonly baseUrl?: string;
  readonly apiKey?: string;
  readonly provider?: RunProvider;
  readonly script?: string;
  readonly outputFormat: OutputFormat;
  readonly stdinPromptStream?: true;
  readonly signalOnlyExit?: true;
  readonly withMessages?: true;
  readonly mode?: string;
  /** False with --no-tui: the same as --print. */
  readonly tui: boolean;
  readonly reasoningEffort?: ReasoningEffort;
  readonly promptFile?: string;
  readonly dataDir: string;
  readonly plain?: true;
  readonly verbose?: true;
  readonly oneshot?: true;
  readonly exitOnError?: true;
  readonly consecutiveMistakeLimit?: number;
  readonly maxRequests?: number;
  /** US dollars. */
  readonly maxCost?: number;
  /** Permission rules of this run. */
  readonly allow?: readonly string[];
  readonly deny?: readonly string[];
  readonly queueDelivery?: QueueDelivery;
  readonly ephemeral?: true;
  readonly sessionId?: string;
  readonly continue?: true;
  readonly createWithSessionId?: string;
  /** False with --no-checkpoints. */
  readonly checkpoints: boolean;
  readonly worktree?: true;
  readonly debug?: true;
  /** Set by the name of the command. Default: nobody. */
  readonly answers?: RunSettings["answers"];
  /** Set by the name of the command. Default: the mode of a task. */
  readonly completion?: Completion;
}

/** The flags of `run` that apply to every task. */
const TASK_FLAGS = [
  "workspace",
  "yes",
  "requireApproval",
  "permissionMode",
  "profile",
  "model",
  "baseUrl",
  "apiKey",
  "provider",
  "script",
  "reasoningEffort",
  "dataDir",
  "consecutiveMistakeLimit",
  "checkpoints",
] as const satisfies readonly (keyof RunFlags)[];
export type TaskFlags = Pick<RunFlags, (typeof TASK_FLAGS)[number]>;

/** Options for rules of one run. */
export const ALLOW = [
  "--allow <rule>",
  "permission rule that allows, such as edit(src/**) (docs/guide/policies.md) (repeatable)",
  repeatable,
] as const;
export const DENY = ["--deny <rule>", "permission rule that denies (repeatable)", repeatable] as const;

/**
 * Add the options of `run` that apply to every task.
 * @param without those that the command does not take
 */
export function addTaskOptions(command: Command, without: readonly string[] = []): Command {
  for (const option of addRunOptions(new Command()).options) {
    const name = option.attributeName();
    if (TASK_FLAGS.some((each) => each === name) && !without.includes(name)) command.addOption(option);
  }
  return command;
}

/** Add the options of `run` to a command. */
export function addRunOptions(command: Command): Command {
  return command
    .option("-w, --workspace <dir>", `workspace of the task ${or("this folder")}`)
    .option("-p, --print", "print the output, ask nobody, and exit (also -P, --no-tui)")
    .option("-y, --yes", "approve every tool call that no rule denies (--permission-mode bypass)")
    .addOption(
      new Option("-a, --require-approval", "ask about every tool call, also about reads").conflicts("yes"),
    )
    .addOption(
      new Option(
        "--permission-mode <mode>",
        "decision about tool calls that no rule matches (docs/guide/policies.md) (default: the mode of the settings, or ask)",
      )
        .choices(PERMISSION_MODES)
        .conflicts("yes"),
    )
    .option(...ALLOW)
    .option(...DENY)
    .option(
      "--profile <name>",
      "provider, model, endpoint and key of the settings (docs/guide/settings.md) (default: the settings' profile for a new task)",
    )
    .option(
      "-m, --model <name>",
      `model id; without --provider also PROVIDER/ID, such as openai/gpt-5 ${or(DEFAULT_MODEL)}`,
    )
    .option(
      "--base-url <url>",
      "API base URL (default: ANTHROPIC_BASE_URL or OPENAI_BASE_URL, the resumed task's value, or the public API)",
    )
    .option(
      "-k, --api-key <key>",
      "API key, which other users of the machine can see (default: ANTHROPIC_API_KEY, OPENAI_API_KEY or GEMINI_API_KEY)",
    )
    .addOption(
      new Option(
        "--provider <name>",
        `model provider; mock is a scripted server in this process ${or("anthropic")}`,
      ).choices(RUN_PROVIDERS),
    )
    .option(
      "--script <file>",
      `script of the mock provider (docs/reference/mock.md) ${or("one that explains scripts")}`,
    )
    .addOption(
      new Option(
        "--output-format <format>",
        "with --print: output format; stream-json is NDJSON (docs/reference/ndjson.md)",
      )
        .choices(OUTPUT_FORMATS)
        .default("text"),
    )
    .option(
      "--stdin-prompt-stream",
      "with --print --output-format stream-json: read NDJSON commands from stdin (docs/reference/ndjson.md)",
    )
    .option(
      "--with-messages",
      "with --stdin-prompt-stream: also write the messages, for a client that shows them (docs/concepts/interfaces.md)",
    )
    .option("--signal-only-exit", "with --stdin-prompt-stream: keep running until a signal")
    .option(
      "--mode <slug>",
      "mode of a new task: a built-in one, or one of a trusted project (docs/guide/modes.md) (default: code)",
    )
    .addOption(
      new Option(
        "-r, --reasoning-effort <effort>",
        "reasoning effort, for models that support it, but not of google; none sends nothing",
      ).choices(REASONING_EFFORTS),
    )
    .addOption(new Option("-P, --no-tui", "the same as --print").hideHelp())
    .option("--prompt-file <file>", "read the prompt from a file")
    .option(...DATA_DIR)
    .option(
      "--plain",
      "on a terminal: whole lines without colors, nothing is drawn again (for screen readers)",
    )
    .option("--verbose", "on a terminal: show each transition, and the usage of each request")
    .option("--oneshot", "exit when the task completes, without asking for confirmation")
    .option("--exit-on-error", "exit with code 1 when a request fails, without retrying")
    .addOption(
      new Option(
        "--consecutive-mistake-limit <n>",
        "consecutive errors of the model before you are asked; 0 disables the limit (default: 3, with signalbox-roo 10)",
      ).argParser(wholeNumber),
    )
    .addOption(
      new Option(
        "--max-requests <n>",
        "requests of a new task with its subtasks, or of a resumed task alone, before you are asked; with --print the run ends there (docs/guide/subtasks.md) (default: the limit of the settings)",
      ).argParser(requests),
    )
    .addOption(
      new Option(
        "--max-cost <usd>",
        "US dollars, counted likewise, before you are asked; with --print the run ends there (default: the limit of the settings)",
      ).argParser(dollars),
    )
    .addOption(
      new Option(
        "--queue-delivery <how>",
        "queued messages: all with the next request, or one after each completion (default: one with --stdin-prompt-stream, else all)",
      ).choices(["one", "all"]),
    )
    .addOption(
      new Option(
        "--session-id <id>",
        "resume this task; a unique prefix of its id is enough (default: a new task)",
      ).conflicts(["continue", "createWithSessionId", "ephemeral"]),
    )
    .addOption(
      new Option("-c, --continue", "resume the newest root task of this workspace").conflicts([
        "createWithSessionId",
        "ephemeral",
      ]),
    )
    .addOption(
      new Option("--create-with-session-id <uuid>", "id of the new task (default: a new UUID)").argParser(
        uuid,
      ),
    )
    .addOption(
      new Option(
        "--worktree",
        "work in a git worktree of the workspace, or in a copy without git, which you merge or drop (docs/guide/isolated-files.md)",
      ).conflicts(["sessionId", "continue", "ephemeral", "stdinPromptStream"]),
    )
    .option("--no-checkpoints", "don't take checkpoints of the workspace")
    .option("--ephemeral", "keep nothing on disk, and take no checkpoints")
    .option("-d, --debug", "write debug.log beside the journal, and print its path");
}

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[1-8][0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/i;

function uuid(value: string): string {
  if (UUID.test(value)) return value;
  throw new InvalidArgumentError("Expected a UUID (version 1 to 8).");
}

function wholeNumber(value: string): number {
  if (/^\d{1,6}$/.test(value)) return Number(value);
  throw new InvalidArgumentError("Expected a whole number from 0 to 999999.");
}

function requests(value: string): number {
  if (/^[1-9]\d{0,5}$/.test(value)) return Number(value);
  throw new InvalidArgumentError("Expected a whole number from 1 to 999999.");
}

function dollars(value: string): number {
  if (/^\d{1,6}(\.\d{1,6})?$/.test(value) && Number(value) > 0) return Number(value);
  throw new InvalidArgumentError("Expected US dollars above 0, such as 1.50.");
}
