import { describe, expect, test } from "vitest";
import { z } from "zod";
import { builtinTools, byRules } from "../../tools/index.ts";
import { messagesOf, openRig, type Rig, type RigOptions, resultsOf } from "../support/host.ts";
import { type RecordingBrowser, recordingBrowser } from "../support/shown-page.ts";

const tools = builtinTools({ include: ["browser_action"] });
const LAUNCH = "{ tool: browser_action, input: { action: launch, url: 'https://page.test/' } }";
const ELSEWHERE = "{ tool: browser_action, input: { action: launch, url: 'https://other.test/' } }";
const CLICK = "{ tool: browser_action, input: { action: click, coordinate: { x: 1, y: 2 } } }";
const DONE = "{ text: Done. }";

const toolsOf = ({ mock }: Rig): readonly string[] =>
  z
    .object({ tools: z.array(z.object({ name: z.string() })) })
    .parse(mock?.requests[0]?.body)
    .tools.map(({ name }) => name);

const openWith = (
  browser: RecordingBrowser,
  script: string,
  options: Partial<RigOptions> = {},
): Promise<Rig> => openRig({ script, tools, browser: () => browser, ...options });

describe("a task with a browser", () => {
  test("is offered browser_action only if its tools include it and it has a browser", async () => {
    await using both = await openWith(recordingBrowser(), `[${DONE}]`);
    await using without = await openRig({ script: `[${DONE}]`, tools });
    await using excluded = await openRig({ script: `[${DONE}]`, browser: () => recordingBrowser() });
    const rigs = [both, without, excluded];
    await Promise.all(rigs.map((rig) => rig.task.run("Go")));
    expect(rigs.map((rig) => toolsOf(rig).includes("browser_action"))).toEqual([true, false, false]);
  });

  test("asks about a launch, lets its actions go on, and asks again about another host", async () => {
    const browser = recordingBrowser();
    await using rig = await openWith(browser, `[${LAUNCH}, ${CLICK}, ${ELSEWHERE}, ${DONE}]`);
    const run = rig.task.run("Go");
    const first = await rig.ask("browser");
    expect(first.kind === "browser" && first.rules).toEqual(["fetch(page.test)"]);
    expect(browser.actions).toEqual([]);
    first.approve();
    (await rig.ask("browser")).reject({ text: "Stay there" });
    await run;
    expect(browser.actions).toEqual(["launch https://page.test/", "click"]);
    expect(messagesOf(rig.task).filter((each) => each.includes("browser"))).toHaveLength(3);
    expect(resultsOf(rig.sent()[1] ?? [])[0]).toMatch(/^Done\. The screenshot .*\[image\]$/s);
    expect(resultsOf(rig.sent()[3] ?? [])[0]).toContain("Stay there");
  });

  test("launches without an ask where a rule allows the host, and never where one denies it", async () => {
    const browser = recordingBrowser();
    const policy = byRules({
      sources: [{ origin: "test", allow: ["fetch(*)", "browser"], deny: ["fetch(other.test)"] }],
    });
    await using rig = await openWith(browser, `[${LAUNCH}, ${CLICK}, ${ELSEWHERE}, ${DONE}]`, { policy });
    await rig.task.run("Go");
    expect(browser.actions).toEqual(["launch https://page.test/", "click"]);
    expect(resultsOf(rig.sent()[3] ?? [])[0]).toContain("is not permitted");
  });

  test("keeps its actors while it waits for an answer with an open browser (PASSIVE)", async () => {
    const question =
      "{ tool: ask_followup_question, input: { question: Which?, follow_up: [{ text: left }] } }";
    const browsers: RecordingBrowser[] = [];
    await using rig = await openRig({
      script: `[${LAUNCH}, ${question}, ${CLICK}, ${DONE}]`,
      tools,
      policy: byRules({ sources: [{ origin: "test", allow: ["fetch(*)", "browser"] }] }),
      browser: () => {
        const browser = recordingBrowser();
        browsers.push(browser);
        return browser;
      },
    });
    const run = rig.task.run("Go");
    const ask = await rig.ask("question");
    expect(await rig.task.passivate()).toBe(false);
    ask.answer("left");
    await run;
    const [first] = browsers;
    expect(first?.actions).toEqual(["launch https://page.test/", "click"]);
    expect(browsers.every(({ isOpen }) => !isOpen)).toBe(true);
  });

  test("closes it when it settles, when it is cancelled, and with its host", async () => {
    const policy = byRules({ sources: [{ origin: "test", allow: ["fetch(*)", "browser"] }] });
    const [settled, cancelled, closed] = [recordingBrowser(), recordingBrowser(), recordingBrowser()];
    await using first = await openWith(settled, `[${LAUNCH}, ${DONE}]`, { policy });
    await first.task.run("Go");
    const asking = `[${LAUNCH}, { tool: write_to_file, input: { path: a.txt, content: x } }, ${DONE}]`;
    await using second = await openWith(cancelled, asking, { policy });
    const run = second.task.run("Go");
    await second.ask("tool");
    expect(cancelled.isOpen).toBe(true);
    second.task.cancel();
    await run;
    await using third = await openWith(closed, asking, { policy });
    const other = third.task.run("Go").catch(() => undefined);
    await third.ask("tool");
    await third.host.closeAll();
    await other;
    expect([settled, cancelled, closed].map(({ isOpen, actions }) => [actions.length, isOpen])).toEqual([
      [1, false],
      [1, false],
      [1, false],
    ]);
  });
});
