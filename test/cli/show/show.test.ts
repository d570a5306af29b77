import { fc, test as property } from "@fast-check/vitest";
import { describe, expect, test } from "vitest";
import { mask } from "../../../cli/run/debug-log.ts";
import { formatUsage } from "../../../cli/show/format.ts";
import { MessageFeed } from "../../../cli/show/message-feed.ts";
import { printable, printableOutput } from "../../../client/printable/printable.ts";
import type { LogEvent } from "../../../machines/message/log.ts";
import type { ClineMessage } from "../../../machines/message/message.ts";

describe("a message feed", () => {
  const feed = (events: readonly LogEvent[]) => {
    const told: string[] = [];
    const text = new Map<number, string>();
    const sink = {
      begun: ({ ts }: ClineMessage) => told.push(`begun ${ts}`),
      grown: ({ ts }: ClineMessage, more: string) => text.set(ts, (text.get(ts) ?? "") + more),
      redrawn: (row: ClineMessage) => text.set(row.ts, row.text ?? ""),
      ended: ({ ts }: ClineMessage) => told.push(`ended ${ts}`),
    };
    const feed = new MessageFeed(sink);
    for (const event of events) feed.take({ commit: { log: [event] } });
    return { told, text };
  };

  property.prop([fc.array(fc.tuple(fc.boolean(), fc.string()), { maxLength: 20 })])(
    "shows each part of a message's text once, whether it grows or is amended",
    (pieces) => {
      let text = "";
      const changes = pieces.map(([isGrowth, piece]): LogEvent => {
        text += piece;
        return isGrowth
          ? { type: "message.grown", ts: 1, text: piece }
          : { type: "message.amended", ts: 1, patch: { text } };
      });
      const end: LogEvent = { type: "message.amended", ts: 1, patch: { partial: false } };
      const begin: LogEvent = {
        type: "message.appended",
        message: { ts: 1, type: "say", say: "text", text: "", partial: true },
      };
      const told = feed([begin, ...changes, end, end]);
      expect(told.text.get(1) ?? "").toBe(text);
      expect(told.told).toEqual(["begun 1", "ended 1"]);
    },
  );

  test("ends a command's output when its ask is closed, and a request when its cost is known", () => {
    const output: LogEvent = {
      type: "message.appended",
      message: { ts: 1, type: "ask", ask: "command_output", text: "" },
    };
    const request: LogEvent = {
      type: "message.appended",
      message: { ts: 2, type: "say", say: "api_req_started", text: "{}" },
    };
    const { told } = feed([
      output,
      request,
      { type: "message.amended", ts: 2, patch: { text: `{"cost":0}` } },
      { type: "message.grown", ts: 1, text: "more" },
      { type: "message.amended", ts: 1, patch: { closing: "ended" } },
    ]);
    expect(told).toEqual(["begun 1", "begun 2", "ended 2", "ended 1"]);
  });
});

describe("text for a terminal", () => {
  property.prop([fc.string({ unit: "binary" })])("holds nothing that would not be seen", (text) => {
    // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
    expect(printable(text)).not.toMatch(/[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]/);
  });

  test("prints hidden characters of a command", () => {
    expect(printable("ls\x1b[2K\rrm -rf x")).toBe("ls\\u001b[2K\\u000drm -rf x");
    expect(printable("a\tb\r\nc")).toBe("a\tb\nc");
  });

  test("of a command loses its colors, and an overwritten line becomes a separate line", () => {
    expect(printableOutput("\x1b[32mok\x1b[0m 1%\r2%\r\n")).toBe("ok 1%\n2%\n");
  });
});

test("a usage is formatted with its cost, if any; an unknown one is named", () => {
  const usage = { tokensIn: 900, tokensOut: 40, cacheWrites: 0, cacheReads: 600, cost: 0.0042 };
  expect(formatUsage(usage)).toBe("1.5k in, 40 out, $0.0042");
  expect(formatUsage({ ...usage, cost: 0 })).toBe("1.5k in, 40 out");
  expect(formatUsage({ ...usage, cost: null })).toBe("1.5k in, 40 out, cost unknown");
});

test("a log is masked: known keys, and text that looks like one", () => {
  const masked = mask("key my-own-key, sk-ant-REDACTED, Bearer abcdefgh1234, task-1", ["my-own-key", ""]);
  expect(masked).toBe("key [masked], [masked], [masked], task-1");
});
