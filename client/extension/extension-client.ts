import { Observable } from "rxjs";
import type { AgentLoopState, AgentStateInfo, AskType, ClineMessage } from "../../machines/message/index.ts";
import type { QueuedMessage } from "../../machines/task/index.ts";
import { ClientError } from "./client-error.ts";
import type { ClientEvents, ModeChange, StateChange, WaitingForInput } from "./client-events.ts";
import { MessageProcessor, type MessageProcessorOptions } from "./message-processor.ts";
import type { AskResponse, WebviewMessage } from "./messages.ts";
import { StateStore } from "./state-store.ts";
import { TypedEventEmitter } from "./typed-event-emitter.ts";

export interface ExtensionClientOptions extends MessageProcessorOptions {
  /** Takes a message to the agent: plain JSON. What it throws, or rejects with, is an `error` with the code `SEND_FAILED`. */
  readonly sendMessage: (message: WebviewMessage) => unknown;
  /** Former states that are kept (L14). 0: none. Default 100. */
  readonly maxHistorySize?: number;
  /** Pieces of text that are held at most until what they go behind has come (L14): then the whole state is asked for. Default 10,000. */
  readonly heldPieces?: number;
}

/** What became of a message to the agent. What could not be sent was told as an `error` too. */
export type SendResult = { readonly sent: true } | { readonly sent: false; readonly error: ClientError };

