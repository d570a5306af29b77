import fc from "fast-check";
import { expect } from "vitest";
import {
  applyConversationEvent,
  emptyConversation,
  entryEvent,
} from "../../../machines/conversation/conversation.ts";
import { test } from "../../support/prop.ts";
import { text } from "./arbitraries.ts";

const entry = fc.record({
  role: fc.constantFrom("user" as const, "assistant" as const),
  content: fc.array(text, { minLength: 1, maxLength: 2 }),
});

test.prop([fc.array(entry, { maxLength: 12 })])(
  "consecutive entries of one role are merged, so roles alternate and no block is lost (L6)",
  (entries) => {
    const conversation = entries.reduce(
      (before, next) => applyConversationEvent(before, entryEvent(before, next)),
      emptyConversation,
    );
    const roles = [...conversation].map(({ role }) => role);
    expect(roles.filter((role, index) => role === roles[index - 1])).toEqual([]);
    expect(
      [...conversation].flatMap(({ role, content }) => content.map((block) => ({ role, block }))),
    ).toEqual(entries.flatMap(({ role, content }) => content.map((block) => ({ role, block }))));
  },
);
