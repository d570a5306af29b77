import * as roo from "@roo-code/types";
import { describe, expect, it } from "vitest";
import {
  ASKS,
  isAskType,
  isIdleAsk,
  isInteractiveAsk,
  isNonBlockingAsk,
  isResumableAsk,
} from "../../../machines/message/asks.ts";
import { SAYS } from "../../../machines/message/message.ts";

const asks = Object.keys(ASKS);

describe("The table of asks", () => {
  it("has the asks of Roo Code, and browser_action_launch of older logs", () => {
    expect(asks.toSorted()).toEqual([...roo.clineAsks, "browser_action_launch"].toSorted());
  });

  it.each(roo.clineAsks)("has the category of Roo Code for %s", (ask) => {
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

  it.each(asks)("has exactly one category for %s", (ask) => {
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
  it("has Roo Code's says, permissions_changed, hook, opaque and wake_up", () => {
    expect([...SAYS].toSorted()).toEqual(
      [...roo.clineSays, "hook", "permissions_changed", "opaque", "wake_up"].toSorted(),
    );
  });
});
