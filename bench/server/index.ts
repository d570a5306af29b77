import { z } from "zod";
import {
  type BenchOptions,
  type BenchResult,
  formatNumber,
  limited,
  reference,
  Timing,
  withChild,
  withFolder,
} from "../harness/index.ts";

const SIZES = {
  full: { tasks: 20, streams: 1_000, seconds: 20 },
  quick: { tasks: 20, streams: 1_000, seconds: 5 },
  tiny: { tasks: 2, streams: 10, seconds: 1 },
} as const;

/** Streams that are open before the measurement. */
const WARM = 20;
/** Time after which each task's buffer of live events is full. */
const FILLED_MS = 15_000;
/** Duration of the measurement with few readers. */
const ALONE_MS = 60_000;
/** In KB. */
const STREAM_LIMIT = 20;
/** In KB: for 1,000 streams, the variation between two garbage collections. */
const GROWTH_LIMIT = 4;

const Serving = z.object({ url: z.string(), token: z.string(), ids: z.array(z.string()) });
const Held = Timing.extend({ bytes: z.number(), streams: z.number() });

/** Memory and CPU of open streams on a server with streaming tasks. `SIGNALBOX_BENCH_SERVER_S`: duration in seconds. */
export async function server({ size }: BenchOptions): Promise<readonly BenchResult[]> {
  const { tasks, streams, seconds } = SIZES[size];
  const ms = 1_000 * Number(process.env.SIGNALBOX_BENCH_SERVER_S ?? seconds);
  return withFolder((folder) =>
    withChild(
      "server",
      (serving) =>
        withChild("server", async (reading) => {
          const where = await serving.call("serve", { folder, tasks }, Serving);
          // The first streams also load and compile code: they are not counted.
          await reading.call("read", { ...where, streams: WARM }, z.undefined());
          await serving.call("hold", { ms: Math.min(ms, FILLED_MS) }, Held);
          // The text of the tasks grows with or without readers.
          const alone = await serving.call("hold", { ms: 1_000 }, Held);
          const before = await serving.call("hold", { ms: Math.min(ms, ALONE_MS) }, Held);
          await reading.call("read", { ...where, streams }, z.undefined());
          const early = await serving.call("hold", { ms: 1_000 }, Held);
          await reading.call("count", {}, z.number());
          const late = await serving.call("hold", { ms }, Held);
          const events = await reading.call("count", {}, z.number());
          await reading.call("leave", {}, z.undefined());
          await serving.call("stop", {}, z.undefined());
          return resultsOf({ alone, before, early, late, events, streams, tasks });
        }),
      ["--expose-gc"],
    ),
  );
}

interface Measured {
  readonly alone: z.infer<typeof Held>;
  readonly before: z.infer<typeof Held>;
  readonly early: z.infer<typeof Held>;
  readonly late: z.infer<typeof Held>;
  readonly events: number;
  readonly streams: number;
  readonly tasks: number;
}

function resultsOf({ alone, before, early, late, events, streams, tasks }: Measured): readonly BenchResult[] {
  const seconds = late.wallMs / 1_000;
  const share = (late.cpuMs / late.wallMs) * 100;
  const own = ((before.bytes - alone.bytes) / before.wallMs) * late.wallMs;
  const grown = (late.bytes - early.bytes - own) / streams / 1_000;
  return [
    limited(
      `memory of an open stream, ${streams} streams of ${tasks} tasks that stream`,
      (early.bytes - before.bytes) / streams / 1_000,
      "KB",
      STREAM_LIMIT,
      `${late.streams} streams are open at the end`,
    ),
    limited(
      `growth of an open stream in ${formatNumber(seconds)} s`,
      grown,
      "KB",
      GROWTH_LIMIT,
      `beyond the tasks' own text, which took ${formatNumber(own / 1e6)} MB; the whole process grew by ${formatNumber((late.bytes - early.bytes) / 1e6)} MB`,
    ),
    reference(
      `CPU of those streams, in percent of one core`,
      share,
      "%",
      `${formatNumber(events / seconds)} events a second reach their readers`,
    ),
  ];
}