/**
 * A front end's view of an agent, in process or over any transport: the messages that the agent sends go in by
 * `handleMessage`, what a person wants goes out by `sendMessage`, and the state is there at any time.
 *
 * An answer names the ask that is shown as it is given, so that it never answers another one (L8). Where no ask is shown
 * nothing is sent: `NO_OPEN_ASK`.
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
  /** The state of the agent: the present one, then the one after each message that was taken. */
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

  /** Takes a message of the agent, or its JSON. Never throws. */
  handleMessage(message: unknown): void {
    this.#processor.processMessage(message);
  }

  /** Takes several, in order. */
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

  /** Whether a task with rows is shown. */
  hasActiveTask(): boolean {
    return this.getCurrentState() !== "no_task";
  }

  /** The rows of the task that is shown, oldest first. */
  getMessages(): readonly ClineMessage[] {
    return this.#store.getMessages();
  }

  getLastMessage(): ClineMessage | undefined {
    return this.#store.getLastMessage();
  }

  getCurrentAsk(): AskType | (string & {}) | undefined {
    return this.#store.getCurrentAsk();
  }

  /** Whether the agent has told anything yet. */
  isInitialized(): boolean {
    return this.#store.isInitialized();
  }

  getCurrentMode(): string | undefined {
    return this.#store.getCurrentMode();
  }

  /** The task that is shown, where the agent names tasks. */
  getTaskId(): string | undefined {
    return this.#store.getTaskId();
  }

  /** What waits for the next request. */
  getQueue(): readonly QueuedMessage[] {
    return this.#store.getState().extensionState?.messageQueue ?? [];
  }

  /** Calls `listener` at each event of this name. The function it gives ends that. */
  on<K extends keyof ClientEvents>(name: K, listener: (payload: ClientEvents[K]) => unknown): () => void {
    return this.#emitter.on(name, listener);
  }

  /** Calls `listener` at the next event of this name only. */
  once<K extends keyof ClientEvents>(name: K, listener: (payload: ClientEvents[K]) => unknown): () => void {
    return this.#emitter.once(name, listener);
  }

  off<K extends keyof ClientEvents>(name: K, listener: (payload: ClientEvents[K]) => unknown): void {
    this.#emitter.off(name, listener);
  }

  /** Lets go of the listeners of one event, or of all. */
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

  /** Says yes to the ask that is shown. */
  approve(text?: string, images?: readonly string[]): SendResult {
    return this.sendResponse("yesButtonClicked", text, images);
  }

  /** Says no to the ask that is shown. */
  reject(text?: string, images?: readonly string[]): SendResult {
    return this.sendResponse("noButtonClicked", text, images);
  }

  /** Answers the ask that is shown in words. */
  respond(text: string, images?: readonly string[]): SendResult {
    return this.sendResponse("messageResponse", text, images);
  }

  /** Answers the ask that is shown. No ask takes `objectResponse`: the agent refuses it by name. */
  sendResponse(askResponse: AskResponse, text?: string, images?: readonly string[]): SendResult {
    return this.sendMessage({ type: "askResponse", askResponse, ...words(text, images) });
  }

  /** Lets a task that was interrupted go on. */
  resumeTask(text?: string, images?: readonly string[]): SendResult {
    return this.approve(text, images);
  }

  /** Has a request that failed tried again. */
  retryApiRequest(): SendResult {
    return this.approve();
  }

  /** Lets the command whose output is shown go on beside the agent. */
  continueTerminal(): SendResult {
    return this.sendMessage({ type: "terminalOperation", terminalOperation: "continue" });
  }

  /** Ends the command whose output is shown. */
  abortTerminal(): SendResult {
    return this.sendMessage({ type: "terminalOperation", terminalOperation: "abort" });
  }

  /**
   * Tells the agent that this front end is there, and what it can take: it is sent the whole state, and of a row that
   * streams only what is new. Before that, or from a foreign agent, it is sent whole rows.
   */
  launch(): SendResult {
    return this.sendMessage({ type: "webviewDidLaunch", takes: TAKES });
  }

  newTask(text: string, images?: readonly string[]): SendResult {
    return this.sendMessage({ type: "newTask", text, ...imagesOf(images) });
  }

  /** Empties the view at once, and has the agent let go of the task. The mode stays. */
  clearTask(): SendResult {
    this.#processor.clearTask();
    return this.sendMessage({ type: "clearTask" });
  }

  /** Brings the task to rest, from wherever it is (L10). */
  cancelTask(): SendResult {
    return this.sendMessage({ type: "cancelTask" });
  }

  /** Words for the next request. They answer no ask (L7). */
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

  /** Without `images` the message keeps its own; an empty list takes them away. */
  editQueuedMessage(id: string, text: string, images?: readonly string[]): SendResult {
    return this.sendMessage({ type: "editQueuedMessage", id, text, ...(images && { images }) });
  }

  /** Has the agent work in another mode. The view has it once the agent says so. */
  setMode(mode: string): SendResult {
    return this.sendMessage({ type: "mode", mode });
  }

  /** Sends any message. An answer that names no ask is given the one that is shown. */
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

  /** Forgets all that was told, and lets go of all listeners. */
  reset(): void {
    this.#processor.reset();
    this.#store.reset();
    this.#emitter.removeAllListeners();
  }

  /** The states before the present one, oldest first. */
  getStateHistory(): ReturnType<StateStore["getHistory"]> {
    return this.#store.getHistory();
  }

  /** Whether lines are written to the debug log. */
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

  /** The ask that this is an answer to. A completion that was accepted or declined can still be replied to. */
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
      `${message.type} was not sent: it needs ${what}, but the agent is ${state} and ${ask}. Wait for waitingForInput; to speak all the same, queue the message.`,
    );
  }
}

/** What this client reads beside the messages of the family. */
const TAKES: readonly string[] = ["messageGrown"];

const words = (text: string | undefined, images: readonly string[] | undefined) => ({
  ...(text !== undefined && { text }),
  ...imagesOf(images),
});

const imagesOf = (images: readonly string[] | undefined) => (images === undefined ? {} : { images });

function sendFailed({ type }: WebviewMessage, cause: unknown): ClientError {
  const said = cause instanceof Error ? cause.message : String(cause);
  return new ClientError(
    "SEND_FAILED",
    `${type} was not sent: ${said}. See to the transport and send it again.`,
    {
      cause,
    },
  );
}
