import type { AgentLoopState, AgentStateInfo, AskType, ClineMessage } from "../../machines/message/index.ts";
import { frozenCopy } from "./frozen-copy.ts";
import { MessageList, messageKey } from "./message-list.ts";
import type { ExtensionState, MessageGrowth, Revision } from "./messages.ts";
import { Observable, type Observer } from "./observable.ts";
import { isNumbered, PendingGrowth } from "./pending-growth.ts";
import { type GrowthFit, Revisions } from "./revisions.ts";
import { StoreState } from "./store-state.ts";

export interface StateStoreOptions {
  /** Former states that are kept (L14). 0: none. Default 100. */
  readonly maxHistorySize?: number;
  /** The time, in milliseconds since 1970. */
  readonly now?: () => number;
  /** Told of what an observer threw. Default: thrown at the process. */
  readonly onError?: (error: unknown) => void;
  /**
   * Pieces of text that are held at most until what they go behind has come (L14). Where there are more, all are let go,
   * and `onGap` is told. Default 10,000.
   */
  readonly heldPieces?: number;
  /** Told that pieces of text were let go: the rows are whole again with the next state push. */
  readonly onGap?: () => void;
}

/** Whose rows they are, and when they were told. */
export interface Origin {
  readonly taskId?: string;
  readonly revision?: Revision;
}

/** Whose rows are in the view, as far as the sender has said. */
type Shown =
  /** Nothing was told yet: the first that comes names the task. */
  | { readonly kind: "nothing" }
  /** A task that a state push named. */
  | { readonly kind: "task"; readonly taskId: string }
  /** Rows that no state push gave a name. Updates may have one: the first counts. */
  | { readonly kind: "unnamed"; readonly taskId?: string }
  /** The task that was named is gone: only a state push shows another. */
  | { readonly kind: "gone" };

const NOTHING: Shown = { kind: "nothing" };

