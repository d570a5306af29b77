import { z } from "zod";
import {
  type BenchOptions,
  type BenchResult,
  formatNumber,
  formatSpread,
  limited,
  median,
  quantile,
  reference,
  Timing,
  withChild,
  withFolder,
} from "../harness/index.ts";
import { BUILT, inBrowser, type Measured, missing, onSite, openPage } from "./browser.ts";
import { streamedResult } from "./client.ts";
import { longTrace } from "./long-trace.ts";
import { openTaskTable, scrolled } from "./task-table.ts";

const SIZES = {
  full: { events: 100_000, steps: 300, words: 10_000, tasks: 10_000, runs: 3, responses: 4 },
  quick: { events: 100_000, steps: 100, words: 3_000, tasks: 10_000, runs: 1, responses: 4 },
  tiny: { events: 1_000, steps: 10, words: 100, tasks: 200, runs: 1, responses: 2 },
} as const;
type Sizes = (typeof SIZES)[keyof typeof SIZES];

const OPEN_MAX_MS = 3_000;
/** 60 frames a second. */
const SCROLL_FRAME_MAX_MS = 1_000 / 60;
/** 30 frames a second. */
const FRAME_MAX_MS = 1_000 / 30;
/** Maximum memory of a page that followed a task with few records. */
const FOLLOWED_MAX_MB = 60;
/** Maximum time of a task that is viewed in a browser, relative to one that is not. */
const TASK_MAX = 1.1;

const Frames = z.array(z.number());
const Served = z.object({ pageUrl: z.string() });
const StreamRun = Timing.extend({ events: z.number() });

/** The cost of the page: opening a long trace, seeking in it, and following a streaming task. */
export async function page({ size }: BenchOptions): Promise<readonly BenchResult[]> {
  if (missing !== undefined) {
    process.stderr.write(`page: left out. ${missing}\n`);
    return [];
  }
  const sizes = SIZES[size];
  return [
    ...(await long(sizes)),
    ...(await table(sizes)),
    ...(await live(sizes)),
    ...(await followed(sizes)),
  ];
}

interface Opened {
  readonly openMs: number;
  readonly busyMs: number;
  readonly bytes: number;
  readonly sweep: Drag;
  readonly fine: Drag;
}

interface Drag {
  readonly frames: readonly number[];
  readonly busyMs: number;
}

async function long({ events, steps, runs }: Sizes): Promise<readonly BenchResult[]> {
  const opened: Opened[] = [];
  await onSite("long.jsonl", longTrace(events), async (url) => {
    for (let run = 0; run < runs; run += 1)
      opened.push(
        await inBrowser(async (browser) => measurePage(await openPage(browser), url, steps, events)),
      );
  });
  const of = (key: "openMs" | "busyMs" | "bytes"): readonly number[] => opened.map((one) => one[key]);
  return [
    limited(
      `page: open a trace of ${events} events`,
      median(of("openMs")),
      "ms",
      OPEN_MAX_MS,
      `${formatSpread(of("openMs"))} ms until the messages are shown, ${formatNumber(median(of("busyMs")))} ms of them on the main thread`,
    ),
    dragResult(
      "from end to end",
      opened.map(({ sweep }) => sweep),
    ),
    dragResult(
      "event by event",
      opened.map(({ fine }) => fine),
    ),
    reference(
      `page: memory of ${events} events`,
      median(of("bytes")) / 1e6,
      "MB",
      "JavaScript heap after garbage collection",
    ),
  ];
}

/** The mean frame time while the timeline's cursor is dragged; each step is a frame. */
function dragResult(how: string, runs: readonly Drag[]): BenchResult {
  const all = runs.flatMap(({ frames }) => frames);
  const mean = median(runs.map(({ frames }) => frames.reduce((sum, ms) => sum + ms, 0) / frames.length));
  const busy = median(runs.map(({ frames, busyMs }) => busyMs / frames.length));
  return limited(
    `page: a frame, dragged ${how}`,
    mean,
    "ms",
    FRAME_MAX_MS,
    `${formatNumber(1_000 / mean)} frames a second, the longest ${formatNumber(Math.max(...all))} ms, 9 of 10 within ${formatNumber(quantile(all, 0.9))}; ${formatNumber(busy)} ms of each on the main thread`,
  );
}

/** The work of a frame while the table of tasks is scrolled. */
async function table({ tasks, steps, runs }: Sizes): Promise<readonly BenchResult[]> {
  const measured: Drag[] = [];
  await onSite("unused", "", async (url) => {
    for (let run = 0; run < runs; run += 1)
      measured.push(
        await inBrowser(async (browser) => {
          const opened = await openPage(browser);
          await openTaskTable(opened, url, tasks);
          const before = await opened.busyMs();
          const frames = Frames.parse(await opened.page.evaluate(scrolled(steps)));
          return { frames, busyMs: (await opened.busyMs()) - before };
        }),
      );
  });
  const frames = measured.flatMap((each) => each.frames);
  const busy = median(measured.map((each) => each.busyMs / each.frames.length));
  return [
    limited(
      `page: a frame of the table of ${tasks} tasks, scrolled`,
      busy,
      "ms",
      SCROLL_FRAME_MAX_MS,
      `on the main thread; ${formatNumber(median(frames))} ms between frames, 9 of 10 within ${formatNumber(quantile(frames, 0.9))}`,
    ),
  ];
}

