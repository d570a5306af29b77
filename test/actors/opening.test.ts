import { expect, test } from "vitest";
import { openingActor } from "../../actors/opening.ts";
import { heldEdge, host } from "./protocol/host.ts";

test("L11: sends task.opened once it is released, and not before", () => {
  const { edge, release } = heldEdge();
  const opening = host(openingActor(edge), { taskId: "t1" });
  expect(opening.received).toEqual([]);
  release();
  expect(opening.received).toEqual([{ type: "task.opened", at: 1000 }]);
});
