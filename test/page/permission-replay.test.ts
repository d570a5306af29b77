import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { byRules, DEFAULT_ALLOW } from "../../tools/index.ts";
import { Served } from "../server/support.ts";
import { BUILT_PAGE, canOpenPage, launch } from "./browser.ts";

const script = `
turns:
  - [{ tool: execute_command, input: { command: echo one } }, { tool: execute_command, input: { command: echo two } }]
  - { tool: attempt_completion, input: { result: All done. } }
`;
const sources = [
  { origin: "own.yaml", allow: DEFAULT_ALLOW },
  { origin: "team.yaml", ask: ["command(echo two)"] },
];

describe.skipIf(!canOpenPage)("the permissions in the pane Why", () => {
  let browser: Browser;
  beforeAll(async () => {
    browser = await launch();
  });
  afterAll(() => browser?.close());

  it("have each judge's opinion and the rules with their files, and try a rule on this and on all tasks", async () => {
    const task = { permissions: { judge: byRules({ sources }) } };
    await using served = await Served.open({ script, page: BUILT_PAGE, task });
    const other = await served.create("Echo elsewhere");
    const { id } = await served.create("Echo");
    const page = await browser.newPage({ viewport: { width: 1280, height: 800 } });
    const problems: string[] = [];
    page.on("pageerror", (error) => problems.push(error.message));
    await page.goto(`${served.server.pageUrl}&task=${id}`);
    await page.getByRole("button", { name: "Run", exact: true }).waitFor();
    await page.keyboard.press("Escape");
    await page.keyboard.press("7");
    const panel = page.getByRole("region", { name: "Permissions" });
    await panel.getByText("The call was asked about because no rule allows 'echo one'").waitFor();
    await panel.getByRole("row", { name: "rules default: no rule allows 'echo one'" }).waitFor();
    await panel.getByRole("row", { name: "confinement no opinion" }).waitFor();

    const rule = panel.getByRole("textbox", { name: "Rule" });
    await expect.poll(() => rule.inputValue()).toBe("command(echo one)");
    await panel.getByRole("button", { name: "Try it on this task" }).click();
    await panel.getByText("With this rule, 1 of 1 ask would not have been asked.").waitFor();
    await panel.getByRole("button", { name: "On all tasks of this workspace" }).click();
    await panel.getByText("With this rule, 2 of 2 asks would not have been asked.").waitFor();
    expect(
      await panel.getByRole("link", { name: "execute_command echo one" }).getAttribute("href"),
    ).toContain(other.id);

    await rule.fill("run(x)");
    await panel.getByRole("button", { name: "Try it on this task" }).click();
    await panel.getByText("The rule 'run(x)' of allow in the body is not valid").waitFor();

    // The second call is asked about by a rule, whose file is named.
    await page.getByRole("button", { name: "Run", exact: true }).click();
    await panel.getByText("ask command(echo two) in team.yaml", { exact: true }).waitFor();
    await rule.fill("command(echo *)");
    await panel.getByRole("combobox", { name: "Effect of the rule" }).selectOption("deny");
    await panel.getByRole("button", { name: "Try it on this task" }).click();
    await panel.getByText("2 calls that were allowed or asked about would be denied.").waitFor();
    const changed = panel.getByRole("list", { name: "Calls that change" });
    await changed.getByRole("button", { name: "execute_command echo one" }).click();
    await panel.getByText("The call was asked about because no rule allows 'echo one'").waitFor();
    const trace = await served.trace(id);
    const asked = trace.find(
      ({ record }) => record.kind === "commit" && record.calls.some(({ phase }) => phase === "asking"),
    );
    await expect.poll(() => new URL(page.url()).hash).toContain(`at=${asked?.seq}`);
    expect(problems).toEqual([]);
    await page.close();
  });
});
