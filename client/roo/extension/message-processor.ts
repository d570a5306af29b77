import type { AgentStateInfo } from "../../../machines/message/detect.ts";
import type { ClineMessage } from "../../../machines/message/message.ts";
import { refusalError } from "./client-error.ts";
import type { ClientEvents } from "./client-events.ts";
import { DebugLog, type LogLine, messageKind, summarizeEvent } from "./debug-log.ts";
import { messageKey } from "./message-list.ts";
import { parseMessage } from "./message-parser.ts";
import type {
  CommandStatus,
  ExtensionMessage,
  ExtensionState,
  MessageGrowth,
  MessageUpdate,
  StatePush,
} from "./messages.ts";
import { SeenMessages } from "./seen-messages.ts";
import type { StateStore } from "./state-store.ts";
import {
  isSignificantStateChange,
  restsOnCompletion,
  streamingEnded,
  streamingStarted,
  taskCompleted,
  transitionedToRunning,
  transitionedToWaiting,
} from "./transitions.ts";
import type { TypedEventEmitter } from "./typed-event-emitter.ts";

/** Options of a {@link MessageProcessor}. */
export interface MessageProcessorOptions {
  /** Whether each message emits `stateChange`, or only those that change the state. Default true. */
  readonly emitAllStateChanges?: boolean;
  /** Whether debug lines are written to `log`. Default false. */
  readonly debug?: boolean;
  /** Default: `console.error`. */
  readonly log?: LogLine;
}

/**
 * Applies the agent's messages to a store, and emits events in the order that {@link ClientEvents} states. Messages are
 * processed one at a time: a message that arrives while listeners are called is processed after them.
 */
export class MessageProcessor {
  readonly #store: StateStore;
  readonly #emitter: TypedEventEmitter<ClientEvents>;
  readonly #emitsAll: boolean;
  readonly #log: DebugLog;
  readonly #emitted = new SeenMessages();
  readonly #pending: unknown[] = [];
  /** Updates of an incomplete commit. */
  #updated: ClineMessage[] = [];
  /** Whether all messages were replaced since the last emission. */
  #isReplaced = false;
  #isBusy = false;

  constructor(
    store: StateStore,
    emitter: TypedEventEmitter<ClientEvents>,
    { emitAllStateChanges = true, debug = false, log }: MessageProcessorOptions = {},
  ) {
    this.#store = store;
    this.#emitter = emitter;
    this.#emitsAll = emitAllStateChanges;
    this.#log = new DebugLog(log, debug);
  }

  setDebug(isOn: boolean): void {
    this.#log.isOn = isOn;
  }

  /** Process a message, or its JSON. Never throws: an unreadable message is an `error`, or is ignored. */
  processMessage(message: unknown): void {
    this.#pending.push(message);
    if (this.#isBusy) return;
    this.#isBusy = true;
    try {
      while (this.#pending.length > 0) this.#process(this.#pending.shift());
    } finally {
      this.#isBusy = false;
    }
  }

  /** Clear the shown task: the messages that are shown next count as new. */
  clearTask(): void {
    this.#emitted.delete(this.#store.getTaskId());
    this.#updated = [];
    this.#store.clear();
    this.#emit("taskCleared", undefined);
  }

  /** Reset to the initial state. */
  reset(): void {
    this.#emitted.clear();
    this.#updated = [];
    this.#pending.length = 0;
  }

  #process(raw: unknown): void {
    try {
      const message = parseMessage(raw);
      if (message !== undefined) this.#take(message);
    } catch (error) {
      this.#emit("error", error instanceof Error ? error : new Error(String(error)));
    }
  }

  #take(message: ExtensionMessage): void {
    switch (message.type) {
      case "state":
        this.#takeState(message);
        break;
      case "messageUpdated":
        this.#takeUpdate(message);
        break;
      case "messageGrown":
        this.#takeGrowth(message);
        break;
      case "commandExecutionStatus":
        this.#takeCommand(message);
        break;
      case "refused":
        // A refusal is emitted whichever task is shown.
        this.#emit("error", refusalError(message));
        break;
    }
  }

  #takeState({ state, revision }: StatePush): void {
    const from = {
      ...(state.taskId !== undefined && { taskId: state.taskId }),
      ...(revision !== undefined && { revision }),
    };
    // The facts come first: a restarted sender begins a new sequence of revisions.
    if (this.#store.takesFacts(from)) this.#takeFacts(state, from);
    const { clineMessages } = state;
    if (clineMessages === undefined || !this.#store.takesMessages(from)) return;
    const before = this.#store.getTaskId();
    const previous = this.#store.setMessages(clineMessages, from);
    const after = this.#store.getTaskId();
    if (after === undefined && clineMessages.length === 0) this.#emitted.delete(undefined);
    if (before !== after) this.#updated = [];
    this.#isReplaced = true;
    this.#settle(previous, before !== after);
  }

  #takeFacts(state: ExtensionState, from: { readonly taskId?: string }): void {
    const former = this.#store.getState();
    this.#store.setExtensionState(state, from);
    const { mode, messageQueue } = state;
    if (mode !== undefined && mode !== former.currentMode) {
      this.#store.setCurrentMode(mode);
      this.#emit("modeChanged", { previousMode: former.currentMode, currentMode: mode });
    }
    if (messageQueue !== undefined && !isSame(messageQueue, former.extensionState?.messageQueue ?? []))
      this.#emit("queueChanged", messageQueue);
  }

