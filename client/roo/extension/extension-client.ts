import { Observable } from "rxjs";
import type { AskType } from "../../../machines/message/asks.ts";
import type { AgentStateInfo } from "../../../machines/message/detect.ts";
import type { ClineMessage } from "../../../machines/message/message.ts";
import type { AgentLoopState } from "../../../machines/message/states.ts";
import type { QueuedMessage } from "../../../machines/task/task.events.ts";
import { ClientError } from "./client-error.ts";
import type { ClientEvents, ModeChange, StateChange, WaitingForInput } from "./client-events.ts";
import { MessageProcessor, type MessageProcessorOptions } from "./message-processor.ts";
import type { AskResponse, WebviewMessage } from "./messages.ts";
import { StateStore } from "./state-store.ts";
import { TypedEventEmitter } from "./typed-event-emitter.ts";

/** Options of an {@link ExtensionClient}. */
export interface ExtensionClientOptions extends MessageProcessorOptions {
  /** Sends a message to the agent: plain JSON. Its error or rejection is an `error` with the code `SEND_FAILED`. */
  readonly sendMessage: (message: WebviewMessage) => unknown;
  /** Earlier states to keep (L14). 0: none. Default 100. */
  readonly maxHistorySize?: number;
  /** Growths held until the text before them has arrived (L14); more of them request the whole state. Default 10,000. */
  readonly heldPieces?: number;
}

/** Result of sending a message to the agent. An error is also emitted as `error`. */
export type SendResult = { readonly sent: true } | { readonly sent: false; readonly error: ClientError };

/**
 * A client of an agent, in process or over any transport: it reads the agent's messages with `handleMessage`, sends
 * messages with `sendMessage`, and always has the present state.
 *
 * An answer names the ask that is shown at that moment, so it never answers another one (L8). Without an ask nothing is
 * sent: `NO_OPEN_ASK`.
 *
 * @example
 * ```ts
 * import { ExtensionClient } from "signalbox/client";
 * const sent: unknown[] = [];
 * const client = new ExtensionClient({ sendMessage: (message) => sent.push(message) });
 * client.on("waitingForInput", ({ ask }) => {
 *   if (ask === "command") client.approve();
 * });
 * client.handleMessage({ type: "state", state: { clineMessages: [{ ts: 1, type: "ask", ask: "command" }] } });
 * console.log(client.getCurrentState(), sent.length); // waiting_for_input 1
 * ```
 */
export class ExtensionClient {
  /** The present state of the agent, then the state after each accepted message. */
  readonly state$: Observable<AgentStateInfo>;
  readonly #store: StateStore;
  readonly #emitter: TypedEventEmitter<ClientEvents>;
  readonly #processor: MessageProcessor;
  readonly #send: (message: WebviewMessage) => unknown;

