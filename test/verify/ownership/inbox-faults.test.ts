import { describe, expect, it } from "vitest";
import { exploreInbox } from "../../../verify/ownership/inbox-exploration.ts";
import { INBOX_FAULTS } from "./inbox-faults.ts";

describe("the exploration of inboxes finds", () => {
  it.each(INBOX_FAULTS)("$name", ({ law, rules, bounds }) => {
    const { violation } = exploreInbox({ ...bounds, rules });
    expect(violation?.law, violation?.what).toBe(law);
    expect(violation?.path).toMatchSnapshot();
  });
});
