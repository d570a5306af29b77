import * as roo from "@roo-code/types";
import { describe, expect, it } from "vitest";
import {
  ASKS,
  isAskType,
  isIdleAsk,
  isInteractiveAsk,
  isNonBlockingAsk,
  isResumableAsk,
  SAYS,
} from "../../../machines/message/index.ts";

const asks = Object.keys(ASKS);

describe("The table of asks", () => {
  it("has the asks of the family, and browser_action_launch, which older logs hold", () => {
    expect(asks.toSorted()).toEqual([...roo.clineAsks, "browser_action_launch"].toSorted());
  });

  it.each(roo.clineAsks)("puts %s where the family puts it", (ask) => {
    expect({
      interactive: isInteractiveAsk(ask),
      idle: isIdleAsk(ask),
      resumable: isResumableAsk(ask),
      nonBlocking: isNonBlockingAsk(ask),
    }).toEqual({
      interactive: roo.isInteractiveAsk(ask),
      idle: roo.isIdleAsk(ask),
      resumable: roo.isResumableAsk(ask),
      nonBlocking: roo.isNonBlockingAsk(ask),
    });
  });

  it.each(asks)("puts %s into exactly one category", (ask) => {
    const is = [isInteractiveAsk, isIdleAsk, isResumableAsk, isNonBlockingAsk].filter((guard) => guard(ask));
    expect(is).toHaveLength(1);
  });

  it.each(["plan_mode_respond", "toString", "__proto__", "", undefined, null, 3, ["tool"]])(
    "has no ask %j",
    (ask) => {
      expect(isAskType(ask) || isInteractiveAsk(ask) || isIdleAsk(ask)).toBe(false);
    },
  );
});

describe("The list of says", () => {
  it("is the family's", () => {
    expect([...SAYS].toSorted()).toEqual([...roo.clineSays].toSorted());
  });
});
