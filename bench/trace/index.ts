import path from "node:path";
import { z } from "zod";
import {
  type BenchOptions,
  type BenchResult,
  type Child,
  formatNumber,
  limited,
  median,
  quantile,
  reference,
  Timing,
  withChild,
  withFolder,
  withMocks,
} from "../harness/index.ts";

const SIZES = {
  full: { events: 100_000, seeks: 20_000, sends: 50_000, turns: 100, words: 2_000, runs: 7, observed: 31 },
  quick: { events: 100_000, seeks: 5_000, sends: 20_000, turns: 50, words: 1_000, runs: 3, observed: 7 },
  tiny: { events: 200, seeks: 20, sends: 100, turns: 2, words: 20, runs: 1, observed: 1 },
} as const;
type Sizes = (typeof SIZES)[keyof typeof SIZES];

const TraceRead = z.object({ openMs: z.number(), bytes: z.number(), scrubMs: z.number() });
const TaskRun = z.object({ cpuMs: z.number(), events: z.number() });
const Endpoint = z.object({ url: z.string(), token: z.string() });
const StreamRun = Timing.extend({ events: z.number() });

/** Maximum cost of an inspected event, relative to one without inspection. */
const EVENT_MAX = 4;
/** Maximum cost and time of an observed task, relative to one that is not observed. */
const TASK_MAX = 1.1;

/** The cost of observing a running task, of reading a long trace, and of seeking in it. */
export async function trace({ size }: BenchOptions): Promise<readonly BenchResult[]> {
  const sizes = SIZES[size];
  return [
    ...(await inspectedEvents(sizes)),
    ...(await observedTasks(sizes)),
    ...(await followedStreams(sizes)),
    ...(await traceReads(sizes)),
  ];
}

/** Interleaved runs of each kind, after an uncounted first run of each. */
async function interleaved<K extends string>(
  runs: number,
  kinds: readonly K[],
  run: (kind: K) => Promise<number>,
): Promise<readonly Readonly<Record<K, number>>[]> {
  for (const kind of kinds) await run(kind);
  const turns: Record<K, number>[] = [];
  for (let turn = 0; turn < runs; turn += 1) {
    const taken: (readonly [K, number])[] = [];
    for (const kind of turn % 2 === 0 ? kinds : kinds.toReversed()) taken.push([kind, await run(kind)]);
    turns.push(Object.fromEntries(taken) as Record<K, number>);
  }
  return turns;
}

/** The minimum of interleaved runs: other load on the machine only adds time. */
async function minimumOf<K extends string>(
  runs: number,
  kinds: readonly K[],
  run: (kind: K) => Promise<number>,
): Promise<Readonly<Record<K, number>>> {
  const turns = await interleaved(runs, kinds, run);
  const minima = kinds.map((kind) => [kind, Math.min(...turns.map((turn) => turn[kind]))] as const);
  return Object.fromEntries(minima) as Record<K, number>;
}

async function inspectedEvents({ sends: events, runs }: Sizes): Promise<readonly BenchResult[]> {
  const spent = await withChild("trace", (child) =>
    minimumOf(runs, ["off", "empty", "inspect"], (how) => child.call("send", { events, how }, z.number())),
  );
  const each = (ms: number): string => formatNumber((ms / events) * 1_000);
  return [
    limited(
      "an event sent to the machine, inspected : without",
      spent.inspect / spent.off,
      "x",
      EVENT_MAX,
      `${each(spent.inspect)} against ${each(spent.off)} microseconds; minimum of ${runs} runs of ${events}`,
    ),
    reference(
      "the same with an observer that does nothing",
      spent.empty / spent.off,
      "x",
      `${each(spent.empty)} microseconds`,
    ),
  ];
}

/** A script of turns with some text and one small tool call each, and a last turn. */
const looping = (turns: number) => [
  ...Array.from({ length: turns }, (_, item) => [
    { text: "Now I note what there is to note, as I was told to, and go on with the next one.", chunk: 8 },
    { tool: "note", input: { item } },
  ]),
  { tool: "attempt_completion", input: { result: "Done." } },
];

const HOW = ["off", "trace", "inspect"] as const;
type How = (typeof HOW)[number];

