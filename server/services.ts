import type { Clock } from "../ports/clock.ts";
import type { Chart } from "../visualize/chart/chart.ts";
import type { Access } from "./access.ts";
import type { ServerBounds } from "./bounds.ts";
import type { Streams } from "./streams.ts";
import type { TaskCommands } from "./tasks/task-commands.ts";
import type { TaskList } from "./tasks/task-list.ts";
import type { TaskTraces } from "./traces/task-traces.ts";

/** The services that the routes use. */
export interface Services {
  readonly access: Access;
  readonly commands: TaskCommands;
  readonly list: TaskList;
  readonly traces: TaskTraces;
  readonly streams: Streams;
  readonly clock: Clock;
  readonly bounds: ServerBounds;
  /** The port that the server listens on. */
  port(): number;
  /** The chart of the task machine. */
  readonly chart: Chart;
  /** The OpenAPI description. */
  description(): unknown;
  onError(error: unknown): void;
}
