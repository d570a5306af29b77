import { expect, it } from "vitest";
import { callMachine } from "../../../machines/tool-call/call.machine.ts";
import { chartOf } from "../../../visualize/chart/chart-of.ts";
import { denseLayoutOf } from "../../../visualize/chart/layout.ts";

it("the committed layout of a call's chart is the layout of the machine: -u writes it again", async () => {
  const layout = await denseLayoutOf(chartOf(callMachine));
  const file = "../../../visualize/page/panes/chart/call-layout.json";
  await expect(`${JSON.stringify(layout, null, 2)}\n`).toMatchFileSnapshot(file);
  expect(layout.width).toBeLessThanOrEqual(390);
});
