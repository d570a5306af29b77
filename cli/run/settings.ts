import type { Effort } from "../../adapters/anthropic/request.ts";
import type { McpServerStatus } from "../../adapters/mcp/server.ts";
import type { ModelTable } from "../../adapters/models/facts.ts";
import type { ProviderName } from "../../adapters/models/table.ts";
import type { ProviderModelOptions } from "../../adapters/providers/options.ts";
import type { PermissionMode, SessionRule } from "../../machines/tool-call/permissions.ts";
import type { ChatModel } from "../../ports/model.ts";
import type {
  CommonTaskOptions,
  ModelSelector,
  PermissionOptions,
  TaskModels,
} from "../../runtime/options.ts";
import type { CommandFile } from "../../settings/commands/command-file.ts";
import type { NamedProfile } from "../../settings/profile.ts";
import type { Mode } from "../../tools/modes/mode.ts";
import type { RunProvider } from "../providers.ts";
import type { RunMcpServers } from "../settings/mcp.ts";

/** Settings of a run, from the command line. */
export interface RunSettings {
  /** The task prompt, or the message to a resumed task; undefined where the user is asked for it. */
  readonly prompt: string | undefined;
  readonly session: Session;
  /** Undefined: the workspace of the resumed task. */
  readonly workspace: string | undefined;
  readonly outputMode: "terminal" | "text" | "json" | "stream-json";
  /**
   * Who answers asks in text output: nobody; the user on stdin; or a rule, which waits a minute for the user where the
   * model asks a question.
   */
  readonly answers: "nobody" | "person" | "rule";
  /** Whether commands are read from stdin, one per line. */
  readonly stdinStream: boolean;
  /** Whether the process keeps running after the end, until a signal. */
  readonly signalOnlyExit: boolean;
  /** Whether messages are written in addition to the events. */
  readonly withMessages: boolean;
  /** Initial mode of a new task; undefined for the default. */
  readonly mode: string | undefined;
  readonly task: TaskSettings;
  readonly mcp: RunMcpServers;
  /** The slash commands that send a prompt; undefined where nobody can use them. */
  readonly commands: RunCommands | undefined;
  /** The MCP servers that the run is connected to. Absent: none. */
  readonly mcpStates?: () => readonly McpState[];
  readonly rules: RunRules;
  /** Whether the permission mode was named for this run: then a resumed task gets it too. */
  readonly isPermissionModeNamed: boolean;
  /** Whether the user asked to see every call. */
  readonly asksAlways: boolean;
  readonly model: ModelSettings;
  /** Data directory: journals, task history. */
  readonly dataDir: string;
  readonly isEphemeral: boolean;
  /** Whether the terminal draws nothing again: each event is a line. */
  readonly isPlain: boolean;
  readonly attention: TerminalAttention;
  /** Whether the terminal shows each transition, and the usage of each request. */
  readonly isVerbose: boolean;
  readonly oneshot: boolean;
  readonly exitOnError: boolean;
  /** Whether a new task works in a worktree of the workspace. */
  readonly usesWorktree: boolean;
  readonly debug: boolean;
  /** Values that are masked in logs. */
  readonly secrets: readonly string[];
}

/** An MCP server, and the names of its tools. */
export interface McpState {
  readonly status: McpServerStatus;
  readonly tools: readonly string[];
}

/** How the terminal draws attention to a task. */
export interface TerminalAttention {
  readonly bell: boolean;
  readonly title: boolean;
}

/** The options of every task of a run, except its workspace and its models. */
export interface TaskSettings extends Omit<CommonTaskOptions, "dynamicTools" | "workspace" | "id" | "mode"> {
  readonly configDir: string;
  readonly modes: readonly Mode[];
  readonly permissions: PermissionOptions & { readonly level: PermissionMode };
}

/** A slash command that sends a prompt, from a file or an MCP server. */
export interface RunCommand extends Omit<CommandFile, "text"> {
  /** The file, or the server. */
  readonly origin: string;
  /** The prompt with the arguments as they were typed. May throw, or reject: the message is for the user. */
  expand(given: string): string | Promise<string>;
}

