import axe from "axe-core";
import type { Page } from "playwright-core";

/** The violations of accessibility rules in a part of the page whose impact is serious or critical, one a line. */
export async function violationsIn(page: Page, selector: string): Promise<readonly string[]> {
  await page.evaluate(axe.source);
  return page.evaluate<readonly string[]>(`axe.run(${JSON.stringify(selector)}).then(({ violations }) =>
    violations
      .filter(({ impact }) => impact === "serious" || impact === "critical")
      .flatMap(({ id, nodes }) => nodes.map(({ html }) => id + ": " + html)))`);
}
