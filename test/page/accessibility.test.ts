import { describe, expect, it } from "vitest";
import { violationsIn } from "./axe.ts";
import { canOpenPage } from "./browser.ts";
import { openViews } from "./open-views.ts";
import { VIEWS, WIDTHS } from "./views.ts";

/** The themes differ in their colors only. */
const CHECKS = [
  ["light", undefined],
  ["dark", ["color-contrast"]],
] as const;

describe.skipIf(!canOpenPage)("each view of the page", () => {
  const opened = openViews();

  it.each(VIEWS)(
    "has no serious violation of a rule of accessibility at any width, light and dark: $name",
    async (view) => {
      const { browser, places } = opened();
      const context = await browser.newContext({ reducedMotion: "reduce" });
      const page = await context.newPage();
      page.setDefaultTimeout(15_000);
      await view.open(page, places);
      const found: string[] = [];
      for (const width of WIDTHS) {
        await page.setViewportSize({ width, height: 900 });
        for (const [colorScheme, rules] of CHECKS) {
          await page.emulateMedia({ colorScheme });
          const violations = await violationsIn(page, "body", rules);
          found.push(...violations.map((violation) => `${width} px, ${colorScheme}: ${violation}`));
        }
      }
      await context.close();
      expect(found).toEqual([]);
    },
  );
});
