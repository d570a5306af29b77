import { expect, test } from "vitest";
import { openingActor } from "../../actors/index.ts";
import { heldEdge, host } from "./protocol/host.ts";

test("L11: a task is opened once the journal has its header, and not before", () => {
  const { edge, release } = heldEdge();
  const opening = host(openingActor(edge), { taskId: "t1" });
  expect(opening.heard).toEqual([]);
  release();
  expect(opening.heard).toEqual([{ type: "task.opened", at: 1000 }]);
});
