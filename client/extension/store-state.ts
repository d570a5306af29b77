import type { PersistentList } from "../../machines/list/index.ts";
import type { AgentStateInfo, ClineMessage } from "../../machines/message/index.ts";
import { frozenCopy } from "./frozen-copy.ts";
import type { ExtensionState } from "./messages.ts";

/** What is known beside the rows. */
export interface StoreFacts {
  readonly agentState: AgentStateInfo;
  /** Whether anything was ever told. */
  readonly isInitialized: boolean;
  /** Milliseconds since 1970; 0 before anything was told. */
  readonly lastUpdatedAt: number;
  readonly currentMode: string | undefined;
  /** The task that is shown, where the sender names tasks. */
  readonly taskId: string | undefined;
  /** What state pushes told beside the rows, the newest of each field. */
  readonly extensionState: ExtensionState | undefined;
}

/** What is known of the agent at one time. It never changes: what is known later is another object. */
export class StoreState implements StoreFacts {
  readonly agentState: AgentStateInfo;
  readonly isInitialized: boolean;
  readonly lastUpdatedAt: number;
  readonly currentMode: string | undefined;
  readonly taskId: string | undefined;
  readonly extensionState: ExtensionState | undefined;
  readonly #rows: PersistentList<ClineMessage>;
  #messages: readonly ClineMessage[] | undefined;

  constructor(rows: PersistentList<ClineMessage>, facts: StoreFacts) {
    this.#rows = rows;
    this.agentState = facts.agentState;
    this.isInitialized = facts.isInitialized;
    this.lastUpdatedAt = facts.lastUpdatedAt;
    this.currentMode = facts.currentMode;
    this.taskId = facts.taskId;
    this.extensionState = facts.extensionState;
  }

  /** The rows of the task that is shown, oldest first. Read from the list when somebody first looks. */
  get messages(): readonly ClineMessage[] {
    this.#messages ??= frozenCopy(this.#rows.toArray());
    return this.#messages;
  }

  /** How many rows there are. */
  get messageCount(): number {
    return this.#rows.length;
  }

  /** The same with other facts, and other rows where they are given. */
  with(facts: Partial<StoreFacts>, rows: PersistentList<ClineMessage> = this.#rows): StoreState {
    return new StoreState(rows, { ...this, ...facts });
  }
}
