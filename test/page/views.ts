import { writeFileSync } from "node:fs";
import path from "node:path";
import { pathToFileURL } from "node:url";
import type { Page } from "playwright-core";
import { systemClock } from "../../actors/index.ts";
import { suiteIn } from "../../cli/control/report/suite-file.ts";
import { verificationOf } from "../../cli/verify/report-page.ts";
import type { Clock } from "../../ports/clock.ts";
import { tracePage } from "../../server/page/trace-page.ts";
import type { ServedVerification } from "../../server/services.ts";
import { PANES } from "../../visualize/page/model/panes.ts";
import type { TraceEvent } from "../../visualize/trace/index.ts";
import { fixtureRows, linesOf } from "../cli/control/rows.ts";
import { temporaryFolder } from "../cli/process.ts";
import { verificationParts } from "../support/verification-parts.ts";
import { BreakableConnection } from "./breakable.ts";
import { BUILT_PAGE } from "./browser.ts";
import { pacedClock } from "./gallery/paced-clock.ts";
import { openServedTasks } from "./gallery/served-tasks.ts";
import { openParallel } from "./parallel.ts";
import { recordTask } from "./recorded.ts";
import { type Site, serve } from "./site.ts";

/** A view of the page, as a user gets to it. */
export interface View {
  readonly name: string;
  open(page: Page, places: ViewPlaces): Promise<void>;
}

/** The widths in pixels that the page is made for. */
export const WIDTHS = [390, 768, 1024, 1440, 1920, 2560] as const;

/** The time at which a picture is taken, in ms since 1970. The tasks of the views come before. */
export const PICTURE_TIME = Date.UTC(2026, 4, 4, 9, 30);
const HOUR_MS = 3_600_000;
/** The age of the task whose subtasks work at the same time. */
const PARALLEL_AGE_MS = 140_000;

/** The addresses of tasks: on a server with a waiting task and a suite, and of recorded tasks beside the page. */
export interface ViewPlaces extends AsyncDisposable {
  /** The server's page with its token. Fields can be appended. */
  readonly server: string;
  /** The server's page without a token. */
  readonly refused: string;
  readonly waiting: string;
  /** The page of a task whose subtasks work at the same time, on another server. */
  readonly parallel: string;
  /** The page beside files: `tasks.json` has two tasks. */
  readonly files: string;
  /** A counterexample as a page in one file. */
  readonly found: string;
  readonly recorded: readonly [taskId: string, other: string];
  /** Events of the first recorded task: its approval, and its cancel. */
  readonly events: { readonly approval: number; readonly cancel: number };
}

const COUNTEREXAMPLE = {
  ...{ law: "L8", title: "Each ask is closed once", what: "the answer names ask 2, and ask 3 is open" },
  ...{ event: "ask.answered", seq: 12, test: "test('finds it', () => {});" },
};

/** The ids of the recorded tasks. */
const RECORDED = ["5e8a1c40-cancelled", "7b02d9f1-approved"] as const;

async function suiteReport() {
  const folder = temporaryFolder();
  const file = path.join(folder.path, "runs.jsonl");
  writeFileSync(file, linesOf(fixtureRows("trusted monitoring")));
  const suite = await suiteIn(file);
  folder.remove();
  return suite;
}

/** The counts of no tasks. */
const count: ServedVerification["count"] = async () => ({
  recorded: { tasks: 0, events: 0, states: {}, edges: {}, damaged: [] },
  transitions: [],
});

const causedBy = (events: readonly TraceEvent[], type: string): number =>
  events.findIndex(({ record }) => record.kind === "commit" && record.cause?.type === type);

/** Start the server and the site of the views. */
export async function openPlaces(): Promise<ViewPlaces> {
  const [suite, cancelled, approved] = await Promise.all([
    suiteReport(),
    recordTask({ clock: pacedClock(PICTURE_TIME - 3 * HOUR_MS), id: RECORDED[0] }),
    recordTask({ clock: pacedClock(PICTURE_TIME - 2 * HOUR_MS), id: RECORDED[1], isCancelled: false }),
  ]);
  const served = await openServedTasks(PICTURE_TIME, {
    page: BUILT_PAGE,
    ...(suite && { suite: suite.report }),
    verification: { result: verificationOf({ ...verificationParts(), recorded: undefined }), count },
  });
  // All of it happens at one time: the order of what happens in different subtasks is not the same each time.
  const clock: Clock = { ...systemClock, now: () => PICTURE_TIME - PARALLEL_AGE_MS };
  const parallel = await openParallel({ page: BUILT_PAGE, clock, newId: () => "9d3f7a52-parallel" });
  const folder = temporaryFolder();
  const found = path.join(folder.path, "found.html");
  writeFileSync(
    found,
    await tracePage(cancelled, {
      ...{ title: "A fault", page: BUILT_PAGE, counterexample: COUNTEREXAMPLE },
    }),
  );
  const site: Site = await serve(BUILT_PAGE, {
    "tasks.json": JSON.stringify([...cancelled, ...approved]),
    "damaged.json": "no trace",
  });
  return {
    server: served.pageUrl,
    refused: served.url,
    waiting: served.waiting,
    parallel: `${parallel.served.server.pageUrl}&task=${parallel.id}`,
    files: site.url,
    found: pathToFileURL(found).href,
    events: { approval: causedBy(cancelled, "ask.answered"), cancel: causedBy(cancelled, "task.cancel") },
    recorded: RECORDED,
    async [Symbol.asyncDispose]() {
      folder.remove();
      await site[Symbol.asyncDispose]();
      await parallel[Symbol.asyncDispose]();
      await served[Symbol.asyncDispose]();
    },
  };
}

