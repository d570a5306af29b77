import type { ClineMessage } from "../../../machines/message/message.ts";
import type { ClientEvents } from "./client-events.ts";

/** Writes one line. */
export type LogLine = (line: string) => void;

/** A debug log with lines as `[MessageProcessor] EMIT waitingForInput: {"ask":"tool"}`, without the text of messages. */
export class DebugLog {
  readonly #write: LogLine;
  isOn: boolean;

  constructor(write: LogLine | undefined, isOn: boolean) {
    this.#write = write ?? toStandardError;
    this.isOn = isOn;
  }

  /** @param facts Called only when the log is on. */
  note(what: string, facts: () => unknown): void {
    if (this.isOn) this.#write(`[MessageProcessor] ${what}: ${JSON.stringify(facts())}`);
  }
}

/** The kind of a message: `ask:tool`. */
export const messageKind = ({ type, ask, say }: ClineMessage): string => `${type}:${ask ?? say ?? ""}`;

/** A summary of an event, without the text of messages. */
export const summarizeEvent = <K extends keyof ClientEvents>(name: K, payload: ClientEvents[K]): unknown =>
  SUMMARIES[name](payload);

const summaryOf = (message: ClineMessage): unknown => ({
  ts: message.ts,
  msgType: messageKind(message),
  partial: message.partial,
});
const nothing = (): unknown => ({});

const SUMMARIES: { readonly [K in keyof ClientEvents]: (payload: ClientEvents[K]) => unknown } = {
  modeChanged: (change) => change,
  queueChanged: (queue) => ({ count: queue.length }),
  stateChange: ({ previousState, currentState, isSignificantChange }) => ({
    stateTransition: `${previousState.state} → ${currentState.state}`,
    isSignificantChange,
  }),
  waitingForInput: ({ ask }) => ({ ask }),
  resumedRunning: nothing,
  streamingStarted: nothing,
  streamingEnded: nothing,
  taskCompleted: ({ success }) => ({ success }),
  message: summaryOf,
  messageUpdated: summaryOf,
  commandOutput: ({ askId, output }) => ({ askId, characters: output.length }),
  commandExited: (exit) => exit,
  taskCleared: nothing,
  error: ({ name, message }) => ({ name, message }),
};

function toStandardError(line: string): void {
  // biome-ignore lint/suspicious/noConsole: the default of the debug log
  console.error(line);
}
