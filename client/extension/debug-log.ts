import type { ClineMessage } from "../../machines/message/index.ts";
import type { ClientEvents } from "./client-events.ts";

/** Writes one line. */
export type LogLine = (line: string) => void;

/** The lines of a debug log: `[MessageProcessor] EMIT waitingForInput: {"ask":"tool"}`. What rows say is not in them. */
export class DebugLog {
  readonly #write: LogLine;
  isOn: boolean;

  constructor(write: LogLine | undefined, isOn: boolean) {
    this.#write = write ?? toStandardError;
    this.isOn = isOn;
  }

  /** @param facts Made only when the log is on. */
  note(what: string, facts: () => unknown): void {
    if (this.isOn) this.#write(`[MessageProcessor] ${what}: ${JSON.stringify(facts())}`);
  }
}

/** The kind of a row: `ask:tool`. */
export const messageKind = ({ type, ask, say }: ClineMessage): string => `${type}:${ask ?? say ?? ""}`;

/** An event for a log: without what rows say. */
export const summarizeEvent = <K extends keyof ClientEvents>(name: K, payload: ClientEvents[K]): unknown =>
  IN_SHORT[name](payload);

const rowInShort = (row: ClineMessage): unknown => ({
  ts: row.ts,
  messageKind: messageKind(row),
  partial: row.partial,
});
const nothing = (): unknown => ({});

const IN_SHORT: { readonly [K in keyof ClientEvents]: (payload: ClientEvents[K]) => unknown } = {
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
  message: rowInShort,
  messageUpdated: rowInShort,
  commandOutput: ({ askId, output }) => ({ askId, characters: output.length }),
  commandExited: (exit) => exit,
  taskCleared: nothing,
  error: ({ name, message }) => ({ name, message }),
};

function toStandardError(line: string): void {
  // biome-ignore lint/suspicious/noConsole: where a debug log goes that is given no other place
  console.error(line);
}