async function observedTasks({ turns, observed: runs }: Sizes): Promise<readonly BenchResult[]> {
  const measured = (child: Child, folder: string, url?: string) => {
    let number = 0;
    return interleaved(runs, HOW, async (how) => {
      number += 1;
      const args = {
        folder: path.join(folder, String(number)),
        turns,
        how,
        ...(url !== undefined && { url }),
      };
      return (await child.call("live", args, TaskRun)).cpuMs;
    });
  };
  const [http, atOnce] = await withMocks({ loop: looping(turns) }, (urlOf) =>
    withFolder((folder) =>
      withChild("trace", async (child) => [
        await measured(child, path.join(folder, "http"), urlOf("loop")),
        await measured(child, path.join(folder, "at-once")),
      ]),
    ),
  );
  if (http === undefined || atOnce === undefined) throw new Error("Nothing was measured.");
  const task = `a task of ${turns} turns`;
  const ofHttp = shareOf(http);
  const ofAtOnce = shareOf(atOnce);
  const limit = (name: string, { share, note }: Share): BenchResult =>
    limited(name, share, "x", TASK_MAX, note);
  const compare = (name: string, { share, note }: Share): BenchResult => reference(name, share, "x", note);
  return [
    limit(`${task}, SDK over HTTP, with its live trace : without`, ofHttp("trace")),
    limit("the same, inspected too", ofHttp("inspect")),
    compare(`${task}, a model that answers at once, with its live trace : without`, ofAtOnce("trace")),
    compare("the same, inspected too", ofAtOnce("inspect")),
  ];
}

interface Share {
  readonly share: number;
  readonly note: string;
}

/**
 * The cost of a task relative to one that is not observed: the median over the turns. The work of the SDK and the
 * collector varies by 10 % between runs, so a minimum of few runs means little.
 */
const shareOf =
  (turns: readonly Readonly<Record<How, number>>[]) =>
  (how: How): Share => {
    const shares = turns.map((turn) => turn[how] / turn.off);
    const [low, high] = [quantile(shares, 0.25), quantile(shares, 0.75)];
    const base = median(turns.map(({ off }) => off));
    return {
      share: median(shares),
      note: `CPU; ${formatNumber(base)} ms without; interquartile range of ${turns.length} runs ${low.toFixed(2)} to ${high.toFixed(2)} x`,
    };
  };

async function followedStreams({ words, runs }: Sizes): Promise<readonly BenchResult[]> {
  const unfollowed: z.infer<typeof StreamRun>[] = [];
  const wall = await minimumOf(runs, ["off", "plain", "microsteps"], async (how) => {
    const run = await withFolder((folder) => stream(folder, words, how));
    if (how === "off") unfollowed.push(run);
    return run.wallMs;
  });
  const rate = Math.max(...unfollowed.map(({ events, wallMs }) => (events / wallMs) * 1_000));
  const share = Math.min(...unfollowed.map(({ cpuMs, wallMs }) => cpuMs / wallMs)) * 100;
  const result = (name: string, how: "plain" | "microsteps"): BenchResult =>
    limited(
      name,
      wall[how] / wall.off,
      "x",
      TASK_MAX,
      `time of ${words} events at ${formatNumber(rate)} a second; unfollowed, it takes ${formatNumber(share)} % of a core`,
    );
  return [
    result("a streaming task, followed by a page over HTTP : without", "plain"),
    result("the same, with microsteps", "microsteps"),
  ];
}

/** A streaming task, and a reader in another process. */
const stream = (folder: string, words: number, how: "off" | "plain" | "microsteps") =>
  withChild("trace", (serving) =>
    withChild("trace", async (reading) => {
      const { url, token } = await serving.call("serve", { folder, words }, Endpoint);
      const isRead = how !== "off";
      const query = how === "microsteps" ? "?microsteps=true" : "";
      if (isRead) await reading.call("read", { url: url + query, token }, z.undefined());
      const run = await serving.call("run", {}, StreamRun);
      await serving.call("stop", {}, z.undefined());
      if (isRead && (await reading.call("received", {}, z.number())) < run.events)
        throw new Error("The reader did not get all events.");
      return run;
    }),
  );

async function traceReads({ events, seeks, runs }: Sizes): Promise<readonly BenchResult[]> {
  const opened: z.infer<typeof TraceRead>[] = [];
  for (let run = 0; run < runs; run += 1)
    opened.push(
      await withChild("trace", (child) => child.call("open", { events, seeks }, TraceRead), ["--expose-gc"]),
    );
  const of = (key: keyof z.infer<typeof TraceRead>): number => median(opened.map((each) => each[key]));
  return [
    reference(
      `open a trace of ${events} events from its lines`,
      of("openMs"),
      "ms",
      `${formatNumber(of("bytes") / 1e6)} MB of memory in addition to the lines`,
    ),
    reference("random seeks a second", (seeks / of("scrubMs")) * 1000, "a second", `of ${events} events`),
  ];
}
