import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { Connection } from "../../../visualize/page/sources/connection.ts";
import { httpSource } from "../../../visualize/page/sources/http-source.ts";

/** A browser's event stream, whose events come from the test. */
class ScriptedStream extends EventTarget {
  static readonly CONNECTING = 0;
  static readonly OPEN = 1;
  static readonly CLOSED = 2;
  static readonly opened: ScriptedStream[] = [];
  readonly url: string;
  readyState = ScriptedStream.CONNECTING;
  onopen: (() => void) | undefined;
  onerror: (() => void) | undefined;

  constructor(url: string) {
    super();
    this.url = url;
    ScriptedStream.opened.push(this);
  }

  open(): void {
    this.readyState = ScriptedStream.OPEN;
    this.onopen?.();
  }

  /** The browser reconnects, unless the server rejected the stream. */
  fail(isRejected = false): void {
    this.readyState = isRejected ? ScriptedStream.CLOSED : ScriptedStream.CONNECTING;
    this.onerror?.();
  }

  send(type: string, data: unknown): void {
    this.dispatchEvent(new MessageEvent(type, { data: JSON.stringify(data) }));
  }

  close(): void {
    this.readyState = ScriptedStream.CLOSED;
  }
}

beforeEach(() => {
  ScriptedStream.opened.length = 0;
  vi.stubGlobal("EventSource", ScriptedStream);
});
afterEach(() => {
  vi.unstubAllGlobals();
});

/** The page of a server, with its list and the trace of one task open. */
function openPage() {
  const states: Connection[] = [];
  const failures: string[] = [];
  const source = httpSource("http://server/", { onConnection: (state) => states.push(state) });
  source.watchTasks(() => {});
  const stop = source.follow("t", {
    events: () => {},
    live: () => {},
    failed: (reason) => failures.push(reason),
  });
  const [list, trace] = ScriptedStream.opened.slice(-2);
  if (list === undefined || trace === undefined) throw new Error("The page opened no two streams.");
  for (const stream of [list, trace]) stream.open();
  return { states, failures, stop, list, trace };
}

describe("the connection of the page to its server", () => {
  it("is lost while the list or the trace reconnects", () => {
    const { states, list, trace } = openPage();
    trace.fail();
    list.fail();
    list.open();
    trace.open();
    expect(states).toEqual(["connecting", "connected", "lost", "connected"]);
  });

  it("is not lost when the server ends a trace that is behind, unless it does not come back", () => {
    const { states, trace } = openPage();
    trace.send("end", { reason: "behind" });
    trace.fail();
    expect(states.at(-1)).toBe("connected");
    trace.fail();
    expect(states.at(-1)).toBe("lost");
    trace.open();
    trace.fail();
    expect(states.slice(-3)).toEqual(["lost", "connected", "lost"]);
  });

  it("is refused if the server rejects the list", () => {
    const { states, list } = openPage();
    list.fail(true);
    expect(states.at(-1)).toBe("refused");
  });

  it("stays if the server rejects or fails one trace, or if the page leaves it, and that stream is closed", () => {
    const rejected = openPage();
    rejected.trace.fail(true);
    const failed = openPage();
    failed.trace.send("failed", { title: "no", detail: "The journal is damaged.", status: 500, code: "X" });
    const left = openPage();
    left.trace.fail();
    left.stop();
    for (const { states, trace } of [rejected, failed, left]) {
      expect(states.at(-1)).toBe("connected");
      expect(trace.readyState).toBe(ScriptedStream.CLOSED);
    }
    expect(rejected.failures[0]).toContain("The server has no trace of this task, or rejected the page.");
    expect(failed.failures).toHaveLength(1);
    expect(left.failures).toEqual([]);
  });
});
