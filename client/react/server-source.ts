import type { Answer } from "../../machines/message/asks.ts";
import { parseJson } from "../../machines/message/json.ts";
import { emptyRecordedState } from "../../machines/task/commit.ts";
import { problemSchema } from "../../wire/http/api.ts";
import { baseOf } from "../../wire/http/base-url.ts";
import { readTraceEvent } from "../../wire/http/read-trace-event.ts";
import { applyRecord } from "../../wire/journal/apply-record.ts";
import { type ActionResult, DONE, type TaskSource, takesPrompt, viewCache } from "./task-source.ts";

/** The part of the browser's class that is used: the types of Node have no such class. */
declare class EventSource {
  static readonly CLOSED: number;
  readonly readyState: number;
  onerror: (() => void) | null;
  constructor(url: string);
  addEventListener(type: string, listener: (event: { readonly data: unknown }) => void): void;
  close(): void;
}

/** A task of a `signalbox` server. */
export interface ServerTask {
  /** Address of the server, with the base path of a mounted handler. The page's own server: `/`. */
  readonly baseUrl: string;
  readonly taskId: string;
  /** Called with the reason when the task can't be shown further. */
  readonly onFailed?: (reason: string) => void;
}

/**
 * A task of a server, over its event stream. The page needs the session cookie of the server (`POST /api/session`). While a
 * component is subscribed one stream is open; a lost one continues where it ended.
 */
export function serverSource({ baseUrl, taskId, onFailed = () => {} }: ServerTask): TaskSource {
  const task = `${baseOf(baseUrl)}api/tasks/${encodeURIComponent(taskId)}`;
  const view = viewCache();
  const listeners = new Set<() => void>();
  let shown = emptyRecordedState;
  let close: (() => void) | undefined;
  const open = () =>
    openStream(`${task}/events`, {
      onState: (state) => {
        shown = state;
        for (const listener of listeners) listener();
      },
      onFailed,
    });
  return {
    read: () => view(shown.log, shown.queue),
    subscribe(listener) {
      listeners.add(listener);
      close ??= open();
      return () => {
        listeners.delete(listener);
        if (listeners.size > 0) return;
        close?.();
        close = undefined;
      };
    },
    answer: (askId, answer: Answer) => post(`${task}/asks/${askId}/answer`, answer),
    send: (text, images = []) => {
      const { state } = view(shown.log, shown.queue);
      return post(`${task}/${takesPrompt(state) ? "words" : "queue"}`, { text, images });
    },
    cancel: () => post(`${task}/cancel`, {}),
  };
}

interface StreamListener {
  /** The state once all past events were read, and after each new one. */
  readonly onState: (state: typeof emptyRecordedState) => void;
  readonly onFailed: (reason: string) => void;
}

/** Reads a task's trace from its beginning. Returns a function that closes the stream. */
function openStream(url: string, { onState, onFailed }: StreamListener): () => void {
  const source = new EventSource(url);
  let state = emptyRecordedState;
  let isLive = false;
  const fail = (reason: string): void => {
    source.close();
    onFailed(reason);
  };
  source.addEventListener("message", ({ data }) => {
    const event = readTraceEvent(parseJson(String(data)));
    if (!event.success) {
      fail(`Expected a trace event of the task: ${event.problem}.`);
      return;
    }
    state = applyRecord(state, event.data.record);
    if (isLive) onState(state);
  });
  source.addEventListener("live", () => {
    isLive = true;
    onState(state);
  });
  source.addEventListener("failed", ({ data }) => {
    const problem = problemSchema.safeParse(parseJson(String(data)));
    fail(problem.success ? problem.data.detail : "The server ended the trace.");
  });
  source.onerror = () => {
    if (source.readyState === EventSource.CLOSED)
      fail("The server rejected the stream of the task's events.");
  };
  return () => source.close();
}

async function post(url: string, body: unknown): Promise<ActionResult> {
  const response = await fetch(url, {
    method: "POST",
    credentials: "same-origin",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(body),
  });
  if (response.ok) return DONE;
  const problem = problemSchema.safeParse(parseJson(await response.text()));
  return problem.success
    ? { ok: false, code: problem.data.code, message: problem.data.detail }
    : {
        ok: false,
        code: String(response.status),
        message: `The server rejected ${url}: ${response.statusText}.`,
      };
}
