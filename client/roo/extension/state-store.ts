import type { AskType } from "../../../machines/message/asks.ts";
import type { AgentStateInfo } from "../../../machines/message/detect.ts";
import type { ClineMessage } from "../../../machines/message/message.ts";
import type { AgentLoopState } from "../../../machines/message/states.ts";
import { frozenCopy } from "./frozen-copy.ts";
import { MessageList, messageKey } from "./message-list.ts";
import type { ExtensionState, MessageGrowth, Revision } from "./messages.ts";
import { Observable, type Observer } from "./observable.ts";
import { isNumbered, PendingGrowth } from "./pending-growth.ts";
import { type GrowthFit, Revisions } from "./revisions.ts";
import { StoreState } from "./store-state.ts";

/** Options of a {@link StateStore}. */
export interface StateStoreOptions {
  /** Earlier states to keep (L14). 0: none. Default 100. */
  readonly maxHistorySize?: number;
  /** The clock, in milliseconds since 1970. */
  readonly now?: () => number;
  /** Called with the error of an observer. Default: thrown as uncaught. */
  readonly onError?: (error: unknown) => void;
  /**
   * Growths held until the text before them has arrived (L14). Above the limit all are dropped, and `onGap` is called.
   * Default 10,000.
   */
  readonly heldPieces?: number;
  /** Called when growths were dropped: the next state push restores the messages. */
  readonly onGap?: () => void;
}

/** The task and the revision of messages. */
export interface Origin {
  readonly taskId?: string;
  readonly revision?: Revision;
}

/** The shown task, as far as the sender names it. */
type Shown =
  /** Initial: the first message determines the task. */
  | { readonly kind: "nothing" }
  /** A task named by a state push. */
  | { readonly kind: "task"; readonly taskId: string }
  /** A task that no state push has named. The first name in an update counts. */
  | { readonly kind: "unnamed"; readonly taskId?: string }
  /** No task: only a state push shows another one. */
  | { readonly kind: "gone" };

const NOTHING: Shown = { kind: "nothing" };

/**
 * The client's replica of one task: its messages, the state that they mean, and the mode. Messages are frozen copies. An
 * update costs the same however long the log is (L17).
 *
 * Only a state push changes which task is shown; messages of other tasks are ignored. Messages with revisions may arrive
 * in any order and repeatedly, with the same final state.
 *
 * @example
 * ```ts
 * import { StateStore } from "signalbox/client";
 * const store = new StateStore();
 * store.setMessages([{ ts: 1, type: "ask", ask: "followup", text: "Which one?" }]);
 * console.log(store.getCurrentState(), store.getAgentState().requiredAction); // waiting_for_input answer
 * ```
 */
export class StateStore {
  readonly #history: StoreState[] = [];
  readonly #maxHistorySize: number;
  readonly #now: () => number;
  readonly #state: Observable<StoreState>;
  readonly #agentState: Observable<AgentStateInfo>;
  readonly #held: PendingGrowth;
  readonly #onGap: () => void;
  #list = new MessageList();
  #revisions = new Revisions();
  #shown: Shown = NOTHING;

