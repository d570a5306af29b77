import type { AgentStateInfo, ClineMessage } from "../../machines/message/index.ts";
import type { QueuedMessage, Usage } from "../../machines/task/index.ts";
import type { CommandCommit, CommandContext } from "../view/bridge/running-commands.ts";
import type { ClientEvents } from "../view/client-events.ts";

/** What is heard of a client. `ExtensionClient` is one. */
export interface EventClient {
  /** Gives the function that ends it. */
  on<K extends HeardEvent>(name: K, listener: (payload: ClientEvents[K]) => void): () => void;
  getAgentState(): Pick<AgentStateInfo, "state">;
}

export type HeardEvent =
  | "message"
  | "messageUpdated"
  | "taskCompleted"
  | "commandOutput"
  | "commandExited"
  | "error";

/** What is heard of a task. `Task` is one. */
export interface EventTask {
  /** Where it has one, its result tells it. */
  readonly id?: string;
  readonly events$: {
    subscribe(next: (shown: ShownChange) => void): { unsubscribe(): void };
  };
  readonly log: Iterable<ClineMessage> & {
    readonly length: number;
    at(position: number): ClineMessage | undefined;
  };
  readonly snapshot: {
    readonly context: {
      readonly queue: readonly QueuedMessage[];
      readonly total: Usage;
      /** Where it is there, commits say what commands write that were left to go on. */
      readonly background?: CommandContext["background"];
      readonly ask?: CommandContext["ask"];
    };
  };
}

export interface ShownChange {
  readonly commit: CommandCommit & { readonly queue?: readonly QueuedMessage[] };
}