/**
 * The view of one task: its rows, the state that they mean, the mode. Rows are copied and frozen as they come in, so that
 * nobody can change them without an update. A row's update costs the same however long the log is (L17).
 *
 * Rows of another task never come into the view: only a state push changes which task is shown. What has a revision
 * may come in any order and more than once; in the end the view is the same.
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
    const first = new StoreState(this.#list.rows, { ...UNTOLD, agentState: this.#list.info });
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

  /** The row of this `ts`, as the view will show it once its step is whole. */
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

  /** Whether the rows are those between two steps of the agent: else the view shows those before the step. */
  isSettled(): boolean {
    return this.#revisions.isSettled;
  }

  /** Whether `setMessages` would change anything. */
  takesMessages({ revision }: Origin = {}): boolean {
    return this.#revisions.takesState(revision);
  }

  /** Whether the facts beside the rows of such a push are newer than those that are known. */
  takesFacts({ revision }: Origin = {}): boolean {
    return this.#revisions.takesFacts(revision);
  }

  /**
   * Whether `updateMessage` would change anything: not a row of another task, not one that is known newer, and not one
   * without a revision that isn't there and is older than what is.
   */
  takesMessage(row: ClineMessage, { taskId, revision }: Origin = {}): boolean {
    if (taskId !== undefined && !this.#isTaken(taskId)) return false;
    if (revision !== undefined) return this.#revisions.takesRow(messageKey(row), revision);
    return this.#list.isNewest(row) || this.#list.has(row);
  }

  /** Shows these rows, and the task that they are of. Rows of that task that are known newer stay. Gives the state before. */
  setMessages(messages: readonly ClineMessage[], told: Origin = {}): AgentStateInfo {
    const previous = this.getAgentState();
    if (!this.takesMessages(told)) return previous;
    const { revision, taskId } = told;
    const newer = this.#isShown(taskId)
      ? this.#list.rows.toArray().filter((row) => this.#revisions.isNewerThan(messageKey(row), revision))
      : [];
    this.#list.replace(messages.map((row) => frozenCopy(row)));
    for (const row of newer) this.#list.put(row);
    this.#revisions.noteState(revision, new Set(newer.map(messageKey)));
    for (const ts of this.#held.rows) this.#extend(ts);
    this.#shown = this.#afterState(taskId, messages.length);
    if (this.isSettled()) this.#publish();
    return previous;
  }

  /** Appends a row, wherever its `ts` would be. Gives the state before. */
  addMessage(message: ClineMessage): AgentStateInfo {
    const previous = this.getAgentState();
    if (this.#shown.kind === "nothing") this.#shown = { kind: "unnamed" };
    this.#list.append(frozenCopy(message));
    this.#publish();
    return previous;
  }

  /**
   * Replaces a row, or puts one in that isn't there. Gives the state before. With `more`, the view shows nothing of it
   * until the last row of its step has come.
   */
  updateMessage(message: ClineMessage, told: Origin & { readonly more?: boolean } = {}): AgentStateInfo {
    const previous = this.getAgentState();
    if (!this.takesMessage(message, told)) return previous;
    const row = frozenCopy(message);
    const { taskId, revision, more = false } = told;
    this.#list.put(row);
    this.#revisions.noteRow(messageKey(row), revision, more);
    this.#extend(row.ts);
    this.#shown = this.#afterUpdate(taskId);
    if (this.isSettled()) this.#publish();
    return previous;
  }

  /**
   * Puts more text behind that of a row, and gives the row as it is now. Undefined where it can't be done yet, or was
   * done before. A piece with a revision is held until what it goes behind has come; one without must come in order.
   */
  growMessage(growth: MessageGrowth): ClineMessage | undefined {
    const { ts, taskId, offset } = growth;
    if (taskId !== undefined && !this.#isTaken(taskId)) return undefined;
    const row = this.#list.byTs(ts);
    const length = row?.text?.length ?? 0;
    const fit = this.#fitOf(growth, row, length);
    if (fit === "waits" && isNumbered(growth) && !this.#held.hold(growth)) this.#onGap();
    if (fit !== "fits" || row === undefined || offset !== length) return undefined;
    this.#grow(row, growth);
    this.#extend(ts);
    this.#shown = this.#afterUpdate(taskId);
    if (this.isSettled()) this.#publish();
    return this.#list.byTs(ts);
  }

  setCurrentMode(mode: string | undefined): void {
    this.#set(this.getState().with({ currentMode: mode }));
  }

  /** Takes the fields that are told over; the rows have a place of their own. */
  setExtensionState(told: ExtensionState, from: Origin = {}): void {
    if (!this.takesFacts(from)) return;
    this.#revisions.noteFacts(from.revision);
    const { clineMessages: _, ...fields } = told;
    const extensionState: ExtensionState = { ...this.getState().extensionState, ...frozenCopy(fields) };
    this.#set(this.getState().with({ extensionState: Object.freeze(extensionState) }));
  }

  /** Shows no task. The mode stays. Rows of the task that was shown come back by a state push only. */
  clear(): void {
    this.#list.replace([]);
    if (this.#shown.kind === "task") this.#shown = { kind: "gone" };
    this.#revisions.noteState(undefined, new Set());
    this.#held.clear();
    this.#publish();
  }

  /** Forgets everything, as if it were new. Observers stay, and aren't told. */
  reset(): void {
    this.#list = new MessageList();
    this.#revisions = new Revisions();
    this.#held.clear();
    this.#shown = NOTHING;
    this.clearHistory();
    const first = new StoreState(this.#list.rows, { ...UNTOLD, agentState: this.#list.info });
    this.#state.setQuietly(first);
    this.#agentState.setQuietly(first.agentState);
  }

  /** Called at once, and whenever anything is another. The function it gives ends that. */
  subscribe(observer: Observer<StoreState>): () => void {
    return this.#state.subscribe(observer);
  }

  /** Called at once, and after each change of the rows. The function it gives ends that. */
  subscribeToAgentState(observer: Observer<AgentStateInfo>): () => void {
    return this.#agentState.subscribe(observer);
  }

  /** The states before the present one, oldest first; at most `maxHistorySize`. */
  getHistory(): readonly StoreState[] {
    return [...this.#history];
  }

  clearHistory(): void {
    this.#history.length = 0;
  }

  #fitOf(growth: MessageGrowth, row: ClineMessage | undefined, length: number): GrowthFit {
    if (isNumbered(growth)) return this.#revisions.fitOf(row && messageKey(row), growth, length);
    return row !== undefined && growth.offset === length ? "fits" : "stale";
  }

  #grow(row: ClineMessage, { text, revision, more = false }: MessageGrowth): void {
    this.#list.put(frozenCopy({ ...row, text: (row.text ?? "") + text }));
    this.#revisions.noteGrowth(messageKey(row), revision, more);
  }

  /** Puts the pieces in that were held for this row, as far as they go. */
  #extend(ts: number): void {
    const first = this.#list.byTs(ts);
    const { source } = this.#revisions;
    const since = first === undefined ? this.#revisions.base : this.#revisions.wholeOf(messageKey(first));
    this.#held.settle(ts, source, since);
    for (let row = first; row !== undefined; row = this.#list.byTs(ts)) {
      const piece = this.#held.take(ts, source, since, row.text?.length ?? 0);
      if (piece === undefined) return;
      this.#grow(row, piece);
    }
  }

  /** Whether a row that names this task belongs here. */
  #isTaken(taskId: string): boolean {
    const shown = this.#shown;
    return shown.kind === "nothing" || (shown.kind !== "gone" && (shown.taskId ?? taskId) === taskId);
  }

  #isShown(taskId: string | undefined): boolean {
    return this.#shown.kind === "task" ? this.#shown.taskId === taskId : taskId === undefined;
  }

  #afterState(taskId: string | undefined, rows: number): Shown {
    if (taskId !== undefined) return { kind: "task", taskId };
    // A sender that named its tasks, and now says that there is none.
    const wasNamed = this.#shown.kind === "task" || this.#shown.kind === "gone";
    return wasNamed && rows === 0 ? { kind: "gone" } : { kind: "unnamed" };
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
    this.#set(this.getState().with({ agentState, taskId }, this.#list.rows));
    this.#agentState.next(agentState);
  }

  #set(next: StoreState): void {
    if (this.#maxHistorySize > 0) this.#history.push(this.getState());
    if (this.#history.length > this.#maxHistorySize) this.#history.shift();
    const told = next.with({ isInitialized: true, lastUpdatedAt: this.#now() });
    // Who looks from within an observer sees both.
    this.#agentState.setQuietly(told.agentState);
    this.#state.next(told);
  }
}

/** What is known before anything was told. */
const UNTOLD = {
  isInitialized: false,
  lastUpdatedAt: 0,
  currentMode: undefined,
  taskId: undefined,
  extensionState: undefined,
} as const;
