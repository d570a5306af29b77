import { createHash } from "node:crypto";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { pathToFileURL } from "node:url";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { readBuiltPage } from "../../server/page/built-page.ts";
import { type TraceEvent, TraceLog, traceLines } from "../../visualize/trace/index.ts";
import { BUILT_PAGE, canOpenPage, launch } from "./browser.ts";
import { hostPage } from "./host-page.ts";
import { recordTask } from "./recorded.ts";
import { type Site, serve } from "./site.ts";

if (!canOpenPage)
  console.log(
    "The tests of the debugger's page are skipped. They need a Chromium (SIGNALBOX_CHROMIUM) and `npm run build`.",
  );

const MOUNT = 'mount(here, { source: fileSource(events), theme: "light" });';

/** A page in one file, with a policy that allows no requests. */
async function oneFile(lines: string): Promise<string> {
  const { scripts, style } = await readBuiltPage(BUILT_PAGE);
  const begin = `signalbox.mount(document.getElementById("page"), {
  source: signalbox.fileSource(signalbox.parseEvents(document.getElementById("trace").textContent)), at: 12, isPage: true });`;
  const all = [...scripts, begin];
  const policy = `default-src 'none'; script-src ${all.map(hashOf).join(" ")}; img-src data:; style-src ${hashOf(style)}`;
  return `<!doctype html><html lang="en"><meta charset="utf-8"><meta http-equiv="Content-Security-Policy" content="${policy}">
<title>A task</title><link rel="icon" href="data:,"><style>${style}</style><div id="page"></div>
<script type="application/json" id="trace">${lines.replaceAll("<", "\\u003c")}</script>
${all.map((script) => `<script>${script}</script>`).join("")}</html>`;
}

const hashOf = (text = ""): string => `'sha256-${createHash("sha256").update(text).digest("base64")}'`;

/** The same task under another name, as far as event 19. */
const shortened = (events: readonly TraceEvent[]): readonly TraceEvent[] =>
  events.slice(0, 20).map((event) => ({ ...event, taskId: "short" }));

