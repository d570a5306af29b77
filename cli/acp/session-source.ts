import type { EditorPort } from "../../ports/editor.ts";
import type { Task } from "../../runtime/task/task.ts";
import type { SelectedMcpServers } from "../../settings/mcp.ts";
import type { TaskHistory } from "../../store/task-history/task-history.ts";
import type { Modes } from "../../tools/modes/modes.ts";
import type { RunCommand } from "../run/settings.ts";

/** A task to create, or to open from its journal. */
export interface SessionRequest {
  readonly id: string;
  readonly isNew: boolean;
  /** The absolute path of the workspace. */
  readonly cwd: string;
  /** The client's files and terminals. Undefined: the system's. */
  readonly editor: EditorPort | undefined;
  /** The MCP servers of the client. Each replaces one of the settings with its name. */
  readonly mcp: SelectedMcpServers;
  /** Ends the opening. */
  readonly signal: AbortSignal;
}

/** The task of a session, with what the settings of its workspace offer. */
export interface SessionTask {
  readonly task: Task;
  readonly modes: Modes;
  readonly commands: readonly RunCommand[];
  /** Whether the user did not ask to see every call. */
  readonly offersRules: boolean;
  /** The reasons why MCP servers are not used. */
  readonly warnings: readonly string[];
  /** Release what the task was opened with, after it was closed. */
  release(): Promise<void>;
}

/** Where sessions come from. */
export interface SessionSource {
  readonly history: TaskHistory;
  /** @throws KeyError without a key for the model @throws HostError @throws JournalError @throws the reason of `signal` */
  open(request: SessionRequest): Promise<SessionTask>;
  /** Check that there is a key for the model of a new session. @throws KeyError */
  authenticate(): Promise<void>;
}
