import type { ImageBlock, TextBlock } from "../machines/conversation/entry.ts";
import type { IsolatedFiles } from "../machines/conversation/isolated-files.ts";
import type { Amendment, CallAsk, CallFacts, Edit, Effect, Input } from "../machines/tool-call/call.ts";
import type { Grant } from "../machines/tool-call/grant.ts";
import type { SubtaskOrder } from "../machines/tool-call/subtask-order.ts";
import type { WakeUpChange } from "../machines/tool-call/wake-up.ts";
import type { ResolvedPath } from "../ports/workspace.ts";
import type { DescribePorts, RunPorts } from "./ports.ts";

export type ToolGroup = "read" | "edit" | "command" | "fetch" | "mcp" | "always" | "custom";

/** Description of a tool call before it runs: shown to the user, and judged by the policy. */
export interface Description extends CallFacts {
  /** Text of the call's message: a descriptor, the command, the question or the result. */
  readonly text: string;
  readonly paths: readonly ResolvedPath[];
  /** The message about the amendment, if the call was amended. */
  readonly edit?: Edit;
  /** The version of what the call changes. A call that a person approves gets it as the port `base`. */
  readonly base?: string;
  /** A clause that names the path, if a command line may use one that `.rooignore` denies. */
  readonly ignoredPath?: string;
  /** The host that the call sends a request to, as in a URL: rules `fetch(DOMAIN)` are about it. */
  readonly fetches?: string;
  /**
   * Whether the call only continues what an earlier call of the task was approved to begin, such as a browser: rules
   * `browser` are about it.
   */
  readonly continues?: boolean;
  /** The tool of an MCP server that the call uses: rules `mcp(SERVER/TOOL)` are about it. */
  readonly mcp?: McpTool;
}

/** A tool of an MCP server. */
export interface McpTool {
  /** The server's name in the settings of the client. */
  readonly server: string;
  readonly tool: string;
  /** Whether its server defines it otherwise than when a call of it was approved: no rule allows the call. */
  readonly changed?: boolean;
}

/** The result of a tool call, as a tool returns it. */
export interface ToolResult {
  readonly content: readonly (TextBlock | ImageBlock)[];
  /** Whether the model gets the result as an error. */
  readonly failed?: boolean;
  /** The bounded output of a command, and its exit code. */
  readonly command?: { readonly output: string; readonly exitCode?: number };
  /** The results of a search in an index, as JSON for the user. */
  readonly found?: string;
}

/** A tool call with valid arguments. */
export interface PreparedCall {
  /** The file that the call changes by a diff. */
  readonly patches?: string;
  /** The files whose content the model knows after the call. */
  readonly files?: readonly string[];
  /** Digest of the tool's definition, if another party can change it: a decision is bound to it, too (L7). */
  readonly definition?: string;
  /** Whether a person must approve the call, whatever is permitted. Default: no. */
  needsApproval?(): boolean | Promise<boolean>;
  /** The slug of the mode that the call switches the task to. It has no other effect, and never runs. */
  readonly switchesTo?: string;
  /** The id of the intent that the call selects for the task. It has no other effect, and never runs. */
  readonly selectsIntent?: string;
  /** The largest budget of the subtask that the call starts. */
  readonly requestsBudget?: Grant;
  /** Whether the subtask that the call starts works in the background: the call has its result at once. */
  readonly inBackground?: true;
  /** The files of the subtask that the call starts. Absent: the files of the task. */
  readonly isolates?: IsolatedFiles;
  /** The order of the call about subtasks in the background. It has no other effect, and never runs. */
  readonly ordersSubtasks?: SubtaskOrder;
  /** The change of the task's wake-ups that the call makes. It has no other effect, and never runs. */
  readonly changesWakeUps?: WakeUpChange;
  describe(ports: DescribePorts): Promise<Description>;
  execute(ports: RunPorts): Promise<ToolResult>;
  /** Change the arguments as a person said. Pure. Absent: the call takes no amendment. */
  amend?(amendment: Amendment): AmendedPreparation;
}

/** A tool call as a person amended it. It names no path that the model's call does not name. */
export interface AmendedCall extends Omit<PreparedCall, "amend"> {
  /** The final arguments: the policy judges them, and the decision is bound to them (L7). */
  readonly input: Input;
}

export type Preparation =
  | { readonly ok: true; readonly call: PreparedCall }
  /** Error for the model: which argument, what was expected, what was received. */
  | { readonly ok: false; readonly error: string };

export type AmendedPreparation =
  | { readonly ok: true; readonly call: AmendedCall }
  /** Error for the person: what was expected, what was received. */
  | { readonly ok: false; readonly error: string };

/** A tool. `prepare` hides the type of its arguments. */
export interface Tool {
  /** Canonical name, which every check uses. */
  readonly name: string;
  readonly displayName: string;
  readonly aliases: readonly string[];
  readonly group: ToolGroup;
  readonly description: string;
  /** JSON Schema of the arguments, as the model gets it. */
  readonly inputSchema: Readonly<Record<string, unknown>>;
  readonly effect: Effect;
  /** Whether a call can be run again safely (L12). */
  readonly replayable: boolean;
  readonly ask: CallAsk;
  /** The part that a task must have for the tool to be offered. Default: nothing. */
  readonly requires?:
    | "skills"
    | "artifacts"
    | "commands"
    | "index"
    | "browser"
    | "isolation"
    | "wakeUps"
    | "backgroundSubtasks";
  /** Whether a message shows what a call found. Such a call runs alone. Default: no. */
  readonly showsResult?: true;
  /** Whether a running call may ask the user for input ({@link RunPorts.elicit}). Such a call runs alone. Default: no. */
  readonly elicits?: true;
  /** Text of the partial message from the arguments so far; undefined while there is nothing to show. */
  readonly partial: (input: Input) => string | undefined;
  readonly prepare: (input: Input) => Preparation;
}