  constructor({
    maxHistorySize = 100,
    now = Date.now,
    onError,
    heldPieces = 10_000,
    onGap = () => {},
  }: StateStoreOptions = {}) {
    if (!Number.isInteger(maxHistorySize) || maxHistorySize < 0)
      throw new RangeError(`maxHistorySize: expected a whole number from 0 on, got ${maxHistorySize}.`);
    this.#maxHistorySize = maxHistorySize;
    if (!Number.isInteger(heldPieces) || heldPieces < 0)
      throw new RangeError(`heldPieces: expected a whole number from 0 on, got ${heldPieces}.`);
    this.#now = now;
    this.#held = new PendingGrowth(heldPieces);
    this.#onGap = onGap;
    const first = new StoreState(this.#list.messages, { ...INITIAL, agentState: this.#list.info });
    this.#state = new Observable(first, onError);
    this.#agentState = new Observable(first.agentState, onError);
  }

  getState(): StoreState {
    return this.#state.getValue();
  }

  getAgentState(): AgentStateInfo {
    return this.#agentState.getValue();
  }

  getMessages(): readonly ClineMessage[] {
    return this.getState().messages;
  }

  /** The message with this `ts`, including updates of an incomplete commit. */
  getMessage(ts: number): ClineMessage | undefined {
    return this.#list.byTs(ts);
  }

  getLastMessage(): ClineMessage | undefined {
    return this.getAgentState().lastMessage;
  }

  getCurrentState(): AgentLoopState {
    return this.getAgentState().state;
  }

  getCurrentAsk(): AskType | (string & {}) | undefined {
    return this.getAgentState().currentAsk;
  }

  getCurrentMode(): string | undefined {
    return this.getState().currentMode;
  }

  getTaskId(): string | undefined {
    return this.getState().taskId;
  }

  isInitialized(): boolean {
    return this.getState().isInitialized;
  }

  isWaitingForInput(): boolean {
    return this.getAgentState().isWaitingForInput;
  }

  isRunning(): boolean {
    return this.getAgentState().isRunning;
  }

  isStreaming(): boolean {
    return this.getAgentState().isStreaming;
  }

  /** Whether no commit is incomplete; otherwise the state before that commit is shown. */
  isSettled(): boolean {
    return this.#revisions.isSettled;
  }

  /** Whether `setMessages` would change anything. */
  takesMessages({ revision }: Origin = {}): boolean {
    return this.#revisions.takesState(revision);
  }

  /** Whether the other fields of a state push are newer than the present ones. */
  takesFacts({ revision }: Origin = {}): boolean {
    return this.#revisions.takesFacts(revision);
  }

  /**
   * Whether `updateMessage` would change anything. False for a message of another task, an older revision, and an unknown
   * message without a revision that is older than the last one.
   */
  takesMessage(message: ClineMessage, { taskId, revision }: Origin = {}): boolean {
    if (taskId !== undefined && !this.#isTaken(taskId)) return false;
    if (revision !== undefined) return this.#revisions.takesMessage(messageKey(message), revision);
    return this.#list.isNewest(message) || this.#list.has(message);
  }

  /** Replace the messages and the task, except newer messages of the same task. Returns the state before. */
  setMessages(messages: readonly ClineMessage[], origin: Origin = {}): AgentStateInfo {
    const previous = this.getAgentState();
    if (!this.takesMessages(origin)) return previous;
    const { revision, taskId } = origin;
    const newer = this.#isShown(taskId)
      ? this.#list.messages
          .toArray()
          .filter((message) => this.#revisions.isNewerThan(messageKey(message), revision))
      : [];
    this.#list.replace(messages.map((message) => frozenCopy(message)));
    for (const message of newer) this.#list.put(message);
    this.#revisions.noteState(revision, new Set(newer.map(messageKey)));
    for (const ts of this.#held.messages) this.#extend(ts);
    this.#shown = this.#afterState(taskId, messages.length);
    if (this.isSettled()) this.#publish();
    return previous;
  }

  /** Append a message, independent of its `ts`. Returns the state before. */
  addMessage(message: ClineMessage): AgentStateInfo {
    const previous = this.getAgentState();
    if (this.#shown.kind === "nothing") this.#shown = { kind: "unnamed" };
    this.#list.append(frozenCopy(message));
    this.#publish();
    return previous;
  }

  /**
   * Replace or insert a message. Returns the state before. With `more`, the change is shown together with the last update
   * of its commit.
   */
  updateMessage(message: ClineMessage, origin: Origin & { readonly more?: boolean } = {}): AgentStateInfo {
    const previous = this.getAgentState();
    if (!this.takesMessage(message, origin)) return previous;
    const { taskId, revision, more = false } = origin;
    this.#list.put(frozenCopy(message));
    this.#revisions.noteMessage(messageKey(message), revision, more);
    this.#extend(message.ts);
    this.#shown = this.#afterUpdate(taskId);
    if (this.isSettled()) this.#publish();
    return previous;
  }

  /**
   * Append text to a message; returns the message, or undefined where the growth is held or was applied before. A growth
   * with a revision is held until the text before it has arrived; one without must arrive in order.
   */
  growMessage(growth: MessageGrowth): ClineMessage | undefined {
    const { ts, taskId, offset } = growth;
    if (taskId !== undefined && !this.#isTaken(taskId)) return undefined;
    const message = this.#list.byTs(ts);
    const length = message?.text?.length ?? 0;
    const fit = this.#fitOf(growth, message, length);
    if (fit === "waits" && isNumbered(growth) && !this.#held.hold(growth)) this.#onGap();
    if (fit !== "fits" || message === undefined || offset !== length) return undefined;
    this.#grow(message, growth);
    this.#extend(ts);
    this.#shown = this.#afterUpdate(taskId);
    if (this.isSettled()) this.#publish();
    return this.#list.byTs(ts);
  }

  setCurrentMode(mode: string | undefined): void {
    this.#set(this.getState().with({ currentMode: mode }));
  }

  /** Merge the fields of a state push, except the messages. */
  setExtensionState(state: ExtensionState, from: Origin = {}): void {
    if (!this.takesFacts(from)) return;
    this.#revisions.noteFacts(from.revision);
    const { clineMessages: _, ...fields } = state;
    const extensionState: ExtensionState = { ...this.getState().extensionState, ...frozenCopy(fields) };
    this.#set(this.getState().with({ extensionState: Object.freeze(extensionState) }));
  }

  /** Show no task. The mode stays. Only a state push shows the task again. */
  clear(): void {
    this.#list.replace([]);
    if (this.#shown.kind === "task") this.#shown = { kind: "gone" };
    this.#revisions.noteState(undefined, new Set());
    this.#held.clear();
    this.#publish();
  }

  /** Reset to the initial state without notifying observers. */
  reset(): void {
    this.#list = new MessageList();
    this.#revisions = new Revisions();
    this.#held.clear();
    this.#shown = NOTHING;
    this.clearHistory();
    const first = new StoreState(this.#list.messages, { ...INITIAL, agentState: this.#list.info });
    this.#state.setQuietly(first);
    this.#agentState.setQuietly(first.agentState);
  }

  /** Observe the state, from the present one on. The returned function unsubscribes. */
  subscribe(observer: Observer<StoreState>): () => void {
    return this.#state.subscribe(observer);
  }

  /** Observe the agent state, from the present one on, after each change of the messages. The returned function unsubscribes. */
  subscribeToAgentState(observer: Observer<AgentStateInfo>): () => void {
    return this.#agentState.subscribe(observer);
  }

  /** The earlier states, oldest first; at most `maxHistorySize`. */
  getHistory(): readonly StoreState[] {
    return [...this.#history];
  }

  clearHistory(): void {
    this.#history.length = 0;
  }

  #fitOf(growth: MessageGrowth, message: ClineMessage | undefined, length: number): GrowthFit {
    if (isNumbered(growth)) return this.#revisions.fitOf(message && messageKey(message), growth, length);
    return message !== undefined && growth.offset === length ? "fits" : "stale";
  }

  #grow(message: ClineMessage, { text, revision, more = false }: MessageGrowth): void {
    this.#list.put(frozenCopy({ ...message, text: (message.text ?? "") + text }));
    this.#revisions.noteGrowth(messageKey(message), revision, more);
  }

  /** Applies the held growths of a message, as far as possible. */
  #extend(ts: number): void {
    const first = this.#list.byTs(ts);
    const { source } = this.#revisions;
    const since = first === undefined ? this.#revisions.base : this.#revisions.wholeOf(messageKey(first));
    this.#held.settle(ts, source, since);
    for (let message = first; message !== undefined; message = this.#list.byTs(ts)) {
      const growth = this.#held.take(ts, source, since, message.text?.length ?? 0);
      if (growth === undefined) return;
      this.#grow(message, growth);
    }
  }

  /** Whether messages of this task are accepted. */
  #isTaken(taskId: string): boolean {
    const shown = this.#shown;
    return shown.kind === "nothing" || (shown.kind !== "gone" && (shown.taskId ?? taskId) === taskId);
  }

  #isShown(taskId: string | undefined): boolean {
    return this.#shown.kind === "task" ? this.#shown.taskId === taskId : taskId === undefined;
  }

  #afterState(taskId: string | undefined, count: number): Shown {
    if (taskId !== undefined) return { kind: "task", taskId };
    // The sender names its tasks, and now has none.
    const wasNamed = this.#shown.kind === "task" || this.#shown.kind === "gone";
    return wasNamed && count === 0 ? { kind: "gone" } : { kind: "unnamed" };
  }

  #afterUpdate(taskId: string | undefined): Shown {
    const shown = this.#shown;
    if (shown.kind === "nothing")
      return taskId === undefined ? { kind: "unnamed" } : { kind: "task", taskId };
    return shown.kind === "unnamed" && taskId !== undefined ? { kind: "unnamed", taskId } : shown;
  }

  #publish(): void {
    const shown = this.#shown;
    const agentState = this.#list.info;
    const taskId = shown.kind === "task" ? shown.taskId : undefined;
    this.#set(this.getState().with({ agentState, taskId }, this.#list.messages));
    this.#agentState.next(agentState);
  }

  #set(next: StoreState): void {
    if (this.#maxHistorySize > 0) this.#history.push(this.getState());
    if (this.#history.length > this.#maxHistorySize) this.#history.shift();
    const stamped = next.with({ isInitialized: true, lastUpdatedAt: this.#now() });
    // An observer of the state reads the new agent state as well.
    this.#agentState.setQuietly(stamped.agentState);
    this.#state.next(stamped);
  }
}

/** The initial state. */
const INITIAL = {
  isInitialized: false,
  lastUpdatedAt: 0,
  currentMode: undefined,
  taskId: undefined,
  extensionState: undefined,
} as const;
