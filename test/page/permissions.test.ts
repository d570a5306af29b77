import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { byRules } from "../../tools/index.ts";
import { Served } from "../server/support.ts";
import { scripted } from "../support/model.ts";
import { BUILT_PAGE, canOpenPage, launch } from "./browser.ts";

const write = (name: string): string => `{ tool: write_to_file, input: { path: ${name}, content: "hi\\n" } }`;
const QUESTION =
  "{ tool: ask_followup_question, input: { question: Which?, follow_up: [{ text: Plan it, mode: architect }, { text: Do it }] } }";
const DONE = "{ tool: attempt_completion, input: { result: All done. } }";

/** Whether the page, and each part of its action bar, is as wide as the viewport at most. */
const fits = (page: Page): Promise<boolean> =>
  page.evaluate<boolean>(
    `[document.documentElement, ...document.querySelectorAll(".sb-action-bar, .sb-action-bar *, .sb-rules *")]
      .every((element) => { const { left, right } = element.getBoundingClientRect(); return left >= 0 && right <= innerWidth; })`,
  );

describe.skipIf(!canOpenPage)("the page, with permissions,", () => {
  let browser: Browser;
  beforeAll(async () => {
    browser = await launch();
  });
  afterAll(() => browser?.close());

  /** A page at the first ask of a task whose policy is rules. */
  async function openTask(script: string, width = 360) {
    const policy = byRules({ sources: [{ origin: "settings.yaml", ask: ["edit(**/secret.txt)"] }] });
    const served = await Served.open({ script, page: BUILT_PAGE, task: { permissions: { judge: policy } } });
    const { id } = await served.create("Do it");
    const info = () => served.info(id);
    await expect.poll(async () => (await info()).asks.length).toBe(1);
    const context = await browser.newContext({ viewport: { width, height: 740 } });
    const page = await context.newPage();
    await page.goto(`${served.server.pageUrl}&task=${id}`);
    const bar = page.getByRole("form", { name: "Actions" });
    const showTab = (name: string) => page.getByRole("tab", { name }).click();
    return { served, id, page, bar, showTab, info, close: () => context.close() };
  }

  it("shows why an ask is asked, and the rules of Always before one is sent; the next call names it", async () => {
    const script = `[${write("src/a.txt")}, ${write("src/b.txt")}, ${DONE}]`;
    const { served, page, bar, info, close } = await openTask(script);
    await using _ = served;
    await bar.getByText("Reason: no rule allows write_to_file on 'src/a.txt'").waitFor();
    const always = bar.getByRole("button", { name: "Always …" });
    expect(await always.getAttribute("aria-expanded")).toBe("false");
    await always.click();
    const choice = bar.getByRole("group", { name: /^Save, and allow such calls in this session/ });
    expect(await choice.getByRole("button").allTextContents()).toEqual(["edit(src/a.txt)", "edit(src/**)"]);
    expect(await fits(page)).toBe(true);
    expect((await info()).permissions?.rules).toEqual([]);
    await choice.getByRole("button", { name: "edit(src/**)" }).click();
    await bar.getByText("Completed. Accept the result?").waitFor();
    await page.getByText("allowed by the rule edit(src/**) in this session").waitFor();
    await page.getByText("reason: no rule allows write_to_file on 'src/a.txt'").waitFor();
    expect((await info()).permissions?.rules).toEqual([{ level: "allow", rule: "edit(src/**)" }]);
    await close();
  });

  it("offers no rule where none would allow the call", async () => {
    const command = `{ tool: execute_command, input: { command: 'touch "$(cat name)"' } }`;
    const { served, bar, close } = await openTask(`[${command}, ${DONE}]`);
    await using _ = served;
    await bar.getByText("Reason: ").waitFor();
    await bar.getByRole("button", { name: "Run" }).waitFor();
    expect(await bar.getByRole("button", { name: "Always …" }).count()).toBe(0);
    await close();
  });

  it("names the mode of a suggestion, and shows it in the state once it is chosen", async () => {
    const { served, page, bar, showTab, info, close } = await openTask(`[${QUESTION}, ${DONE}]`);
    await using _ = served;
    const suggestions = bar.getByRole("group", { name: "Suggested answers" });
    await suggestions.waitFor();
    const names = await suggestions.getByRole("button").allTextContents();
    expect(names).toEqual(["Plan it in mode architect", "Do it"]);
    expect(await fits(page)).toBe(true);
    await suggestions.getByRole("button", { name: "Plan it in mode architect" }).click();
    await bar.getByText("Completed. Accept the result?").waitFor();
    expect((await info()).mode).toBe("architect");
    await showTab("State");
    await expect
      .poll(() => page.getByRole("combobox", { name: "Mode", exact: true }).inputValue())
      .toBe("architect");
    await close();
  });

  it("switches the mode and the model of the next request in the state", async () => {
    const models = { named: { fast: scripted([]) } };
    await using served = await Served.open({ script: `[${QUESTION}, ${DONE}]`, page: BUILT_PAGE, models });
    const { id } = await served.create("Do it");
    await expect.poll(async () => (await served.info(id)).asks.length).toBe(1);
    const page = await browser.newPage({ viewport: { width: 390, height: 740 } });
    await page.goto(`${served.server.pageUrl}&task=${id}`);
    await page.getByRole("tab", { name: "State" }).click();
    const [mode, model] = ["Mode", "Model"].map((name) => page.getByRole("combobox", { name, exact: true }));
    expect(await model?.inputValue()).toBe("default");
    await model?.selectOption("fast");
    await mode?.selectOption("Architect");
    await expect.poll(() => served.info(id)).toMatchObject({ mode: "architect", profile: "fast" });
    await expect
      .poll(async () => [await mode?.inputValue(), await model?.inputValue()])
      .toEqual([...["architect", "fast"]]);
    await page.close();
  });

  it("shows a permission mode that permits more as pending until the open ask is answered", async () => {
    const { served, page, bar, showTab, info, close } = await openTask(`[${write("a.txt")}, ${DONE}]`);
    await using _ = served;
    await showTab("State");
    const mode = page.getByRole("combobox", { name: "Permission mode" });
    await mode.selectOption("bypass");
    await page.getByText("pending until the open ask is closed; now: ask").waitFor();
    expect(await mode.inputValue()).toBe("bypass");
    expect((await info()).permissions).toMatchObject({ mode: "ask", held: { mode: "bypass" } });
    expect(await fits(page)).toBe(true);
    await bar.getByRole("button", { name: "Save" }).click();
    await page.getByText("Completed. Accept the result?").waitFor();
    expect((await info()).permissions).toEqual({ mode: "bypass", rules: [] });
    expect(await page.getByText(/pending until/).count()).toBe(0);
    await close();
  });

  it("changes the permission mode and removes a rule in the state; at a past event it only shows them", async () => {
    const { served, id, page, showTab, info, close } = await openTask(`[${write("a.txt")}, ${DONE}]`);
    await using _ = served;
    const rules = [
      { level: "allow", rule: `edit(${"long-".repeat(20)}/**)` },
      { level: "deny", rule: "read(b.txt)" },
    ];
    await served.fetch(`/api/tasks/${id}/permissions`, { method: "PATCH", json: { rules } });
    await page.getByText("Permissions changed").waitFor();
    await showTab("State");
    const mode = page.getByRole("combobox", { name: "Permission mode" });
    expect(await mode.inputValue()).toBe("ask");
    expect(await fits(page)).toBe(true);
    await page.getByRole("button", { name: "Remove the rule deny read(b.txt)" }).click();
    // Without a rule that denies more is permitted: that answers no open ask.
    await page.getByText("pending until the open ask is closed; now: ask").waitFor();
    expect(await page.getByRole("button", { name: /^Remove the rule/ }).count()).toBe(1);
    expect((await info()).permissions?.rules).toEqual(rules);
    await mode.selectOption("auto-edit");
    await expect.poll(() => mode.inputValue()).toBe("auto-edit");
    await page.getByRole("form", { name: "Actions" }).getByRole("button", { name: "Save" }).click();
    await page.getByText("Completed. Accept the result?").waitFor();
    expect((await info()).permissions).toMatchObject({ mode: "auto-edit", rules: rules.slice(0, 1) });
    await expect.poll(() => mode.inputValue()).toBe("auto-edit");
    await page.getByRole("slider", { name: "Event" }).focus();
    await page.keyboard.press("ArrowLeft");
    await mode.waitFor({ state: "detached" });
    expect(await page.getByRole("button", { name: /^Remove the rule/ }).count()).toBe(0);
    await close();
  });
});
