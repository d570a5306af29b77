import { test } from "@fast-check/vitest";
import * as roo from "@roo-code/types";
import { describe, expect } from "vitest";
import { fromRoo, toRoo } from "../../../wire/index.ts";
import { runs } from "../../support/campaigns.ts";
import { damaged, restingConversation, restingRows } from "./arbitraries.ts";
import { faultsOfConversation, faultsOfRows } from "./laws.ts";

/** Through a file. */
const written = (value: unknown): unknown => JSON.parse(JSON.stringify(value));

describe("The folder of the frozen product", () => {
  test.prop([restingRows, restingConversation], { numRuns: 500 })(
    "is exported and imported without loss, byte for byte, and nothing is mended",
    (messages, conversation) => {
      const { ui, api } = toRoo({ messages, conversation });
      const read = fromRoo({ ui: written(ui), api: written(api) });
      expect(read.report).toEqual([]);
      expect(JSON.stringify(read.messages)).toBe(JSON.stringify(messages));
      expect(JSON.stringify(read.conversation)).toBe(JSON.stringify(conversation));
    },
  );

  test.prop([damaged(restingRows), damaged(restingConversation)], { numRuns: runs(3_000, 800) })(
    "L3, L4, L5, L6, L8: whatever happened to its files, what is imported obeys the laws",
    (ui, api) => {
      const { messages, conversation } = fromRoo({ ui: written(ui), api: written(api) });
      expect(faultsOfRows(messages)).toEqual([]);
      expect(faultsOfConversation(conversation)).toEqual([]);
    },
  );

  test.prop([damaged(restingRows), damaged(restingConversation)], { numRuns: runs(2_000, 500) })(
    "is mended once: what was imported and exported again needs nothing, and what was changed was reported",
    (ui, api) => {
      const first = fromRoo({ ui: written(ui), api: written(api) });
      const again = toRoo(first);
      const second = fromRoo({ ui: written(again.ui), api: written(again.api) });
      expect(second).toEqual({ ...first, report: [] });
      if (first.report.length === 0)
        expect([first.messages, first.conversation]).toEqual([written(ui), written(api)]);
    },
  );

  const kinds = new Set<string | undefined>([...roo.clineAsks, ...roo.clineSays, undefined]);
  test.prop([restingRows])("has rows that the frozen product's own schema takes", (messages) => {
    const ours = messages.filter(({ ask, say }) => kinds.has(ask) && kinds.has(say));
    for (const row of toRoo({ messages: ours, conversation: [] }).ui)
      expect(roo.clineMessageSchema.safeParse(written(row)).error).toBeUndefined();
  });
});
