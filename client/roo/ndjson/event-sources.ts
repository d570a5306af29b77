import type { AgentStateInfo } from "../../../machines/message/detect.ts";
import type { ClineMessage } from "../../../machines/message/message.ts";
import type { QueuedMessage, Usage } from "../../../machines/task/task.events.ts";
import type { RecordedCall } from "../../../machines/tool-call/call.ts";
import type { TurnCalls } from "../../../runtime/task/unstarted-calls.ts";
import type { CommandCommit, CommandContext } from "../../bridge/running-commands.ts";
import type { ClientEvents } from "../extension/client-events.ts";

/** A client whose events are emitted: an `ExtensionClient`. */
export interface EventClient {
  /** Returns the function that unsubscribes. */
  on<K extends ClientEventName>(name: K, listener: (payload: ClientEvents[K]) => void): () => void;
  getAgentState(): Pick<AgentStateInfo, "state">;
  /** If present, a completion first emits the messages that came with it. */
  getMessages?(): readonly ClineMessage[];
}

/** The events of a client that are used. */
export type ClientEventName =
  | "message"
  | "messageUpdated"
  | "taskCompleted"
  | "commandOutput"
  | "commandExited"
  | "error";

/** A task whose events are emitted: a `Task`. */
export interface EventTask {
  /** Part of its result event, if any. */
  readonly id?: string;
  readonly events$: { subscribe(next: (change: TaskChange) => void): { unsubscribe(): void } };
  readonly log: Iterable<ClineMessage> & {
    readonly length: number;
    at(position: number): ClineMessage | undefined;
  };
  readonly snapshot: {
    readonly context: {
      readonly queue: readonly QueuedMessage[];
      readonly total: Usage;
      /** If present, commits have the output of background commands. */
      readonly background?: CommandContext["background"];
      readonly ask?: CommandContext["ask"];
      /** If present, the event of a denial has the call. */
      readonly turn?: TurnCalls["context"]["turn"];
    };
  };
}

/** A commit of a task. */
export interface TaskChange {
  readonly commit: CommandCommit & {
    readonly queue?: readonly QueuedMessage[];
    readonly calls?: readonly Pick<RecordedCall, "callId" | "phase">[];
  };
  readonly snapshot?: TurnCalls;
}
