import { z } from "zod";
import { queuedSchema, taskCardSchema, taskListSchema, traceEventSchema } from "../../../wire/index.ts";
import type { PageSource, TaskActions, TraceSink } from "../source.ts";
import { ask, jsonOf } from "./session.ts";
import { SourceError } from "./source-error.ts";
import { taskChart } from "./task-chart.ts";

export interface HttpSourceOptions {
  /** Told of each change of the connection. */
  readonly onConnection?: (state: Connection) => void;
}

export type Connection = "connecting" | "connected" | "lost";

/** How long the page waits until it asks for a lost stream again, in milliseconds; each further time twice as long. */
const RETRY_MS = 500;
const RETRY_MAX_MS = 15_000;

/**
 * A server of this package as a source. `baseUrl` ends with a slash; the page's own server is `""`. Streams that are
 * lost are taken up again where they ended.
 */
export function httpSource(baseUrl: string, { onConnection }: HttpSourceOptions = {}): PageSource {
  const task = (id: string, rest = "") => `${baseUrl}api/tasks/${encodeURIComponent(id)}${rest}`;
  return {
    chart: async () => ({ chart: await taskChart() }),
    watchTasks(listener) {
      return stream(
        () => `${baseUrl}api/tasks/events`,
        {
          tasks: (data) => listener(taskListSchema.parse(data).tasks),
        },
        onConnection,
      );
    },
    follow: (taskId, sink) => followTrace((next) => task(taskId, `/trace?from=${next}`), sink),
    actions: httpActions(baseUrl, task),
  };
}

/** Events that come a second time, after a reconnection, are left out. */
function followTrace(urlFrom: (next: number) => string, sink: TraceSink): () => void {
  let next = 0;
  return stream(() => urlFrom(next), {
    trace: (data) => {
      const batch = z.array(traceEventSchema).parse(Array.isArray(data) ? data : [data]);
      const fresh = batch.filter(({ seq }) => seq >= next);
      next += fresh.length;
      if (fresh.length > 0) sink.events(fresh);
    },
    live: () => sink.live(),
    failed: (data) =>
      sink.failed(
        z.object({ detail: z.string() }).catch({ detail: "The server gave it up." }).parse(data).detail,
      ),
  });
}

type Handlers = Readonly<Record<string, (data: unknown) => void>>;

/** An event stream that is opened again when it is lost. An event that can't be read ends nothing: the next may be. */
function stream(
  urlNow: () => string,
  handlers: Handlers,
  onConnection?: (state: Connection) => void,
): () => void {
  let source: EventSource | undefined;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let delay = RETRY_MS;
  const open = (): void => {
    onConnection?.("connecting");
    const opened = new EventSource(urlNow(), { withCredentials: true });
    source = opened;
    opened.onopen = () => {
      delay = RETRY_MS;
      onConnection?.("connected");
    };
    for (const [type, take] of Object.entries(handlers))
      opened.addEventListener(type, ({ data }: MessageEvent) => take(jsonOf(String(data))));
    opened.onerror = () => {
      // The browser would ask for the same address again; the place has moved on since.
      opened.close();
      onConnection?.("lost");
      timer = setTimeout(open, delay);
      delay = Math.min(delay * 2, RETRY_MAX_MS);
    };
  };
  open();
  return () => {
    clearTimeout(timer);
    source?.close();
  };
}

function httpActions(baseUrl: string, task: (id: string, rest?: string) => string): TaskActions {
  const post = (url: string, body: unknown = {}) => ask(url, { method: "POST", body });
  const card = async (answer: Promise<unknown>) => {
    const parsed = taskCardSchema.safeParse(await answer);
    if (parsed.success) return parsed.data;
    throw new SourceError("SOURCE_ANSWER", "The server answered with something that is no task's card.");
  };
  const done = async (answer: Promise<unknown>): Promise<void> => {
    await answer;
  };
  return {
    create: (fresh) => card(post(`${baseUrl}api/tasks`, fresh)),
    open: (id) => card(post(task(id, "/open"))),
    answer: (id, askId, answer) => done(post(task(id, `/asks/${askId}`), answer)),
    proceed: (id, askId) => done(post(task(id, `/asks/${askId}/proceed`))),
    abort: (id, askId) => done(post(task(id, `/asks/${askId}/abort`))),
    say: (id, text) => done(post(task(id, "/messages"), { text })),
    queue: async (id, text) => {
      queuedSchema.parse(await post(task(id, "/queue"), { text }));
    },
    cancel: (id) => done(post(task(id, "/cancel"))),
    fork: (id, at) => card(post(task(id, "/fork"), { at })),
    setBreakpoints: (id, breakpoints) =>
      done(ask(task(id, "/breakpoints"), { method: "PUT", body: breakpoints })),
    step: (id) => done(post(task(id, "/step"))),
    resume: (id) => done(post(task(id, "/resume"))),
  };
}
