import axe from "axe-core";
import type { Page } from "playwright-core";

/**
 * The violations of accessibility rules in a part of the page whose impact is serious or critical, one a line.
 * `rules`: the checked ones; default: all.
 */
export async function violationsIn(
  page: Page,
  selector: string,
  rules?: readonly string[],
): Promise<readonly string[]> {
  if (!(await page.evaluate("'axe' in globalThis"))) await page.evaluate(axe.source);
  const options = { preload: false, resultTypes: ["violations"], ...(rules && { runOnly: rules }) };
  return page.evaluate<readonly string[]>(`axe.run(${JSON.stringify(selector)}, ${JSON.stringify(options)})
    .then(({ violations }) =>
      violations
        .filter(({ impact }) => impact === "serious" || impact === "critical")
        .flatMap(({ id, nodes }) => nodes.map(({ html }) => id + ": " + html)))`);
}
