import { test } from "@fast-check/vitest";
import * as roo from "@roo-code/types";
import { describe, expect } from "vitest";
import { fromRoo, toRoo } from "../../../wire/index.ts";
import { runs } from "../../support/campaigns.ts";
import { conversationsAtRest, damaged, logsAtRest } from "./arbitraries.ts";
import { conversationFaults, logFaults } from "./laws.ts";

/** A value after it was written to a file and read. */
const saved = (value: unknown): unknown => JSON.parse(JSON.stringify(value));

describe("A Roo Code task folder", () => {
  test.prop([logsAtRest, conversationsAtRest], { numRuns: 500 })(
    "is exported and imported without loss and without repairs",
    (messages, conversation) => {
      const { ui, api } = toRoo({ messages, conversation });
      const read = fromRoo({ ui: saved(ui), api: saved(api) });
      expect(read.report).toEqual([]);
      expect(JSON.stringify(read.messages)).toBe(JSON.stringify(messages));
      expect(JSON.stringify(read.conversation)).toBe(JSON.stringify(conversation));
    },
  );

  test.prop([damaged(logsAtRest), damaged(conversationsAtRest)], { numRuns: runs(3_000, 800) })(
    "L3, L4, L5, L6, L8: the import of damaged files satisfies the laws",
    (ui, api) => {
      const { messages, conversation } = fromRoo({ ui: saved(ui), api: saved(api) });
      expect(logFaults(messages)).toEqual([]);
      expect(conversationFaults(conversation)).toEqual([]);
    },
  );

  test.prop([damaged(logsAtRest), damaged(conversationsAtRest)], { numRuns: runs(2_000, 500) })(
    "needs no repair after an import and an export; all changes are reported",
    (ui, api) => {
      const first = fromRoo({ ui: saved(ui), api: saved(api) });
      const again = toRoo(first);
      const second = fromRoo({ ui: saved(again.ui), api: saved(again.api) });
      expect(second).toEqual({ ...first, report: [] });
      if (first.report.length === 0)
        expect([first.messages, first.conversation]).toEqual([saved(ui), saved(api)]);
    },
  );

  const kinds = new Set<string | undefined>([...roo.clineAsks, ...roo.clineSays, undefined]);
  test.prop([logsAtRest])("has messages that are valid in Roo Code's own schema", (messages) => {
    const known = messages.filter(({ ask, say }) => kinds.has(ask) && kinds.has(say));
    for (const message of toRoo({ messages: known, conversation: [] }).ui)
      expect(roo.clineMessageSchema.safeParse(saved(message)).error).toBeUndefined();
  });
});