/** The waiting task, in a pane. */
async function openWaiting(page: Page, { server, waiting }: ViewPlaces, fields = ""): Promise<void> {
  await page.goto(`${server}&task=${waiting}${fields}`);
  await page.getByRole("form", { name: "Actions" }).getByRole("button").first().waitFor();
}

/** A view of the waiting task that a key opens. */
const byKey = (name: string, key: string, role: "dialog" | "complementary"): View => ({
  name,
  async open(page, places) {
    await openWaiting(page, places);
    await page.keyboard.press(key);
    await page.getByRole(role, { name: name === "help" ? "Keys" : "Breakpoints" }).waitFor();
  },
});

/** The views of the page. */
export const VIEWS: readonly View[] = [
  {
    name: "tasks",
    async open(page, { server }) {
      await page.goto(`${server}&view=tasks`);
      await page.getByRole("main", { name: "All tasks" }).waitFor();
    },
  },
  ...PANES.map(
    (pane): View => ({
      name: `task, ${pane}`,
      async open(page, { files, recorded: [task, other] }) {
        const compared = pane === "compare" ? `&with=${other}` : "";
        await page.goto(`${files}#file=tasks.json&task=${task}&at=30&pane=${pane}${compared}`);
        await page.getByTestId("place").waitFor();
      },
    }),
  ),
  { name: "waiting task", open: openWaiting },
  {
    name: "opened timeline",
    async open(page, places) {
      await openWaiting(page, places);
      await page.getByRole("button", { name: "All lanes" }).click();
      await page.getByRole("button", { name: "Fewer lanes" }).waitFor();
    },
  },
  {
    name: "why a task waits",
    open: (page, places) => openWaiting(page, places, "&pane=why"),
  },
  {
    name: "parallel subtasks",
    async open(page, { parallel }) {
      await page.goto(parallel);
      const panel = page.getByRole("region", { name: "Subtasks", exact: true });
      await panel.getByText("asks: Which pages?").waitFor();
    },
  },
  {
    name: "suite",
    async open(page, { server }) {
      await page.goto(`${server}&view=suite`);
      await page.getByRole("main", { name: "Control suite" }).waitFor();
    },
  },
  {
    name: "verification",
    async open(page, { server }) {
      await page.goto(`${server}&view=verification`);
      const shown = page.getByRole("main", { name: "Verification" });
      await shown.getByText("Recorded: 0 tasks").waitFor();
    },
  },
  byKey("help", "?", "dialog"),
  byKey("breakpoints", "b", "complementary"),
  {
    name: "share",
    async open(page, places) {
      await openWaiting(page, places);
      await page.getByRole("button", { name: "Share" }).click();
      await page.getByRole("link", { name: "Download" }).waitFor();
    },
  },
  {
    name: "opened files",
    async open(page, { files }) {
      await page.goto(`${files}#file=tasks.json&view=tasks`);
      await page.getByRole("main", { name: "All tasks" }).waitFor();
    },
  },
  {
    name: "counterexample",
    async open(page, { found }) {
      await page.goto(found);
      await page.getByTestId("place").waitFor();
    },
  },
  {
    name: "unknown task",
    async open(page, { server }) {
      await page.goto(`${server}&task=unknown`);
      await page.getByRole("alert").waitFor();
    },
  },
  {
    name: "damaged file",
    async open(page, { files }) {
      await page.goto(`${files}#file=damaged.json`);
      await page.getByRole("alert").waitFor();
    },
  },
  {
    name: "lost connection",
    async open(page, places) {
      const server = new URL(places.server);
      const connection = await BreakableConnection.open(Number(server.port));
      server.port = String(connection.port);
      await openWaiting(page, { ...places, server: server.href });
      await connection.cut();
      await page.locator('[data-connection="lost"]').waitFor();
    },
  },
  {
    name: "refused connection",
    async open(page, { refused }) {
      await page.goto(refused);
      await page.getByRole("alert").waitFor();
    },
  },
];

/** The view with this name. */
export function viewOf(name: string): View {
  const view = VIEWS.find((each) => each.name === name);
  if (view === undefined) throw new Error(`Expected a view with this name: ${name}.`);
  return view;
}