async function measurePage(
  { page, busyMs, heapBytes }: Measured,
  url: string,
  steps: number,
  events: number,
): Promise<Opened> {
  const began = performance.now();
  await page.goto(`${url}#file=long.jsonl&pane=chart`);
  await page.locator(".messages-item").first().waitFor({ timeout: 120_000 });
  const openMs = performance.now() - began;
  const busy = await busyMs();
  // The first drawing of the chart is not part of seeking.
  await page.locator(".sb-chart .sb-state").first().waitFor({ timeout: 120_000 });
  const drag = async (from: number, to: number): Promise<Drag> => {
    const before = await busyMs();
    const frames = Frames.parse(await page.evaluate(dragged(from, to, steps)));
    return { frames, busyMs: (await busyMs()) - before };
  };
  const sweep = await drag(0, 1);
  const fine = await drag(0.5, 0.5 + steps / events);
  return { openMs, busyMs: busy, bytes: await heapBytes(), sweep, fine };
}

/** A script for the page: it drags the cursor one step each frame and returns the frame times. */
const dragged = (from: number, to: number, steps: number): string => `new Promise((resolve) => {
  const track = document.querySelector(".sb-track");
  const { left, top, width } = track.getBoundingClientRect();
  const frames = [];
  let before;
  const step = (now) => {
    if (before !== undefined) frames.push(now - before);
    before = now;
    if (frames.length === ${steps}) return resolve(frames);
    const share = ${from} + (${to - from} * frames.length) / ${steps};
    const options = { bubbles: true, buttons: 1, pointerId: 1, clientX: left + share * width, clientY: top + 5 };
    track.dispatchEvent(new PointerEvent("pointermove", options));
    requestAnimationFrame(step);
  };
  requestAnimationFrame(step);
})`;

async function live({ words, runs }: Sizes): Promise<readonly BenchResult[]> {
  const alone: ViewedRun[] = [];
  const viewed: ViewedRun[] = [];
  for (let run = 0; run < runs; run += 1) {
    alone.push(await viewedRun(words, false));
    viewed.push(await viewedRun(words, true));
  }
  const wall = (runs: readonly ViewedRun[]): number => median(runs.map(({ wallMs }) => wallMs));
  const cpu = (runs: readonly ViewedRun[]): number => median(runs.map(({ cpuMs }) => cpuMs));
  const rate = (1_000 * (viewed[0]?.events ?? 0)) / wall(viewed);
  return [
    limited(
      `page: a task that streams ${words} words, viewed in a browser : without`,
      wall(viewed) / wall(alone),
      "x",
      TASK_MAX,
      `${formatNumber(wall(viewed))} : ${formatNumber(wall(alone))} ms; ${formatNumber(rate)} events a second, shown ${formatNumber(median(viewed.map(({ behindMs }) => behindMs)))} ms after the end`,
    ),
    reference(
      "page: CPU of the same",
      cpu(viewed) / cpu(alone),
      "x",
      `${formatNumber(cpu(viewed))} : ${formatNumber(cpu(alone))} ms in the task's process`,
    ),
  ];
}

interface ViewedRun extends z.infer<typeof StreamRun> {
  /** Milliseconds from the end of the task until the page shows it. */
  readonly behindMs: number;
}

/** A streaming task in a child process, with or without a browser that shows it. */
const viewedRun = (words: number, isViewed: boolean): Promise<ViewedRun> =>
  withFolder((folder) =>
    withChild("page", async (child) => {
      const { pageUrl } = await child.call("serve", { folder, words, page: BUILT }, Served);
      const stream = async (): Promise<z.infer<typeof StreamRun>> => child.call("run", {}, StreamRun);
      if (!isViewed) return { ...(await stream()), behindMs: 0 };
      return inBrowser(async (browser) => {
        const { page } = await openPage(browser);
        await page.goto(`${pageUrl}&pane=chart`);
        await page.locator(".sb-chart .sb-state").first().waitFor({ timeout: 60_000 });
        const measured = await stream();
        const ended = performance.now();
        await page.getByText(streamedResult(words)).first().waitFor({ timeout: 60_000 });
        return { ...measured, behindMs: performance.now() - ended };
      });
    }),
  );

/** The memory of a page that follows a streaming task through several responses. */
const followed = ({ words, responses }: Sizes): Promise<readonly BenchResult[]> =>
  withFolder((folder) =>
    withChild("page", async (child) => {
      const { pageUrl } = await child.call("serve", { folder, words, page: BUILT }, Served);
      const megabytes = await inBrowser(async (browser) => {
        const { page, heapBytes } = await openPage(browser);
        await page.goto(`${pageUrl}&pane=chart`);
        await page.locator(".sb-chart .sb-state").first().waitFor({ timeout: 60_000 });
        const after: number[] = [(await heapBytes()) / 1e6];
        for (let response = 0; response < responses; response += 1) {
          await child.call("run", {}, StreamRun);
          await page.getByText(streamedResult(words)).nth(response).waitFor({ timeout: 60_000 });
          after.push((await heapBytes()) / 1e6);
        }
        return after;
      });
      return [
        limited(
          `page: memory of a page that followed ${words * responses} events of growing text`,
          megabytes.at(-1) ?? 0,
          "MB",
          FOLLOWED_MAX_MB,
          `JavaScript heap after garbage collection: ${megabytes.map(formatNumber).join(", ")} MB after each ${words} events`,
        ),
      ];
    }),
  );