  constructor({ sendMessage, maxHistorySize, heldPieces, ...options }: ExtensionClientOptions) {
    this.#send = sendMessage;
    this.#emitter = new TypedEventEmitter();
    this.#store = new StateStore({
      ...(maxHistorySize !== undefined && { maxHistorySize }),
      ...(heldPieces !== undefined && { heldPieces }),
      onGap: () => this.launch(),
      onError: (error) =>
        this.#emitter.emit("error", error instanceof Error ? error : new Error(String(error))),
    });
    this.#processor = new MessageProcessor(this.#store, this.#emitter, options);
    this.state$ = new Observable((subscriber) =>
      this.#store.subscribeToAgentState((state) => subscriber.next(state)),
    );
  }

  /** Read a message of the agent, or its JSON. Never throws. */
  handleMessage(message: unknown): void {
    this.#processor.processMessage(message);
  }

  /** Read several messages in order. */
  handleMessages(messages: Iterable<unknown>): void {
    for (const message of messages) this.handleMessage(message);
  }

  getAgentState(): AgentStateInfo {
    return this.#store.getAgentState();
  }

  getCurrentState(): AgentLoopState {
    return this.#store.getCurrentState();
  }

  isWaitingForInput(): boolean {
    return this.#store.isWaitingForInput();
  }

  isRunning(): boolean {
    return this.#store.isRunning();
  }

  isStreaming(): boolean {
    return this.#store.isStreaming();
  }

  /** Whether a task with messages is shown. */
  hasActiveTask(): boolean {
    return this.getCurrentState() !== "no_task";
  }

  /** The messages of the shown task, oldest first. */
  getMessages(): readonly ClineMessage[] {
    return this.#store.getMessages();
  }

  getLastMessage(): ClineMessage | undefined {
    return this.#store.getLastMessage();
  }

  getCurrentAsk(): AskType | (string & {}) | undefined {
    return this.#store.getCurrentAsk();
  }

  /** Whether any message of the agent was read. */
  isInitialized(): boolean {
    return this.#store.isInitialized();
  }

  getCurrentMode(): string | undefined {
    return this.#store.getCurrentMode();
  }

  /** The id of the shown task, if the agent names tasks. */
  getTaskId(): string | undefined {
    return this.#store.getTaskId();
  }

  /** The queued messages. */
  getQueue(): readonly QueuedMessage[] {
    return this.#store.getState().extensionState?.messageQueue ?? NO_QUEUE;
  }

  /** Call `listener` for each event of this name. The returned function unsubscribes. */
  on<K extends keyof ClientEvents>(name: K, listener: (payload: ClientEvents[K]) => unknown): () => void {
    return this.#emitter.on(name, listener);
  }

  /** Call `listener` for the next event of this name. */
  once<K extends keyof ClientEvents>(name: K, listener: (payload: ClientEvents[K]) => unknown): () => void {
    return this.#emitter.once(name, listener);
  }

  off<K extends keyof ClientEvents>(name: K, listener: (payload: ClientEvents[K]) => unknown): void {
    this.#emitter.off(name, listener);
  }

  /** Remove the listeners of one event, or of all. */
  removeAllListeners(name?: keyof ClientEvents): void {
    this.#emitter.removeAllListeners(name);
  }

  /** The events of one name, from the subscription on. It completes when the listeners are removed. */
  events$<K extends keyof ClientEvents>(name: K): Observable<ClientEvents[K]> {
    return this.#emitter.events$(name);
  }

  onStateChange(listener: (change: StateChange) => unknown): () => void {
    return this.on("stateChange", listener);
  }

  onWaitingForInput(listener: (waiting: WaitingForInput) => unknown): () => void {
    return this.on("waitingForInput", listener);
  }

  onModeChanged(listener: (change: ModeChange) => unknown): () => void {
    return this.on("modeChanged", listener);
  }

  /** Answer the shown ask with yes. */
  approve(text?: string, images?: readonly string[]): SendResult {
    return this.sendResponse("yesButtonClicked", text, images);
  }

  /** Answer the shown ask with no. */
  reject(text?: string, images?: readonly string[]): SendResult {
    return this.sendResponse("noButtonClicked", text, images);
  }

  /** Answer the shown ask with a text. */
  respond(text: string, images?: readonly string[]): SendResult {
    return this.sendResponse("messageResponse", text, images);
  }

  /** Answer the shown ask. No ask takes `objectResponse`: the agent refuses it. */
  sendResponse(askResponse: AskResponse, text?: string, images?: readonly string[]): SendResult {
    return this.sendMessage({ type: "askResponse", askResponse, ...feedback(text, images) });
  }

  /** Resume an interrupted task. */
  resumeTask(text?: string, images?: readonly string[]): SendResult {
    return this.approve(text, images);
  }

  /** Retry a failed request. */
  retryApiRequest(): SendResult {
    return this.approve();
  }

  /** Continue the shown command in the background. */
  continueTerminal(): SendResult {
    return this.sendMessage({ type: "terminalOperation", terminalOperation: "continue" });
  }

  /** Abort the shown command. */
  abortTerminal(): SendResult {
    return this.sendMessage({ type: "terminalOperation", terminalOperation: "abort" });
  }

  /**
   * Notify the agent that this client is ready, and which messages it reads. The agent then sends the whole state, and
   * growths of streaming messages. Before that, and from a foreign agent, it receives whole messages.
   */
  launch(): SendResult {
    return this.sendMessage({ type: "webviewDidLaunch", takes: TAKES });
  }

  newTask(text: string, images?: readonly string[]): SendResult {
    return this.sendMessage({ type: "newTask", text, ...imagesOf(images) });
  }

  /** Clear the client at once, and have the agent close the task. The mode stays. */
  clearTask(): SendResult {
    this.#processor.clearTask();
    return this.sendMessage({ type: "clearTask" });
  }

  /** Cancel the task with its subtasks, or the shown subtask alone by its id: it settles from any state (L10). */
  cancelTask(taskId?: string): SendResult {
    return this.sendMessage({ type: "cancelTask", ...(taskId !== undefined && { taskId }) });
  }

  /** Queue a message for the next request. It answers no ask (L7). */
  queueMessage(text: string, images?: readonly string[]): SendResult {
    const taskId = this.getTaskId();
    return this.sendMessage({
      type: "queueMessage",
      ...(taskId !== undefined && { taskId }),
      text,
      ...imagesOf(images),
    });
  }

  removeQueuedMessage(id: string): SendResult {
    return this.sendMessage({ type: "removeQueuedMessage", id });
  }

  /** Edit a queued message. Without `images` it keeps its images; an empty list removes them. */
  editQueuedMessage(id: string, text: string, images?: readonly string[]): SendResult {
    return this.sendMessage({ type: "editQueuedMessage", id, text, ...(images && { images }) });
  }

  /** Switch the mode. The client has it once the agent confirms it. */
  setMode(mode: string): SendResult {
    return this.sendMessage({ type: "mode", mode });
  }

  /** Show another task by its id: the agent finds or opens it. */
  showTask(taskId: string): SendResult {
    return this.sendMessage({ type: "showTaskWithId", text: taskId });
  }

  /** Take over the decision that a rule would make after a wait. */
  cancelAutoApproval(): SendResult {
    return this.sendMessage({ type: "cancelAutoApproval" });
  }

  /** Change settings of the agent; absent ones stay. */
  updateSettings(updatedSettings: Readonly<Record<string, unknown>>): SendResult {
    return this.sendMessage({ type: "updateSettings", updatedSettings });
  }

  /** Send any message. An answer without an ask gets the shown one. */
  sendMessage(message: WebviewMessage): SendResult {
    try {
      const sending = this.#send(this.#named(message));
      if (sending instanceof Promise)
        sending.catch((error: unknown) => this.#refuse(sendFailed(message, error)));
      return { sent: true };
    } catch (error) {
      return this.#refuse(error instanceof ClientError ? error : sendFailed(message, error));
    }
  }

  /** Forget all messages, and remove all listeners. */
  reset(): void {
    this.#processor.reset();
    this.#store.reset();
    this.#emitter.removeAllListeners();
  }

  /** The earlier states, oldest first. */
  getStateHistory(): ReturnType<StateStore["getHistory"]> {
    return this.#store.getHistory();
  }

  /** Switch the debug log on or off. */
  setDebug(isOn: boolean): void {
    this.#processor.setDebug(isOn);
  }

  getStore(): StateStore {
    return this.#store;
  }

  getEmitter(): TypedEventEmitter<ClientEvents> {
    return this.#emitter;
  }

  #refuse(error: ClientError): SendResult {
    this.#emitter.emit("error", error);
    return { sent: false, error };
  }

  /** @throws ClientError `NO_OPEN_ASK` */
  #named(message: WebviewMessage): WebviewMessage {
    if (message.type !== "askResponse" && message.type !== "terminalOperation") return message;
    if (message.askId !== undefined) return message;
    const taskId = this.getTaskId();
    return { ...message, askId: this.#shownAsk(message), ...(taskId !== undefined && { taskId }) };
  }

  /** The ask that a message answers. A completion that was accepted or declined still takes a reply. */
  #shownAsk(message: WebviewMessage): number {
    const { isStreaming, lastMessage, currentAsk, state } = this.getAgentState();
    const isReply = message.type === "askResponse" && message.askResponse === "messageResponse";
    const isOpen =
      !isStreaming &&
      lastMessage?.type === "ask" &&
      (lastMessage.closing === undefined || (isReply && currentAsk === "completion_result"));
    const fits = message.type !== "terminalOperation" || currentAsk === "command_output";
    if (isOpen && currentAsk !== undefined && fits) return lastMessage.ts;
    const what =
      message.type === "terminalOperation" ? "a command's output to decide about" : "an ask that is open";
    const ask = currentAsk === undefined ? "no ask is shown" : `${currentAsk} is shown and does not take it`;
    throw new ClientError(
      "NO_OPEN_ASK",
      `${message.type} was not sent: it needs ${what}, but the agent is ${state} and ${ask}. Wait for waitingForInput, or queue the message.`,
    );
  }
}

/** Create a client that sends with this function. */
export const createClient = (sendMessage: (message: WebviewMessage) => unknown): ExtensionClient =>
  new ExtensionClient({ sendMessage });

/** The messages that this client reads in addition to Roo Code's. */
const TAKES: readonly string[] = ["messageGrown"];

/** One object, so the queue is the same until it changes. */
const NO_QUEUE: readonly QueuedMessage[] = Object.freeze([]);

const feedback = (text: string | undefined, images: readonly string[] | undefined) => ({
  ...(text !== undefined && { text }),
  ...imagesOf(images),
});

const imagesOf = (images: readonly string[] | undefined) => (images === undefined ? {} : { images });

function sendFailed({ type }: WebviewMessage, cause: unknown): ClientError {
  const reason = cause instanceof Error ? cause.message : String(cause);
  return new ClientError(
    "SEND_FAILED",
    `${type} was not sent: ${reason}. Repair the transport, then send it again.`,
    { cause },
  );
}