/** The slash commands of a run that send a prompt. */
export interface RunCommands {
  /** Each name once. */
  readonly list: readonly RunCommand[];
  /** The reasons why others were left out, a line each. */
  readonly problems: readonly string[];
  /** The names of those that are ignored as the project is not trusted. */
  readonly untrusted: readonly string[];
}

/** A rule that is not of a session, with its place. */
export interface ListedRule extends SessionRule {
  readonly origin: string;
  /** Whether it is in the settings of the project. */
  readonly isOfProject: boolean;
}

/** The rules of a run, besides the rules of its session. They can be changed while it runs. */
export interface RunRules {
  readonly list: readonly ListedRule[];
  /** Whether "always" is offered where a person is asked. */
  readonly isAlwaysOffered: boolean;
  /** Add a rule to the settings of the project, for calls that are judged from then on. @throws CliError */
  addToProject(rule: SessionRule): Promise<void>;
  /** Remove a rule from the settings of the project, for calls that are judged from then on. @throws CliError */
  removeFromProject(rule: SessionRule): Promise<void>;
}

/** The open resources of a run. */
export interface RunContext {
  /** Data directory: journals, task history. */
  readonly dataDir: string;
  readonly models: RunModels;
  /** The id of the resumed task. */
  readonly resumed: string | undefined;
}

/** The task to run: a new one, one by a prefix of its id, or the newest of the workspace. */
export type Session =
  | { readonly kind: "new"; readonly id: string | undefined }
  | { readonly kind: "given"; readonly id: string }
  | { readonly kind: "newest" };

/** Settings of the model. An undefined one is taken from the resumed task, or is the default. */
export interface ModelSettings {
  readonly provider: RunProvider | undefined;
  /** The model's name. */
  readonly id: string | undefined;
  /** The endpoint of the command line. */
  readonly baseURL: string | undefined;
  /** The endpoint and key of each provider in the environment. */
  readonly environment: Readonly<Record<ProviderName, ProviderEnvironment>>;
  /** The key of the command line. */
  readonly apiKey: string | undefined;
  /** Reasoning effort; undefined for the model's default. */
  readonly effort: Effort | undefined;
  /** Script of the mock provider; undefined for the one of the resumed task, or the built-in one. */
  readonly script: string | undefined;
  /** The profile of modes without one. */
  readonly profile: (ModelProfile & { readonly isExplicit: boolean }) | undefined;
  /** All profiles, which a running task can select. */
  readonly profiles: readonly ModelProfile[];
  /** Models with known facts, by `PROVIDER/NAME`, whose providers can be reached: a running task can also select them. */
  readonly known: readonly ModelProfile[];
  /** The facts of the settings about the models of each provider. */
  readonly tables: Readonly<Record<ProviderName, ModelTable>>;
  /** The profiles of the modes by slug. None where the command line or the environment names the model. */
  readonly modeProfiles: Readonly<Record<string, string>>;
  /** Whether the command line or the environment names the model, its provider, endpoint or profile. */
  readonly isNamed: boolean;
  /** The user's settings file, which a message names. */
  readonly settingsFile: string;
}

/** The endpoint and key of a provider in the environment. */
export interface ProviderEnvironment {
  /** The endpoint, for tasks without another. */
  readonly baseURL: string | undefined;
  /** Whether the provider has a key, or needs none. */
  readonly hasKey: boolean;
}

/** Where requests go, and what they carry. */
export type Connection = Pick<ProviderModelOptions, "baseURL" | "apiKey" | "keySource" | "headers">;

/** A profile of the settings, with its key. */
export interface ModelProfile extends NamedProfile {
  readonly apiKey?: string | undefined;
  /** Where the key comes from, for a message. Absent: the provider's variable. */
  readonly keySource?: string | undefined;
  /** The reason why it can't be used: it has no key. */
  readonly problem?: string | undefined;
}

/** The models of the tasks of a run, and their tools of MCP servers. */
export interface RunModels extends Pick<CommonTaskOptions, "dynamicTools"> {
  readonly models: Omit<TaskModels, "default" | "named"> & {
    readonly default: ModelSelector;
    readonly named: Readonly<Record<string, ChatModel | ModelSelector>>;
  };
}

/** End the run with this exit code. The first one counts. */
export type Leave = (code: number) => void;
