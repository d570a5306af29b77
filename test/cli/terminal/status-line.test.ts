import { PassThrough } from "node:stream";
import { describe, expect, it } from "vitest";
import { createStyle } from "../../../cli/show/index.ts";
import { formatStatusLine, type Status } from "../../../cli/terminal/status-line.ts";
import { AgentLoopState } from "../../../machines/message/index.ts";
import { NO_USAGE } from "../../../machines/task/index.ts";

const STATUS: Status = {
  state: AgentLoopState.STREAMING,
  mode: "code",
  permissionMode: "ask",
  model: "claude-sonnet-4-6",
  usage: { ...NO_USAGE, tokensIn: 1_200, tokensOut: 34, cost: 0.5 },
  todos: { done: 1, all: 3 },
  elapsedMs: 65_000,
  queued: 2,
  windowShare: 0.234,
  isCompacting: false,
};
const lineOf = (status: Partial<Status>, width = 200): string =>
  formatStatusLine({ ...STATUS, ...status }, width, createStyle(new PassThrough(), {}));

describe("the status line", () => {
  it("names the used share of the context window, and that the next request condenses the conversation", () => {
    expect(lineOf({})).toContain("23 % of context · ");
    expect(lineOf({ isCompacting: true })).toContain("23 % of context, condensing next");
    expect(lineOf({ windowShare: undefined, isCompacting: true })).toContain(" · condensing next · ");
    expect(lineOf({ windowShare: undefined })).not.toContain("context");
  });

  it("leaves out the least important parts first where it is too long", () => {
    expect(lineOf({})).toContain("claude-sonnet-4-6");
    expect(lineOf({}, 92)).not.toContain("claude-sonnet-4-6");
    expect(lineOf({}, 92)).toContain("23 % of context");
    expect(lineOf({}, 75)).toContain("23 % of context");
    expect(lineOf({}, 75)).not.toContain("1.2k in");
    expect(lineOf({}, 60)).toContain("23 % of context · $0.5000");
    expect(lineOf({}, 6)).toBe("stream");
  });
});
