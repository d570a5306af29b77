import type { TaskCard } from "../../../wire/index.ts";
import { problemSchema, readTraceEvent, taskCardSchema, taskListSchema } from "../../../wire/index.ts";
import type { PageSource, TraceSink } from "../source.ts";
import { drawnSchema } from "./chart-schema.ts";
import { type Connection, openStream } from "./event-stream.ts";
import { httpActions } from "./http-actions.ts";
import { ask } from "./session.ts";
import { taskChart } from "./task-chart.ts";

export interface HttpSourceOptions {
  /** Told of each change of the connection. */
  readonly onConnection?: (state: Connection) => void;
}

/**
 * A server of this package as a source. `baseUrl` ends with a slash; the page's own server is `""`. Streams that are
 * lost are taken up again where they ended.
 */
export function httpSource(baseUrl: string, { onConnection }: HttpSourceOptions = {}): PageSource {
  return {
    async chart() {
      const given = drawnSchema.safeParse(await ask(`${baseUrl}api/chart`));
      return given.success ? given.data : { chart: taskChart() };
    },
    watchTasks: (listener) => watchCards(`${baseUrl}api/events`, listener, onConnection),
    follow: (taskId, sink) =>
      followTrace(`${baseUrl}api/tasks/${encodeURIComponent(taskId)}/events?microsteps=true`, sink),
    actions: httpActions(baseUrl),
  };
}

/** The whole list first, then each card that changes. */
function watchCards(
  url: string,
  listener: (tasks: readonly TaskCard[]) => void,
  onConnection: HttpSourceOptions["onConnection"],
): () => void {
  const cards = new Map<string, TaskCard>();
  const take = (fresh: readonly TaskCard[]): void => {
    for (const card of fresh) cards.set(card.id, card);
    listener([...cards.values()]);
  };
  return openStream(url, {
    onConnection,
    events: {
      tasks(data) {
        cards.clear();
        take(taskListSchema.parse(data).tasks);
      },
      task: (data) => take([taskCardSchema.parse(data)]),
    },
  });
}

function followTrace(url: string, sink: TraceSink): () => void {
  return openStream(url, {
    events: {
      message(data) {
        const parsed = readTraceEvent(data);
        if (parsed.success) sink.events([parsed.data]);
        else sink.failed(`The server told something that is no event of a trace: ${parsed.problem}.`);
      },
      live: () => sink.live(),
      failed(data) {
        const problem = problemSchema.safeParse(data);
        sink.failed(problem.success ? problem.data.detail : "The server gave the trace up.");
      },
    },
    onRefused: () =>
      sink.failed(
        "The server does not tell this trace. Open the address that it printed, or choose another task.",
      ),
  });
}
