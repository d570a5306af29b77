import type { PersistentList } from "../../../machines/list/list.ts";
import type { AgentStateInfo } from "../../../machines/message/detect.ts";
import type { ClineMessage } from "../../../machines/message/message.ts";
import { frozenCopy } from "./frozen-copy.ts";
import type { ExtensionState } from "./messages.ts";

/** The state besides the messages. */
export interface StoreFacts {
  readonly agentState: AgentStateInfo;
  /** Whether any message of the agent was read. */
  readonly isInitialized: boolean;
  /** Milliseconds since 1970; 0 before the first message. */
  readonly lastUpdatedAt: number;
  readonly currentMode: string | undefined;
  /** The id of the shown task, if the agent names tasks. */
  readonly taskId: string | undefined;
  /** The latest value of each other field of state pushes. */
  readonly extensionState: ExtensionState | undefined;
}

/** An immutable state of the store. */
export class StoreState implements StoreFacts {
  readonly agentState: AgentStateInfo;
  readonly isInitialized: boolean;
  readonly lastUpdatedAt: number;
  readonly currentMode: string | undefined;
  readonly taskId: string | undefined;
  readonly extensionState: ExtensionState | undefined;
  readonly #list: PersistentList<ClineMessage>;
  #messages: readonly ClineMessage[] | undefined;

  constructor(list: PersistentList<ClineMessage>, facts: StoreFacts) {
    this.#list = list;
    this.agentState = facts.agentState;
    this.isInitialized = facts.isInitialized;
    this.lastUpdatedAt = facts.lastUpdatedAt;
    this.currentMode = facts.currentMode;
    this.taskId = facts.taskId;
    this.extensionState = facts.extensionState;
  }

  /** The messages of the shown task, oldest first. Copied from the list on first access. */
  get messages(): readonly ClineMessage[] {
    this.#messages ??= frozenCopy(this.#list.toArray());
    return this.#messages;
  }

  /** The number of messages. */
  get messageCount(): number {
    return this.#list.length;
  }

  /** A copy with these changes. */
  with(facts: Partial<StoreFacts>, list: PersistentList<ClineMessage> = this.#list): StoreState {
    return new StoreState(list, { ...this, ...facts });
  }
}
