import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { eventsOf } from "../../visualize/trace/events-of.ts";
import { styleVariables } from "../examples-in-docs/style-variables.ts";
import { BUILT_PAGE, canOpenPage, launch } from "./browser.ts";
import { hostPage } from "./host-page.ts";
import { appended, commit, traceOf } from "./panes/trace.ts";
import { type Site, serve } from "./site.ts";

/** A page with a style and classes of its own, and the debugger in it. */
const pageWith = (
  styles: readonly string[],
): string => `<!doctype html><html lang="en"><title>Another page</title>
${styles.map((style) => `<link rel="stylesheet" href="${style}">`).join("")}
<section id="theirs"><h1>Theirs</h1><p class="sb-dim">a <code>word</code></p><button class="sb-main">Press</button><ul><li>one</li></ul>
<table class="sb-transitions"><tr><th>head</th><td class="sb-cell">cell</td></tr></table>
<div class="sb-column"><p class="sb-action-bar">theirs</p></div><div class="text-plain messages-item">theirs</div></section>
<div id="here"></div><script type="module" src="host.js"></script></html>`;

const MOUNT = 'mount(here, { source: fileSource(events), theme: "light" });';

/** Texts that are inherited, and rules for all elements of a kind. */
const HOST_STYLE = `body { text-align: center; letter-spacing: 3px; text-transform: uppercase; font: 30px/3 serif; color: red }
:root { --bg: red }`;
const HOST_GLOBALS = `* { outline-offset: 7px } button { background: rgb(1, 2, 3) } code { font-size: 31px }
.signalbox .sb-head { background: rgb(4, 5, 6) }`;

const THEIRS = "#theirs, #theirs *";
const OURS = ".signalbox, .signalbox *";

/** The computed style of each element, without its custom properties. */
const stylesOf = (page: Page, selector: string): Promise<readonly Readonly<Record<string, string>>[]> =>
  page.evaluate<readonly Readonly<Record<string, string>>[]>(`
    [...document.querySelectorAll(${JSON.stringify(selector)})].slice(0, 120).map((element) => {
      const style = getComputedStyle(element);
      return Object.fromEntries([...style].filter((name) => !name.startsWith("--")).map((name) => [name, style.getPropertyValue(name)]));
    })`);

/** The selectors of a list, whose commas are not within parentheses. */
const selectorsOf = (list: string): readonly string[] =>
  list.match(/(?:\((?:[^()]|\([^()]*\))*\)|[^,(])+/g) ?? [];

describe.skipIf(!canOpenPage)("the debugger in another page", () => {
  let site: Site;
  let browser: Browser;

  beforeAll(async () => {
    const trace = traceOf([
      commit(1, {
        after: "running",
        log: [appended({ ts: 1_001, type: "say", say: "text", text: "Do it" })],
      }),
      commit(2, {
        after: "idle",
        log: [appended({ ts: 1_002, type: "say", say: "text", text: "I do `it`." })],
      }),
    ]);
    const events = eventsOf(trace);
    site = await serve(BUILT_PAGE, {
      "trace.json": JSON.stringify(events),
      ...hostPage(MOUNT),
      "host.css": HOST_STYLE,
      "globals.css": HOST_GLOBALS,
      "theme.css": `:root { ${styleVariables()
        .map((name, index) => `${name}: rgb(9, 9, ${index})`)
        .join(";")} }`,
      "alone.html": pageWith(["embed.css"]),
      "theirs.html": pageWith(["host.css"]),
      "both.html": pageWith(["host.css", "embed.css"]),
      "globals.html": pageWith(["embed.css", "globals.css"]),
      "theme.html": pageWith(["theme.css", "embed.css"]),
    });
    browser = await launch();
  });
  afterAll(async () => {
    await browser?.close();
    await site?.[Symbol.asyncDispose]();
  });

  async function open(name: string): Promise<Page> {
    const page = await browser.newPage({ viewport: { width: 1280, height: 900 }, reducedMotion: "reduce" });
    page.setDefaultTimeout(10_000);
    await page.goto(`${site.url}${name}.html`);
    await page.locator(".messages-item code", { hasText: "it" }).waitFor();
    return page;
  }

  it("has no rule outside of a layer, and none that matches outside of the debugger", async () => {
    const page = await open("alone");
    const rules = await page.evaluate<readonly (readonly [layer: string, selector: string])[]>(`(() => {
      const found = [];
      const walk = (rules, layer) => {
        for (const rule of rules) {
          if (rule instanceof CSSKeyframesRule || rule instanceof CSSLayerStatementRule) continue;
          if (rule instanceof CSSStyleRule) found.push([layer, rule.selectorText]);
          else walk(rule.cssRules, rule instanceof CSSLayerBlockRule ? rule.name : layer);
        }
      };
      walk(document.styleSheets[0].cssRules, "");
      return found;
    })()`);
    expect(rules.length).toBeGreaterThan(400);
    expect([...new Set(rules.map(([layer]) => layer))]).toEqual([
      "signalbox.tokens",
      "signalbox.shell",
      "signalbox.panes",
    ]);
    const limited = /^(?:\.signalbox|:where\(\.signalbox\))(?![\w-])/;
    const selectors = rules.flatMap(([, selector]) => selectorsOf(selector).map((one) => one.trim()));
    expect(selectors.filter((selector) => !limited.test(selector))).toEqual([]);
    await page.close();
  });

  it("does not change the other page, which has elements and classes of the same names", async () => {
    const [without, both] = [await open("theirs"), await open("both")];
    expect(await stylesOf(both, THEIRS)).toEqual(await stylesOf(without, THEIRS));
    await without.close();
    await both.close();
  });

  it("inherits nothing from the other page", async () => {
    const [alone, both] = [await open("alone"), await open("both")];
    expect(await stylesOf(both, OURS)).toEqual(await stylesOf(alone, OURS));
    await alone.close();
    await both.close();
  });

  it("is overridden by each rule of the other page", async () => {
    const page = await open("globals");
    const styleOf = (selector: string, name: string): Promise<string> =>
      page.evaluate(
        `getComputedStyle(document.querySelector(${JSON.stringify(selector)})).getPropertyValue("${name}")`,
      );
    expect(await styleOf(".signalbox .sb-tabs button", "background-color")).toBe("rgb(1, 2, 3)");
    expect(await styleOf(".messages-item code", "font-size")).toBe("31px");
    expect(await styleOf(".sb-head", "background-color")).toBe("rgb(4, 5, 6)");
    await page.close();
  });

  it("takes each variable of its theme from the other page", async () => {
    const page = await open("theme");
    const tokens = await page.evaluate<readonly string[]>(`(() => {
      const style = getComputedStyle(document.querySelector(".signalbox"));
      return ${JSON.stringify(styleVariables())}.map((name) => style.getPropertyValue(name.replace("--sb-", "--")));
    })()`);
    expect(tokens).toEqual(tokens.map((_, index) => `rgb(9, 9, ${index})`));
    expect(
      await page.evaluate(`getComputedStyle(document.querySelector(".signalbox")).backgroundColor`),
    ).toBe(`rgb(9, 9, ${styleVariables().indexOf("--sb-bg")})`);
    await page.close();
  });
});
