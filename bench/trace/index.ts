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
  full: { events: 100_000, places: 20_000, sends: 50_000, turns: 100, words: 2_000, runs: 7, lives: 31 },
  quick: { events: 100_000, places: 5_000, sends: 20_000, turns: 50, words: 1_000, runs: 3, lives: 7 },
  tiny: { events: 200, places: 20, sends: 100, turns: 2, words: 20, runs: 1, lives: 1 },
} as const;
type Sizes = (typeof SIZES)[keyof typeof SIZES];

const Opened = z.object({ openMs: z.number(), bytes: z.number(), scrubMs: z.number() });
const Lived = z.object({ cpuMs: z.number(), events: z.number() });
const Where = z.object({ url: z.string(), token: z.string() });
const Talked = Timing.extend({ events: z.number() });

/** What an event may cost that is inspected, against one that is not. */
const EVENT_MAX = 4;
/** What a whole task may cost, and last, that is looked at. */
const TASK_MAX = 1.1;

/** What it costs to look at a task that runs, to read a long trace, and to go to and fro in it. */
export async function trace({ size }: BenchOptions): Promise<readonly BenchResult[]> {
  const sizes = SIZES[size];
  return [
    ...(await sends(sizes)),
    ...(await lives(sizes)),
    ...(await follows(sizes)),
    ...(await readings(sizes)),
  ];
}

/** Interleaved, after a first one of each, in turns of one each. */
async function turnsOf<K extends string>(
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

/** The least of the runs: whatever else the machine does adds to some, and takes from none. */
async function leastOf<K extends string>(
  runs: number,
  kinds: readonly K[],
  run: (kind: K) => Promise<number>,
): Promise<Readonly<Record<K, number>>> {
  const turns = await turnsOf(runs, kinds, run);
  const least = kinds.map((kind) => [kind, Math.min(...turns.map((turn) => turn[kind]))] as const);
  return Object.fromEntries(least) as Record<K, number>;
}

async function sends({ sends: events, runs }: Sizes): Promise<readonly BenchResult[]> {
  const spent = await withChild("trace", (child) =>
    leastOf(runs, ["off", "empty", "inspect"], (how) => child.call("send", { events, how }, z.number())),
  );
  const each = (ms: number): string => formatNumber((ms / events) * 1_000);
  return [
    limited(
      "an event sent to the machine, inspected : without",
      spent.inspect / spent.off,
      "x",
      EVENT_MAX,
      `${each(spent.inspect)} against ${each(spent.off)} microseconds; least of ${runs} runs of ${events}`,
    ),
    reference(
      "the same with an observer that does nothing",
      spent.empty / spent.off,
      "x",
      `${each(spent.empty)} microseconds`,
    ),
  ];
}

/** Turns with some text and one small call each, and a last one. */
const looping = (turns: number) => [
  ...Array.from({ length: turns }, (_, item) => [
    { text: "Now I note what there is to note, as I was told to, and go on with the next one.", chunk: 8 },
    { tool: "note", input: { item } },
  ]),
  { tool: "attempt_completion", input: { result: "Done." } },
];

const HOW = ["off", "trace", "inspect"] as const;
type How = (typeof HOW)[number];

async function lives({ turns, lives: runs }: Sizes): Promise<readonly BenchResult[]> {
  const measured = (child: Child, folder: string, url?: string) => {
    let number = 0;
    return turnsOf(runs, HOW, async (how) => {
      number += 1;
      const life = {
        folder: path.join(folder, String(number)),
        turns,
        how,
        ...(url !== undefined && { url }),
      };
      return (await child.call("live", life, Lived)).cpuMs;
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
  const inHttp = shareOf(http);
  const inAtOnce = shareOf(atOnce);
  const limit = (name: string, { share, note }: Share): BenchResult =>
    limited(name, share, "x", TASK_MAX, note);
  const compare = (name: string, { share, note }: Share): BenchResult => reference(name, share, "x", note);
  return [
    limit(`${task}, SDK over HTTP, with its live trace : without`, inHttp("trace")),
    limit("the same, inspected too", inHttp("inspect")),
    compare(`${task}, a model that answers at once, with its live trace : without`, inAtOnce("trace")),
    compare("the same, inspected too", inAtOnce("inspect")),
  ];
}

interface Share {
  readonly share: number;
  readonly note: string;
}

/**
 * The cost of a task relative to one that is not observed: the median over the turns. The work of the SDK and the
 * collector differs by a tenth from run to run, so that the least of some says little.
 */
const shareOf =
  (turns: readonly Readonly<Record<How, number>>[]) =>
  (how: How): Share => {
    const shares = turns.map((turn) => turn[how] / turn.off);
    const [low, high] = [quantile(shares, 0.25), quantile(shares, 0.75)];
    const base = median(turns.map(({ off }) => off));
    return {
      share: median(shares),
      note: `CPU; ${formatNumber(base)} ms without; half of ${turns.length} runs from ${low.toFixed(2)} to ${high.toFixed(2)} x`,
    };
  };

async function follows({ words, runs }: Sizes): Promise<readonly BenchResult[]> {
  const talks: z.infer<typeof Talked>[] = [];
  const wall = await leastOf(runs, ["off", "plain", "microsteps"], async (how) => {
    const talked = await withFolder((folder) => talk(folder, words, how));
    if (how === "off") talks.push(talked);
    return talked.wallMs;
  });
  const rate = Math.max(...talks.map(({ events, wallMs }) => (events / wallMs) * 1_000));
  const share = Math.min(...talks.map(({ cpuMs, wallMs }) => cpuMs / wallMs)) * 100;
  const row = (name: string, how: "plain" | "microsteps"): BenchResult =>
    limited(
      name,
      wall[how] / wall.off,
      "x",
      TASK_MAX,
      `time of ${words} events at ${formatNumber(rate)} a second; not followed it takes ${formatNumber(share)} % of a core`,
    );
  return [
    row("a streaming task, followed by a page over HTTP : without", "plain"),
    row("the same, with microsteps", "microsteps"),
  ];
}

/** A streaming task, and a reader in another process. */
const talk = (folder: string, words: number, how: "off" | "plain" | "microsteps") =>
  withChild("trace", (serving) =>
    withChild("trace", async (reading) => {
      const { url, token } = await serving.call("serve", { folder, words }, Where);
      const isRead = how !== "off";
      const query = how === "microsteps" ? "?microsteps=true" : "";
      if (isRead) await reading.call("read", { url: url + query, token }, z.undefined());
      const talked = await serving.call("talk", {}, Talked);
      await serving.call("stop", {}, z.undefined());
      if (isRead && (await reading.call("told", {}, z.number())) < talked.events)
        throw new Error("The reader did not get all events.");
      return talked;
    }),
  );

async function readings({ events, places, runs }: Sizes): Promise<readonly BenchResult[]> {
  const opened: z.infer<typeof Opened>[] = [];
  for (let run = 0; run < runs; run += 1)
    opened.push(
      await withChild("trace", (child) => child.call("open", { events, places }, Opened), ["--expose-gc"]),
    );
  const of = (key: keyof z.infer<typeof Opened>): number => median(opened.map((each) => each[key]));
  return [
    reference(
      `open a trace of ${events} events from its lines`,
      of("openMs"),
      "ms",
      `${formatNumber(of("bytes") / 1e6)} MB kept beside the lines`,
    ),
    reference("random seeks a second", (places / of("scrubMs")) * 1000, "a second", `of ${events} events`),
  ];
}
