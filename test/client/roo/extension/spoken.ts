import { type ClientEvents, ExtensionClient, type ExtensionClientOptions } from "../../../../client/index.ts";
import type { ClineMessage } from "../../../../machines/message/message.ts";

export const say = (ts: number, kind: string, more: Partial<ClineMessage> = {}): ClineMessage => ({
  ts,
  type: "say",
  say: kind,
  text: `${kind} ${ts}`,
  ...more,
});

export const ask = (ts: number, kind: string, more: Partial<ClineMessage> = {}): ClineMessage => ({
  ts,
  type: "ask",
  ask: kind,
  text: `${kind} ${ts}`,
  ...more,
});

export const state = (rows: readonly ClineMessage[], more: Readonly<Record<string, unknown>> = {}) => ({
  type: "state",
  state: { clineMessages: rows, ...more },
});

export const update = (clineMessage: ClineMessage, more: Readonly<Record<string, unknown>> = {}) => ({
  type: "messageUpdated",
  clineMessage,
  ...more,
});

const NAMES = [
  "modeChanged",
  "queueChanged",
  "stateChange",
  "waitingForInput",
  "resumedRunning",
  "streamingStarted",
  "streamingEnded",
  "taskCompleted",
  "message",
  "messageUpdated",
  "commandOutput",
  "commandExited",
  "taskCleared",
  "error",
] as const satisfies readonly (keyof ClientEvents)[];

export type Heard = { [K in keyof ClientEvents]: { name: K; payload: ClientEvents[K] } }[keyof ClientEvents];

/** A client, what it tells and what it sends. */
export function listen(options: Partial<ExtensionClientOptions> = {}) {
  const sent: unknown[] = [];
  const client = new ExtensionClient({ sendMessage: (message) => sent.push(message), ...options });
  const heard: Heard[] = [];
  for (const name of NAMES) client.on(name, (payload) => heard.push({ name, payload } as Heard));
  return {
    client,
    sent,
    heard,
    /** The names of what was told since it was last asked; rows with their `ts`. */
    names: () =>
      heard
        .splice(0)
        .map(({ name, payload }) =>
          name === "message" || name === "messageUpdated" ? `${name} ${payload.ts}` : name,
        ),
    payloads: <K extends keyof ClientEvents>(name: K) =>
      heard.flatMap((event) => (event.name === name ? [event.payload as ClientEvents[K]] : [])),
  };
}
