import { describe, expect, it } from "vitest";
import { createMachine } from "xstate";
import { taskMachine } from "../../../machines/task/task.machine.ts";
import { chartOf, layoutOf, svgOf } from "../../../visualize/index.ts";

const HOSTILE = `</title><script>alert("1")</script> & '\u0001\ud800`;
const hostile = createMachine({
  id: HOSTILE,
  initial: "a",
  states: {
    a: { entry: HOSTILE, on: { [HOSTILE]: { guard: HOSTILE, target: HOSTILE, actions: HOSTILE } } },
    [HOSTILE]: {},
  },
});

describe("the SVG of a machine", () => {
  it("of the task machine is committed; `npx vitest run test/visualize/chart -u` updates it", async () => {
    const chart = chartOf(taskMachine);
    const svg = svgOf(chart, await layoutOf(chart));
    await expect(svg).toMatchFileSnapshot("../../../docs/diagrams/task-machine.svg");
  });

  it("shows each state by its name, draws each edge once, and has a tooltip with all of it", async () => {
    const chart = chartOf(taskMachine);
    const svg = svgOf(chart, await layoutOf(chart));
    for (const { path, name } of chart.states) {
      expect(svg).toContain(`>${name}</text>`);
      expect(svg).toMatch(new RegExp(`<title>${path}(\n|</title>)`));
    }
    expect(svg.match(/<g class="transition">/g)).toHaveLength(chart.edges.length);
    expect(svg).toContain("llm.failed [mayRetry] / discardResponse, scheduleRetry");
  });

  it("escapes every text, and contains nothing that XML forbids", async () => {
    const chart = chartOf(hostile);
    const svg = svgOf(chart, await layoutOf(chart));
    expect(svg).not.toContain("<script>");
    expect(tagsLeftOpen(svg)).toEqual([]);
    expect(svg).toContain("&lt;script&gt;alert(&quot;1&quot;)&lt;/script&gt; &amp; &#39;\ufffd\ufffd");
    expect(svg).not.toContain("\u0001");
    expect(Buffer.from(svg).toString()).toBe(svg);
  });

  it("follows the viewer's setting, or has the given theme", async () => {
    const chart = chartOf(hostile);
    const layout = await layoutOf(chart);
    expect(svgOf(chart, layout)).toContain("@media(prefers-color-scheme:dark)");
    const [light, dark] = [svgOf(chart, layout, { theme: "light" }), svgOf(chart, layout, { theme: "dark" })];
    expect(light).not.toContain("@media");
    expect(dark).not.toContain("@media");
    expect(light).not.toBe(dark);
  });
});

/** The elements that are not closed in the order in which they were opened. */
function tagsLeftOpen(xml: string): readonly string[] {
  const open: string[] = [];
  for (const [, isEnd, name = "", isWhole] of xml.matchAll(/<(\/?)([\w:-]+)[^<>]*?(\/?)>/g)) {
    if (isWhole === "/") continue;
    if (isEnd !== "/") open.push(name);
    else if (open.at(-1) === name) open.pop();
    else open.push(`/${name}`);
  }
  return open;
}
