import type { AgentStateInfo, ClineMessage } from "../../machines/message/index.ts";
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
  Refusal,
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

export interface MessageProcessorOptions {
  /** Whether each message brings a `stateChange`, or only those that bring another state. Default true. */
  readonly emitAllStateChanges?: boolean;
  /** Whether lines are written to `log`. Default false. */
  readonly debug?: boolean;
  /** Default: the console's standard error. */
  readonly log?: LogLine;
}

/**
 * Brings what the agent says into a store, and tells what that means, in the order that {@link ClientEvents} names. A
 * message is dealt with whole before the next: one that comes while listeners are told waits until they all were.
 */
export class MessageProcessor {
  readonly #store: StateStore;
  readonly #emitter: TypedEventEmitter<ClientEvents>;
  readonly #emitsAll: boolean;
  readonly #log: DebugLog;
  readonly #told = new SeenMessages();
  readonly #waiting: unknown[] = [];
  /** Rows of a step that is not whole yet. */
  #held: ClineMessage[] = [];
  /** All rows came anew since something was told: any may be new. */
  #isWhole = false;
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

  /** Takes a message, or its JSON. Never throws: what can't be read is an `error`, or is left out. */
  processMessage(message: unknown): void {
    this.#inTurn(message);
  }

  /** The view is emptied by whoever looks at it: what is shown next counts as new. */
  clearTask(): void {
    this.#told.forget(this.#store.getTaskId());
    this.#held = [];
    this.#store.clear();
    this.#tell("taskCleared", undefined);
  }

  /** Forgets what was told, as if it were new. */
  reset(): void {
    this.#told.clear();
    this.#held = [];
    this.#waiting.length = 0;
  }

  #inTurn(message: unknown): void {
    this.#waiting.push(message);
    if (this.#isBusy) return;
    this.#isBusy = true;
    try {
      while (this.#waiting.length > 0) this.#process(this.#waiting.shift());
    } finally {
      this.#isBusy = false;
    }
  }

  #process(raw: unknown): void {
    try {
      const message = parseMessage(raw);
      if (message !== undefined) this.#take(message);
    } catch (error) {
      this.#tell("error", error instanceof Error ? error : new Error(String(error)));
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
        this.#takeRefusal(message);
        break;
    }
  }

  #takeState({ state, revision }: StatePush): void {
    const from = {
      ...(state.taskId !== undefined && { taskId: state.taskId }),
      ...(revision !== undefined && { revision }),
    };
    // Another run of the sender is met by its rows first: what it says beside them counts from there.
    if (this.#store.takesFacts(from)) this.#takeFacts(state, from);
    const { clineMessages } = state;
    if (clineMessages === undefined || !this.#store.takesMessages(from)) return;
    const before = this.#store.getTaskId();
    const previous = this.#store.setMessages(clineMessages, from);
    const after = this.#store.getTaskId();
    if (after === undefined && clineMessages.length === 0) this.#told.forget(undefined);
    if (before !== after) this.#held = [];
    this.#isWhole = true;
    this.#settle(previous, before !== after);
  }

  #takeFacts(state: ExtensionState, from: { readonly taskId?: string }): void {
    const former = this.#store.getState();
    this.#store.setExtensionState(state, from);
    const { mode, messageQueue } = state;
    if (mode !== undefined && mode !== former.currentMode) {
      this.#store.setCurrentMode(mode);
      this.#tell("modeChanged", { previousMode: former.currentMode, currentMode: mode });
    }
    if (messageQueue !== undefined && !isSame(messageQueue, former.extensionState?.messageQueue ?? []))
      this.#tell("queueChanged", messageQueue);
  }