  #takeUpdate(update: MessageUpdate): void {
    const { clineMessage, taskId } = update;
    if (!this.#store.takesMessage(clineMessage, update)) {
      this.#log.note("Ignored", () => ({ ts: clineMessage.ts, taskId, shown: this.#store.getTaskId() }));
      return;
    }
    const previous = this.#store.updateMessage(clineMessage, update);
    // It includes growths that arrived before it.
    const message = this.#store.getMessage(clineMessage.ts);
    this.#updated.push(
      message !== undefined && messageKey(message) === messageKey(clineMessage) ? message : clineMessage,
    );
    this.#settle(previous, false);
  }

  #takeGrowth(growth: MessageGrowth): void {
    const previous = this.#store.getAgentState();
    const message = this.#store.growMessage(growth);
    if (message === undefined) {
      const { ts, taskId, offset } = growth;
      this.#log.note("Held or ignored", () => ({ ts, taskId, offset, shown: this.#store.getTaskId() }));
      return;
    }
    this.#updated.push(message);
    this.#settle(previous, false);
  }

  /** Emits the changes, unless a commit is incomplete. */
  #settle(previous: AgentStateInfo, isOtherTask: boolean): void {
    if (!this.#store.isSettled()) return;
    const current = this.#store.getAgentState();
    const updated = this.#updated;
    const isReplaced = this.#isReplaced;
    this.#updated = [];
    this.#isReplaced = false;
    this.#log.note("State update", () => this.#summarize(previous, current));
    for (const message of updated) this.#emit("messageUpdated", message);
    this.#emitChange(previous, current, isOtherTask);
    const taskId = this.#store.getTaskId();
    const messages = isReplaced ? this.#store.getMessages() : updated;
    for (const message of messages)
      if (this.#emitted.add(taskId, messageKey(message))) this.#emit("message", message);
  }

  #emitChange(previous: AgentStateInfo, current: AgentStateInfo, isOtherTask: boolean): void {
    const isSignificantChange = isOtherTask || isSignificantStateChange(previous, current);
    if (this.#emitsAll || previous.state !== current.state)
      this.#emit("stateChange", { previousState: previous, currentState: current, isSignificantChange });
    const { currentAsk: ask, lastMessage: message, isWaitingForInput } = current;
    const isNewWait = transitionedToWaiting(previous, current) || (isOtherTask && isWaitingForInput);
    if (isNewWait && ask !== undefined && message !== undefined)
      this.#emit("waitingForInput", { ask, askId: message.ts, stateInfo: current, message });
    if (transitionedToRunning(previous, current)) this.#emit("resumedRunning", undefined);
    if (streamingStarted(previous, current)) this.#emit("streamingStarted", undefined);
    if (streamingEnded(previous, current)) this.#emit("streamingEnded", undefined);
    if (taskCompleted(previous, current) || isOtherTask) this.#emitCompletion(current);
  }

  /** Emits each completion once, also when its task is shown again. */
  #emitCompletion(current: AgentStateInfo): void {
    const { lastMessage: message } = current;
    if (message === undefined || !restsOnCompletion(current)) return;
    if (this.#emitted.add(this.#store.getTaskId(), `completion ${message.ts}`))
      this.#emit("taskCompleted", { success: true, stateInfo: current, message });
  }

  #takeCommand({ taskId, askId, status, output = "", exitCode }: CommandStatus): void {
    const shown = this.#store.getTaskId();
    if (taskId !== undefined && shown !== undefined && taskId !== shown) return;
    if (status === "output") this.#emit("commandOutput", { askId, output });
    else this.#emit("commandExited", { askId, ...(exitCode !== undefined && { exitCode }) });
  }

  #emit<K extends keyof ClientEvents>(name: K, payload: ClientEvents[K]): void {
    this.#log.note(`EMIT ${name}`, () => summarizeEvent(name, payload));
    this.#emitter.emit(name, payload);
  }

  #summarize(previous: AgentStateInfo, current: AgentStateInfo): unknown {
    const { lastMessage, currentAsk, isWaitingForInput } = current;
    return {
      messageCount: this.#store.getState().messageCount,
      lastMessage: lastMessage && { msgType: messageKind(lastMessage), partial: lastMessage.partial },
      stateTransition: `${previous.state} → ${current.state}`,
      currentAsk,
      isWaitingForInput,
    };
  }
}

const isSame = (one: unknown, other: unknown): boolean => JSON.stringify(one) === JSON.stringify(other);