describe.skipIf(!canOpenPage)("the page", () => {
  let events: readonly TraceEvent[] = [];
  let trace: TraceLog;
  let site: Site;
  let browser: Browser;

  beforeAll(async () => {
    events = await recordTask();
    trace = new TraceLog(events[0]?.taskId ?? "", events);
    site = await serve(BUILT_PAGE, {
      "trace.json": JSON.stringify(events),
      "two.json": JSON.stringify([...events, ...shortened(events)]),
      ...hostPage(MOUNT),
    });
    browser = await launch();
  });
  afterAll(async () => {
    await browser?.close();
    await site?.[Symbol.asyncDispose]();
  });

  /** The page at this event, and its errors and warnings. */
  async function open(
    hash: string,
    { start = "index.html", width = 1280 } = {},
  ): Promise<{ page: Page; problems: string[] }> {
    const page = await browser.newPage({ viewport: { width, height: 720 } });
    const problems: string[] = [];
    page.on("pageerror", (error) => problems.push(error.message));
    page.on("console", (line) => {
      if (line.type() === "error" || line.type() === "warning") problems.push(line.text());
    });
    await page.goto(`${site.url}${start}${hash}`);
    await page.getByTestId("place").waitFor();
    return { page, problems };
  }

  const placeOf = (page: Page) => page.getByTestId("place").textContent();
  const activeStates = async (page: Page): Promise<string[]> =>
    (
      await page
        .locator(".sb-chart .is-active")
        .evaluateAll((nodes) => nodes.map((node) => node.getAttribute("data-path") ?? ""))
    ).sort();

  it("shows the chart, the messages and the state of the trace at every event (L1)", async () => {
    // From 1600 px the chart is always shown.
    const { page, problems } = await open("#file=trace.json&at=0&pane=state", { width: 1_700 });
    await page.locator(".sb-chart .sb-state").first().waitFor();
    const slider = page.getByRole("slider", { name: "Event" });
    for (let seq = 0; seq < trace.length; seq += 1) {
      await expect.poll(() => placeOf(page)).toBe(String(seq));
      const { state, derived, rule } = trace.moment(seq);
      const parts = state.split(".");
      const active = parts.map((_, index) => parts.slice(0, index + 1).join("."));
      expect(await activeStates(page), `chart at ${seq}`).toEqual(active.sort());
      const agreement = page.locator(".sb-agreement");
      expect(await agreement.getAttribute("data-agrees"), `agreement at ${seq}`).toBe("true");
      expect(await agreement.textContent(), `rule at ${seq}`).toContain(rule);
      expect(await page.locator(".sb-head .sb-badge").getAttribute("data-state")).toBe(derived.state);
      const messages = await page.locator(".messages-state").textContent();
      expect(messages, `messages at ${seq}`).toContain(derived.state);
      expect(messages, `messages at ${seq}`).toContain(rule);
      expect(await slider.getAttribute("aria-valuetext")).toContain(state);
      await page.keyboard.press("ArrowRight");
    }
    expect(problems).toEqual([]);
    await page.close();
  });

  it("can be used by keyboard alone, and ? shows the keys", async () => {
    const { page } = await open("#file=trace.json&at=0");
    const changes = events.flatMap((_, seq) => {
      const [now, before] = [trace.moment(seq).derived.state, seq > 0 && trace.moment(seq - 1).derived.state];
      return seq > 0 && now !== before ? [seq] : [];
    });
    for (const seq of changes) {
      await page.keyboard.press("Shift+ArrowRight");
      await expect.poll(() => placeOf(page)).toBe(String(seq));
    }
    await page.keyboard.press("Home");
    await expect.poll(() => placeOf(page)).toBe("0");
    await page.keyboard.press("/");
    await page.keyboard.type("task.cancel");
    await page.keyboard.press("Enter");
    const cancel = events.findIndex(
      ({ record }) => record.kind === "commit" && record.cause?.type === "task.cancel",
    );
    await expect.poll(() => placeOf(page)).toBe(String(cancel));
    await page.keyboard.press("Escape");
    await page.keyboard.press("End");
    await expect.poll(() => placeOf(page)).toBe(String(trace.length - 1));
    await page.keyboard.press("5");
    await page.getByRole("switch", { name: "As the model saw it", checked: true }).waitFor();
    await page.keyboard.press("8");
    await page.getByRole("tab", { name: "Raw", selected: true }).waitFor();
    await page.keyboard.press("o");
    await page.getByRole("region", { name: "Outline" }).and(page.locator(":focus")).waitFor();
    await page.getByRole("tree", { name: "Outline" }).focus();
    await page.keyboard.press("Shift+ArrowLeft");
    await expect.poll(() => placeOf(page)).not.toBe(String(trace.length - 1));
    await page.keyboard.press("?");
    await page.getByRole("dialog", { name: "Keys" }).waitFor();
    await page.keyboard.press("Escape");
    await page.getByRole("dialog").waitFor({ state: "detached" });
    await page.keyboard.press("f");
    await page.getByRole("main", { name: "All tasks" }).waitFor();
    await page.close();
  });

  it("keeps the current event in its address: a bookmark opens the same event", async () => {
    const { page } = await open("#file=trace.json&at=12");
    await page.keyboard.press("ArrowRight");
    await expect.poll(() => page.url()).toContain("at=13");
    const other = await open(new URL(page.url()).hash);
    await expect.poll(() => placeOf(other.page)).toBe("13");
    await page.keyboard.press("End");
    await expect.poll(() => page.url()).not.toContain("at=");
    await page.close();
    await other.page.close();
  });

  it("goes to an event that is entered in its address before it has written the one before", async () => {
    const { page } = await open("#file=trace.json&at=12");
    // The event of the second address comes only after the page would have written the first.
    await page.evaluate(`new Promise((entered) => {
      const place = document.querySelector('[data-testid="place"]');
      const observer = new MutationObserver(() => {
        if (place.textContent !== "9") return;
        observer.disconnect();
        history.replaceState(null, "", "#file=trace.json&at=7");
        setTimeout(() => entered(dispatchEvent(new HashChangeEvent("hashchange"))), 400);
      });
      observer.observe(place, { childList: true, characterData: true, subtree: true });
      location.hash = "#file=trace.json&at=9";
    })`);
    await expect.poll(() => page.getByTestId("place").textContent()).toBe("7");
    await page.close();
  });

  it("shows a state's details, and goes to a message of it", async () => {
    const { page } = await open("#file=trace.json&pane=chart");
    await page.locator('[data-path="resumable"] > button').click();
    const card = page.getByRole("complementary", { name: "State resumable" });
    await card.getByRole("button", { name: /ask:resume_task/ }).click();
    const cancel = events.findIndex(
      ({ record }) => record.kind === "commit" && record.cause?.type === "task.cancel",
    );
    await expect.poll(() => placeOf(page)).toBe(String(cancel));
    await page.close();
  });

  it("compares two traces, and goes to the first difference", async () => {
    const { page } = await open(`#file=two.json&task=${trace.taskId}&at=0&with=short`);
    const pane = page.getByRole("region", { name: "Compare" });
    await pane.getByText("0 only in the other").waitFor();
    await pane.getByRole("button", { name: "First difference" }).click();
    await expect.poll(async () => Number(await placeOf(page))).toBeGreaterThan(19);
    const marked = pane.locator('[aria-current="true"]');
    await marked.getByRole("img", { name: "only in this task" }).waitFor();
    // A click on a step of the other task shows that task, compared with this one.
    await pane.getByRole("button", { name: /same steps$/ }).click();
    await pane.getByTitle("The other task, event").first().click();
    await expect.poll(() => page.url()).toContain(`with=${encodeURIComponent(trace.taskId)}`);
    expect(page.url()).toContain("/t/short");
    await page.close();
  });

  it("is one file without a server: it contains script, style and trace, and loads nothing", async () => {
    const folder = await mkdtemp(path.join(tmpdir(), "one-file-"));
    const file = path.join(folder, "task.html");
    await writeFile(file, await oneFile([...traceLines(events)].join("")));
    const page = await browser.newPage({ viewport: { width: 1280, height: 720 } });
    const asked: string[] = [];
    const problems: string[] = [];
    page.on("request", (request) => asked.push(request.url()));
    page.on("pageerror", (error) => problems.push(error.message));
    page.on("console", (line) => problems.push(line.text()));
    const address = pathToFileURL(file).href;
    await page.goto(address);
    await page.getByTestId("place").waitFor();
    expect(await placeOf(page)).toBe("12");
    await page.keyboard.press("ArrowRight");
    await expect.poll(() => page.url()).toContain("at=13");
    expect(asked.filter((url) => url.split("#")[0] !== address)).toEqual([]);
    expect(problems).toEqual([]);
    await page.close();
    await rm(folder, { recursive: true });
  });

  it("can be mounted in another page, and does not change its address", async () => {
    const { page } = await open("", { start: "host.html" });
    await page.locator(".sb-track").click({ position: { x: 5, y: 20 } });
    await expect.poll(() => placeOf(page)).toBe("0");
    expect(new URL(page.url()).hash).toBe("");
    await page.close();
  });
});