  #takeUpdate({ clineMessage, taskId, revision, more = false }: MessageUpdate): void {
    const told = {
      ...(taskId !== undefined && { taskId }),
      ...(revision !== undefined && { revision }),
      more,
    };
    if (!this.#store.takesMessage(clineMessage, told)) {
      this.#log.note("Left out", () => ({ ts: clineMessage.ts, taskId, shown: this.#store.getTaskId() }));
      return;
    }
    const previous = this.#store.updateMessage(clineMessage, told);
    // Pieces of its text that came before it are in it by now.
    const row = this.#store.getMessage(clineMessage.ts);
    this.#held.push(row !== undefined && messageKey(row) === messageKey(clineMessage) ? row : clineMessage);
    this.#settle(previous, false);
  }

  #takeGrowth(growth: MessageGrowth): void {
    const previous = this.#store.getAgentState();
    const row = this.#store.growMessage(growth);
    if (row === undefined) {
      const { ts, taskId, offset } = growth;
      this.#log.note("Held or left out", () => ({ ts, taskId, offset, shown: this.#store.getTaskId() }));
      return;
    }
    this.#held.push(row);
    this.#settle(previous, false);
  }

  /** Tells what the rows now mean, where they are those between two steps. */
  #settle(previous: AgentStateInfo, isOtherTask: boolean): void {
    if (!this.#store.isSettled()) return;
    const current = this.#store.getAgentState();
    const updated = this.#held;
    const isWhole = this.#isWhole;
    this.#held = [];
    this.#isWhole = false;
    this.#log.note("State update", () => this.#inShort(previous, current));
    for (const row of updated) this.#tell("messageUpdated", row);
    this.#tellChange(previous, current, isOtherTask);
    const taskId = this.#store.getTaskId();
    const rows = isWhole ? this.#store.getMessages() : updated;
    for (const row of rows) if (this.#told.first(taskId, messageKey(row))) this.#tell("message", row);
  }

  #tellChange(previous: AgentStateInfo, current: AgentStateInfo, isOtherTask: boolean): void {
    const isSignificantChange = isOtherTask || isSignificantStateChange(previous, current);
    if (this.#emitsAll || previous.state !== current.state)
      this.#tell("stateChange", { previousState: previous, currentState: current, isSignificantChange });
    const { currentAsk: ask, lastMessage: message, isWaitingForInput } = current;
    const isNewWait = transitionedToWaiting(previous, current) || (isOtherTask && isWaitingForInput);
    if (isNewWait && ask !== undefined && message !== undefined)
      this.#tell("waitingForInput", { ask, askId: message.ts, stateInfo: current, message });
    if (transitionedToRunning(previous, current)) this.#tell("resumedRunning", undefined);
    if (streamingStarted(previous, current)) this.#tell("streamingStarted", undefined);
    if (streamingEnded(previous, current)) this.#tell("streamingEnded", undefined);
    if (taskCompleted(previous, current) || isOtherTask) this.#tellCompletion(current);
  }

  /** Once for each completion, also where its task is shown again. */
  #tellCompletion(current: AgentStateInfo): void {
    const { lastMessage: message } = current;
    if (message === undefined || !restsOnCompletion(current)) return;
    if (this.#told.first(this.#store.getTaskId(), `completion ${message.ts}`))
      this.#tell("taskCompleted", { success: true, stateInfo: current, message });
  }

  #takeCommand({ taskId, askId, status, output = "", exitCode }: CommandStatus): void {
    if (!this.#isShown(taskId)) return;
    if (status === "output") this.#tell("commandOutput", { askId, output });
    else this.#tell("commandExited", { askId, ...(exitCode !== undefined && { exitCode }) });
  }

  /** A refusal is an answer to whoever asked, whichever task is shown by now. */
  #takeRefusal(refusal: Refusal): void {
    this.#tell("error", refusalError(refusal));
  }

  #isShown(taskId: string | undefined): boolean {
    const shown = this.#store.getTaskId();
    return taskId === undefined || shown === undefined || taskId === shown;
  }

  #tell<K extends keyof ClientEvents>(name: K, payload: ClientEvents[K]): void {
    this.#log.note(`EMIT ${name}`, () => summarizeEvent(name, payload));
    this.#emitter.emit(name, payload);
  }

  #inShort(previous: AgentStateInfo, current: AgentStateInfo): unknown {
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
