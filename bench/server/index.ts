import { z } from "zod";
import {
  type BenchOptions,
  inChild,
  inFolder,
  limited,
  type Row,
  Spent,
  short,
  told,
} from "../harness/index.ts";

const SIZES = {
  full: { tasks: 20, streams: 1_000, seconds: 20 },
  quick: { tasks: 20, streams: 1_000, seconds: 5 },
  tiny: { tasks: 2, streams: 10, seconds: 1 },
} as const;

/** Streams that are open before it is measured. */
const WARM = 20;

const Serving = z.object({ url: z.string(), token: z.string(), ids: z.array(z.string()) });
const Held = Spent.extend({ bytes: z.number(), streams: z.number() });

/** What open streams hold and take on a server whose tasks talk. `SIGNALBOX_BENCH_SERVER_S`: for how long, in seconds. */
export async function server({ size }: BenchOptions): Promise<readonly Row[]> {
  const { tasks, streams, seconds } = SIZES[size];
  const ms = 1_000 * Number(process.env.SIGNALBOX_BENCH_SERVER_S ?? seconds);
  return inFolder((folder) =>
    inChild(
      "server",
      (serving) =>
        inChild("server", async (reading) => {
          const where = await serving.call("serve", { folder, tasks }, Serving);
          // What the first ones load and compile is not theirs.
          await reading.call("read", { ...where, streams: WARM }, z.undefined());
          const before = await serving.call("hold", { ms: 1_000 }, Held);
          await reading.call("read", { ...where, streams }, z.undefined());
          const early = await serving.call("hold", { ms: 1_000 }, Held);
          await reading.call("count", {}, z.number());
          const late = await serving.call("hold", { ms }, Held);
          const events = await reading.call("count", {}, z.number());
          await reading.call("leave", {}, z.undefined());
          await serving.call("stop", {}, z.undefined());
          return rowsOf({ before, early, late, events, streams, tasks });
        }),
      ["--expose-gc"],
    ),
  );
}

interface Measured {
  readonly before: z.infer<typeof Held>;
  readonly early: z.infer<typeof Held>;
  readonly late: z.infer<typeof Held>;
  readonly events: number;
  readonly streams: number;
  readonly tasks: number;
}

function rowsOf({ before, early, late, events, streams, tasks }: Measured): readonly Row[] {
  const seconds = late.wallMs / 1_000;
  const share = (late.cpuMs / late.wallMs) * 100;
  const grown = (late.bytes - early.bytes) / streams / 1_000;
  return [
    limited(
      `memory of an open stream, ${streams} streams of ${tasks} tasks that talk`,
      (early.bytes - before.bytes) / streams / 1_000,
      "KB",
      100,
      `${late.streams} streams are open at the end; each holds ${short(Math.abs(grown))} KB ${grown < 0 ? "less" : "more"} after ${short(seconds)} s`,
    ),
    told(
      `processor of those streams, all of one core being 100`,
      share,
      "%",
      `${short(events / seconds)} events a second reach their readers`,
    ),
  ];
}
